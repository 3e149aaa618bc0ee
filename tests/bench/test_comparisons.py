# SPDX-License-Identifier: MIT
"""What changed between runs, what is noise, and what bad files are told."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest
from invented_reports import CPU, GPU, full_report
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from clprobe.bench.compare.comparison import compare, paired
from clprobe.knowledge.tables import Tables
from clprobe.model.bench_codec import report_from_text
from clprobe.model.codec import snapshot_document
from clprobe.model.comparison import BenchComparison, Difference
from clprobe.model.errors import ClprobeError
from clprobe.model.measurement import BenchReport, Conditions, Contestant, Result
from clprobe.model.snapshot import Snapshot
from clprobe.report.as_json import document
from clprobe.report.bench.compare_words import host_changes
from clprobe.report.bench.html import bench_compare_html
from clprobe.report.bench.markdown import bench_compare_markdown
from clprobe.report.bench.text import bench_compare_text
from clprobe.report.schemas import published
from clprobe.report.terminal import make_console

TABLES = Tables.load()
QUIET = Conditions(other_load_percent=2)
NEWER = GPU.replace("24.35.30872", "25.01.31234")


def quiet(speed: float = 1.0, **more: object) -> BenchReport:
    return full_report(**{"speed": speed, "conditions": QUIET, **more})


def changed(report: BenchReport, workload: str, **fields: object) -> BenchReport:
    """Return the report with other fields in the device's result of this workload."""

    def one(result: Result) -> Result:
        is_meant = result.workload == workload and result.device != CPU
        return replace(result, **fields) if is_meant else result

    return replace(report, results=tuple(map(one, report.results)))


def found(first: BenchReport, last: BenchReport) -> BenchComparison:
    return compare([("old.json", first), ("new.json", last)], TABLES)


def on(comparison: BenchComparison, workload: str, device: str = GPU) -> Difference:
    (difference,) = [
        one for one in comparison.differences if one.workload == workload and one.device == device
    ]
    return difference


def text_of(comparison: BenchComparison, **options: bool) -> str:
    console = make_console("never", width=80)
    with console.capture() as capture:
        console.print(bench_compare_text(comparison, **options))
    return capture.get()


def test_the_same_run_twice_changed_nothing() -> None:
    comparison = found(quiet(), quiet())

    assert {one.effect for one in comparison.differences} == {"same"}
    assert (comparison.changes, comparison.renamed, comparison.warnings) == ((), (), ())


@pytest.mark.parametrize(
    ("speed", "effect"), [(1.3, "faster"), (1 / 1.3, "slower"), (1.07, "same"), (0.94, "same")]
)
def test_only_what_no_interval_explains_is_a_change(speed: float, effect: str) -> None:
    difference = on(found(quiet(), quiet(speed)), "matmul-1024")

    assert difference.effect == effect
    assert difference.ratio == pytest.approx(speed)
    low, high = difference.ci95 or (0, 0)
    assert low == pytest.approx(speed * 0.96 / 1.04)
    assert high == pytest.approx(speed * 1.04 / 0.96)


def test_a_change_below_ten_percent_is_noise_however_narrow_the_intervals() -> None:
    first = changed(quiet(), "copy", median=20.0, ci95=(19.99, 20.01))

    for median, effect in ((21.8, "same"), (22.2, "faster")):
        last = changed(first, "copy", median=median, ci95=(median - 0.01, median + 0.01))
        assert on(found(first, last), "copy").effect == effect


def test_less_time_is_faster() -> None:
    slow = changed(quiet(), "copy", metric="latency", unit="µs", median=80.0, ci95=(79.0, 81.0))
    fast = changed(slow, "copy", median=40.0, ci95=(39.0, 41.0))

    difference = on(found(slow, fast), "copy")

    assert (difference.effect, difference.ratio) == ("faster", 2.0)
    assert difference.ci95 == (79 / 41, 81 / 39)
    assert "80.0 → 40.0 µs, 2.00 times faster (1.93 to 2.08)." in difference.text


def test_results_that_became_wrong_come_first() -> None:
    wrong = changed(quiet(1.5), "copy", status="wrong-result", median=None, ci95=None)

    comparison = found(quiet(), wrong)

    assert comparison.differences[0].workload == "copy"
    assert comparison.differences[0].effect == "became-wrong"
    assert found(wrong, quiet()).differences[-1].effect != "became-wrong"
    assert on(found(wrong, quiet()), "copy").effect == "mended"


@pytest.mark.parametrize(
    ("first", "last", "effect"),
    [
        ("ok", "error", "lost"),
        ("error", "ok", "mended"),
        ("skipped", "ok", "now-measured"),
        ("unsupported", "ok", "now-measured"),
        ("ok", "skipped", "not-measured"),
        ("skipped", "error", "no-figures"),
        ("wrong-result", "wrong-result", "no-figures"),
        ("error", "wrong-result", "became-wrong"),
    ],
)
def test_what_has_no_figure_has_an_effect_all_the_same(first: str, last: str, effect: str) -> None:
    def with_status(status: str) -> BenchReport:
        none = {"median": None, "ci95": None}
        return changed(quiet(), "copy", status=status, **({} if status == "ok" else none))

    assert on(found(with_status(first), with_status(last)), "copy").effect == effect


def test_what_only_one_run_has_is_new_or_gone() -> None:
    less = replace(quiet(), results=tuple(one for one in quiet().results if one.workload != "copy"))

    assert on(found(less, quiet()), "copy").effect == "new"
    assert on(found(quiet(), less), "copy").effect == "gone"


@pytest.mark.parametrize(
    "conditions", [Conditions(other_load_percent=40), Conditions(throttled=True)]
)
def test_a_disturbed_run_proves_no_change(conditions: Conditions) -> None:
    for first, last in (
        (quiet(), quiet(2.0, conditions=conditions)),
        (quiet(conditions=conditions), quiet(2.0)),
    ):
        comparison = found(first, last)

        assert on(comparison, "copy").effect == "unsure"
        assert not any(one.flipped for one in comparison.differences)
        assert "measure again" in " ".join(comparison.warnings)
        assert "may be chance" in on(comparison, "copy").text


def snapshot(**facts: object) -> dict:
    return snapshot_document(msgspec.convert(facts, Snapshot))


def test_what_the_hosts_snapshots_know_stands_beside_the_figures() -> None:
    def with_neo(version: str, kernel: str) -> BenchReport:
        package = {"name": "intel-opencl-icd", "version": version}
        facts = snapshot(packages=[package], system={"linux": {"release": kernel}})
        return quiet(host={"linux": kernel, "numpy": version}, snapshot=facts)

    comparison = found(with_neo("24.35", "6.1.0"), with_neo("25.01", "6.12.0"))

    assert [(one.what, one.before, one.after) for one in comparison.changes] == [
        ("package intel-opencl-icd", "24.35", "25.01"),
        ("Linux", "6.1.0", "6.12.0"),
        # No snapshot knows what is in the Python that bench ran in.
        ("numpy", "24.35", "25.01"),
    ]


def test_a_driver_that_a_snapshot_tells_is_told_once() -> None:
    def driven_by(version: str) -> BenchReport:
        device = {"name": "Intel(R) HD Graphics 620", "driver_version": version}
        platform = {"name": "Intel(R) OpenCL HD Graphics", "devices": [device]}
        answer = {"outcome": "ok", "platforms": [platform]}
        facts = snapshot(icds=[{"path": "/etc/OpenCL/vendors/intel.icd", "answer": answer}])
        contestants = (Contestant(name=GPU, kind="opencl", version=version),)
        return quiet(snapshot=facts, contestants=contestants)

    told = [one.after for one in found(driven_by("24.35"), driven_by("25.01")).changes]

    assert told == ["25.01"]


def test_a_snapshot_of_a_later_version_is_left_aside() -> None:
    def later(release: str) -> BenchReport:
        facts = snapshot() | {"satellites": [release]}
        return quiet(host={"linux": release}, snapshot=facts)

    (change,) = found(later("6.1.0"), later("6.12.0")).changes

    assert (change.fact, change.after) == ("host.linux", "6.12.0")


def test_two_machines_fill_no_screen_with_their_packages() -> None:
    def with_packages(version: str) -> BenchReport:
        packages = [{"name": f"package-{index}", "version": version} for index in range(40)]
        return quiet(snapshot=snapshot(packages=packages))

    lines = list(host_changes(found(with_packages("1"), with_packages("2"))))

    assert len(lines) == 13
    assert lines[-1] == "and 28 more changes; --json lists them"


def test_a_load_that_an_older_document_keeps_with_the_host_counts() -> None:
    older = quiet(conditions=Conditions(), host={"other_load_percent": 50})

    comparison = found(older, quiet(2.0))

    assert on(comparison, "copy").effect == "unsure"
    assert all(change.fact != "host.other_load_percent" for change in comparison.changes)


def test_a_machine_that_became_slower_as_a_whole_is_told_from_a_device_that_did() -> None:
    def halved(report: BenchReport, *, of: tuple[str, ...]) -> BenchReport:
        results = tuple(
            replace(one, median=one.median / 2, ci95=(one.ci95[0] / 2, one.ci95[1] / 2))
            if one.device in of
            else one
            for one in report.results
        )
        return replace(report, results=results)

    whole = on(found(quiet(), halved(quiet(), of=(GPU, CPU))), "copy")
    device = on(found(quiet(), quiet(0.5)), "copy")

    assert (whole.effect, whole.with_cpu) == ("slower", True)
    assert "it is the machine, not the device" in whole.text
    assert (device.effect, device.with_cpu) == ("slower", False)


def test_a_verdict_that_flipped_is_told() -> None:
    difference = on(found(quiet(), quiet(2.0)), "matmul-256")

    assert difference.flipped
    assert difference.text.endswith("The verdict was cpu and is device.")
    assert not on(found(quiet(), quiet()), "matmul-256").flipped


def test_a_reference_measured_beside_two_devices_spans_both_figures() -> None:
    twice = replace(
        quiet(),
        results=(
            *quiet().results,
            *(
                replace(one, median=one.median * 2, ci95=(one.ci95[0] * 2, one.ci95[1] * 2))
                for one in quiet().results
                if one.device == CPU
            ),
        ),
    )

    (side, _) = on(found(twice, twice), "copy", CPU).runs

    assert side is not None
    assert side.ci95 == (pytest.approx(17.5 * 0.96), pytest.approx(35 * 1.04))


def test_a_newer_driver_is_the_same_device_under_another_name() -> None:
    comparison = found(quiet(), quiet(1.5, gpu=NEWER))

    assert [(one.before, one.after) for one in comparison.renamed] == [(GPU, NEWER)]
    assert on(comparison, "copy").effect == "faster"


def measured_on(*devices: tuple[int, str, str, str]) -> BenchReport:
    """Return a report of devices with these indices, names, platforms and versions."""
    labels = [f"{index}: {name} ({platform} {v})" for index, name, platform, v in devices]
    reports = [quiet(gpu=label) for label in labels]
    return quiet(
        results=tuple(one for report in reports for one in report.results),
        verdicts=tuple(one for report in reports for one in report.verdicts),
        contestants=tuple(
            Contestant(name=label, kind="opencl", version=v, hardware=name, platform=platform)
            for label, (_, name, platform, v) in zip(labels, devices, strict=True)
        ),
    )


@pytest.mark.parametrize(
    ("first", "later", "loosely", "is_paired"),
    [
        ((0, "A", "P", "1.0"), (0, "A", "P", "2.0"), False, True),
        ((0, "A", "P", "1.0"), (3, "A", "P", "1.0"), False, True),
        ((0, "A", "P", "1.0"), (0, "A", "Q", "1.0"), False, True),
        ((0, "A", "P", "1.0"), (0, "B", "P", "1.0"), False, False),
        ((0, "A", "P", "1.0"), (0, "B", "P", "1.0"), True, True),
        ((0, "A (B)", "P (Q)", "1.0"), (1, "A (B)", "P (Q)", "(2)"), False, True),
    ],
)
def test_devices_are_found_again(
    first: tuple[int, str, str, str],
    later: tuple[int, str, str, str],
    loosely: bool,
    is_paired: bool,
) -> None:
    before, after = measured_on(first), measured_on(later)

    pairs = paired(before, after, loosely=loosely)

    label = after.contestants[0].name
    assert pairs.get(label) == (before.contestants[0].name if is_paired else None)
    assert pairs[CPU] == CPU


def test_a_document_that_names_no_hardware_is_paired_without_its_version() -> None:
    def older(version: str) -> BenchReport:
        label = f"0: A (P {version})"
        return quiet(
            gpu=label, contestants=(Contestant(name=label, kind="opencl", version=version),)
        )

    pairs = paired(older("1.0"), older("2.0"), loosely=False)

    assert pairs["0: A (P 2.0)"] == "0: A (P 1.0)"


def test_a_document_without_contestants_is_paired_by_what_is_left() -> None:
    older = replace(quiet(gpu="0: A (P 1.0)"), contestants=())
    newer = replace(quiet(gpu="0: A (P 2.0)"), contestants=())

    assert paired(older, newer, loosely=True)["0: A (P 2.0)"] == "0: A (P 1.0)"
    assert "0: A (P 2.0)" not in paired(older, newer, loosely=False)


def test_of_two_alike_none_is_guessed() -> None:
    two = measured_on((0, "A", "P", "1.0"), (1, "A", "P", "2.0"))
    third = measured_on((2, "A", "P", "3.0"))

    assert third.contestants[0].name not in paired(two, third, loosely=True)


def test_hosts_and_versions_that_differ_are_named() -> None:
    newer = quiet(
        host={"os": "Debian 13", "linux": "6.1.0", "cpu": "Intel Core i5-7200U", "torch": None},
        contestants=(Contestant(name=CPU, kind="torch-cpu", version="2.14.0"),),
        baseline="numpy",
        effort="quick",
    )

    comparison = found(quiet(), newer)

    assert [(one.fact, one.before, one.after) for one in comparison.changes] == [
        ("host.os", "Debian 12", "Debian 13"),
        ("host.torch", "2.13", None),
        ("contestants[0].version", "2.13.0", "2.14.0"),
    ]
    assert "The baseline is not the same: old.json has torch, new.json has numpy." in (
        comparison.warnings
    )
    assert "The effort is not the same" in " ".join(comparison.warnings)


def test_many_runs_become_one_table_that_fits() -> None:
    runs = [(f"{place}.json", quiet(1 + place / 10)) for place in range(12)]
    comparison = compare(runs, TABLES)

    text = text_of(comparison)

    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    lines = [line.split() for line in text.splitlines() if line.startswith("  copy ")]
    figures = [word for line in lines for word in line if re.fullmatch(r"[\d.]+", word)]
    assert figures[:12] == [f"{21 * (1 + place / 10):.1f}" for place in range(12)]
    assert "| A | B | C | D | E | F | G | H | I | J | K | L |" in bench_compare_markdown(comparison)


def test_the_text_has_changes_and_hides_what_is_the_same() -> None:
    text = text_of(found(quiet(), changed(quiet(1.5), "copy", median=5.0, ci95=(4.9, 5.1))))

    words = " ".join(text.split())
    assert "! Slower: copy (4.20×)." in words
    assert "· No change beyond the noise: 17 workloads." in words
    assert "and 9 more." in words
    assert text_of(found(quiet(), quiet(1.5)), plain=True).isascii()


def test_a_page_begins_with_what_changed() -> None:
    page = bench_compare_html(found(quiet(), quiet(1.5)))

    answer = page.partition("<h1>")[2].partition("</h1>")[0]
    assert answer == "Faster: 17; no change beyond the noise: 17 of 34 figures."
    empty = quiet(results=(), verdicts=())
    assert "<h1>No run has a result.</h1>" in bench_compare_html(found(empty, empty))


def test_every_form_escapes_a_hostile_name() -> None:
    evil = '0: <script>alert(1)</script>|\x1b[2J\u202e" (P 1.0)'
    comparison = compare([("<b>|\x1b.json", quiet()), ("b.json", quiet(2.0, gpu=evil))], TABLES)

    page = bench_compare_html(comparison)

    assert "<script" not in page
    assert "<b>" not in page
    assert "http" not in page
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(svg)  # noqa: S314 - our own
    for shown in (page, text_of(comparison), bench_compare_markdown(comparison)):
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_a_comparison_fits_its_schema() -> None:
    parsed = json.loads(document("clprobe.bench-compare/1", found(quiet(), quiet(2.0, gpu=NEWER))))

    Draft202012Validator(published()["clprobe.bench-compare/1"]).validate(parsed)


def written(report: BenchReport) -> str:
    return document("clprobe.bench/1", report)


def test_a_report_reads_back_as_it_was_written() -> None:
    assert report_from_text(written(full_report()), name="r.json") == full_report()


def test_a_document_of_the_first_version_is_read() -> None:
    parsed = json.loads(written(full_report()))
    first = {key: parsed[key] for key in ("host", "baseline", "results", "training", "verdicts")}
    for result in first["results"]:
        for key in list(result)[list(result).index("detail") + 1 :]:
            del result[key]
    text = json.dumps({"schema": "clprobe.bench/1", "clprobe": "0.1.0", **first})

    report = report_from_text(text, name="old.json")

    assert report.results[0].batch is None
    assert report.contestants == ()
    Draft202012Validator(published()["clprobe.bench/1"]).validate(json.loads(text))


GOOD = written(full_report())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: Expecting value, in ''"),
        ('{\n  "a": 1,\n  b\n}', "line 3: "),
        ("[" * 100_000, "is no JSON document"),
        ("[1]", "no schema"),
        ('{"schema": "clprobe.doctor/1"}', "the schema 'clprobe.doctor/1'"),
        ('{"schema": "clprobe.bench/1"}', "missing required field `host`"),
        (GOOD.replace('"samples": 60', '"samples": "60"', 1), "results[0].samples is '60'"),
        (GOOD.replace('"status": "ok"', '"status": "fine"', 1), "results[0].status is 'fine'"),
        (GOOD.replace('"median": 92.0', '"median": -92.0', 1), "results[0].median is '-92.0'"),
        (GOOD.replace('"median": 92.0', '"median": 1e999', 1), "results[0].median is 'Infinity'"),
        (GOOD.replace('"median": 92.0', '"median": NaN', 1), "NaN is no number"),
        (
            GOOD.replace('"ci95": [\n', '"ci95": [\n 5, 2], "x": [\n', 1),
            "results[0].ci95 is '[5.0, 2.0]'",
        ),
    ],
)
def test_a_bad_file_is_named_with_field_or_line_value_and_remedy(text: str, said: str) -> None:
    with pytest.raises(ClprobeError) as caught:
        report_from_text(text, name="bad.json")

    assert caught.value.message.startswith("bad.json")
    assert said in caught.value.message
    assert "clprobe bench --output" in (caught.value.hint or "")


def test_the_line_of_a_number_that_is_none_is_the_right_one() -> None:
    text = GOOD.replace('"os": "Debian 12"', '"os": "NaN"').replace("0.05", "NaN", 1)
    line = next(n for n, one in enumerate(text.splitlines(), 1) if re.search(r"[\s:]NaN", one))

    with pytest.raises(ClprobeError, match=rf"line {line}: NaN"):
        report_from_text(text, name="bad.json")


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "clprobe", "bench", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with an old and a new report, a snapshot beside them, and one gone wrong."""
    (tmp_path / "a.json").write_text(written(quiet()), "utf-8")
    (tmp_path / "b.json").write_text(written(quiet(2.0, gpu=NEWER)), "utf-8")
    (tmp_path / "snapshot.json").write_text('{"schema": "clprobe.snapshot/1"}', "utf-8")
    (tmp_path / "wrong").mkdir()
    wrong = changed(quiet(), "copy", status="wrong-result", median=None, ci95=None)
    (tmp_path / "wrong" / "c.json").write_text(written(wrong), "utf-8")
    return tmp_path


def test_two_files_and_their_folder_give_the_same_document(folder: Path) -> None:
    named = run(folder, "--compare", "a.json", "b.json", "--json")
    whole = run(folder, "--compare", ".", "--json", "--output", "c.json")

    assert (named.returncode, named.stderr) == (0, "")
    assert json.loads(named.stdout) == json.loads(whole.stdout)
    assert json.loads(named.stdout)["files"] == ["a.json", "b.json"]
    assert (folder / "c.json").read_text("utf-8") == whole.stdout


def test_comparing_needs_no_numpy_and_no_pyopencl(folder: Path) -> None:
    program = (
        "import sys\n"
        "for name in ('numpy', 'pyopencl', 'torch'): sys.modules[name] = None\n"
        "from clprobe.cli.main import main\n"
        "main(['bench', '--compare', 'a.json', 'b.json'])\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "Faster" in done.stdout


@pytest.mark.parametrize("suffix", [".md", ".html"])
def test_the_comparison_is_written_to_files(folder: Path, suffix: str) -> None:
    done = run(folder, "--compare", "a.json", "b.json", "--output", f"out{suffix}")

    assert done.returncode == 0, done.stderr
    assert "Faster" in done.stdout
    assert "Faster" in (folder / f"out{suffix}").read_text("utf-8")


def test_results_that_became_wrong_are_status_1(folder: Path) -> None:
    assert run(folder, "--compare", "a.json", "wrong/c.json").returncode == 1
    assert run(folder, "--compare", "wrong/c.json", "a.json").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.json", "b.json"], "a.json is read only by --compare"),
        (["--compare"], "--compare needs files"),
        (["--compare", "a.json"], "needs two reports or more, there is: a.json"),
        (["--compare", "wrong"], "there is: wrong/c.json"),
        (["--compare", "a.json", "none.json"], "none.json: No such file or directory"),
        (["--compare", "a.json", "snapshot.json"], "the schema 'clprobe.snapshot/1'"),
        (["--compare", "a.json", "b.json", "--quick"], "--compare measures nothing"),
        (["--compare", "a.json", "latin.json"], "latin.json: line 2 holds the byte 0xe9"),
    ],
)
def test_misuse_is_explained_with_status_2(folder: Path, arguments: list[str], said: str) -> None:
    (folder / "latin.json").write_bytes(b'{\n"name": "caf\xe9"}')

    done = run(folder, *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_damaged_file_in_a_folder_is_not_passed_over(folder: Path) -> None:
    (folder / "d.json").write_text(GOOD[:-20], "utf-8")

    done = run(folder, "--compare", ".")

    assert done.returncode == 2
    assert "d.json is no JSON document" in done.stderr
