# SPDX-License-Identifier: MIT
"""`clprobe doctor` on snapshots of many machines: one table, in every format, and never halfway."""

import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import junitparser
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from sarif_pydantic import Sarif
from varied import write_fleet

from clprobe.cli.fleet.workers import Workers
from clprobe.cli.main import cli
from clprobe.report.schemas import published

MACHINES = 6
FORMS = ("html", "markdown", "junit", "sarif")
LSPCI = "$ lspci -nn\n00:02.0 VGA compatible controller [0300]: Intel HD Graphics 620 [8086:5916]\n"
FINE = {"schema": "clprobe.snapshot/1", "clprobe": "0.1.0", "gpus": [], "device_nodes": []}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with some machines, a damaged snapshot and a text."""
    folder = tmp_path_factory.mktemp("fleet")
    write_fleet(folder, MACHINES)
    (folder / "damaged.json").write_text('{"schema": "clprobe.snapshot/1", "gpus": [')
    (folder / "README.txt").write_text("The snapshots of our machines.\n")
    return folder


def _run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["doctor", *map(str, words)], standalone_mode=False)


def _document(*words: object) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(_run(*words, "--json").stdout)
    return {**document, "elapsed_ms": 0}


def test_a_folder_of_snapshots_is_summed_up_as_its_schema_says(fleet: Path) -> None:
    document = _document(fleet)

    Draft202012Validator(published()["clprobe.fleet/1"]).validate(document)
    assert document["machines"] == MACHINES == sum(document["statuses"].values())
    assert [one["name"] for one in document["hosts"]] == [
        f"machine-{number:05}.json" for number in range(MACHINES)
    ]
    assert sum(one["machines"] for one in document["causes"]) <= MACHINES
    assert document["folder"] == str(fleet)


def test_each_machine_has_the_status_and_cause_that_doctor_alone_finds(fleet: Path) -> None:
    for host in _document(fleet)["hosts"]:
        alone = _document(fleet / host["name"])
        assert host["status"] == alone["status"]
        if not host["suspected"]:
            assert host["cause"] == alone["root_cause"]


def test_a_damaged_snapshot_is_named_and_skipped_and_a_text_left_out(fleet: Path) -> None:
    skipped = {one["name"]: one["damaged"] for one in _document(fleet)["skipped"]}
    assert skipped == {"README.txt": False, "damaged.json": True}
    text = _run(fleet).stdout
    assert "1 damaged and skipped" in text
    assert "damaged.json: it is neither JSON" in text


def test_a_pattern_is_read_as_the_folder_is(fleet: Path) -> None:
    by_pattern = _document("--from", fleet / "machine-*.json")
    assert by_pattern["hosts"] == _document(fleet)["hosts"]
    assert by_pattern["skipped"] == []


def test_all_formats_tell_every_machine_with_a_problem(fleet: Path) -> None:
    wrong = [one for one in _document(fleet)["hosts"] if one["worst"] == "error"]
    assert wrong
    brief, page, post, junit, sarif = (
        _run(fleet, *words).stdout for words in (["-q"], *(["--format", form] for form in FORMS))
    )
    HTMLParser().feed(page)
    Sarif.model_validate_json(sarif)
    suite = next(iter(junitparser.JUnitXml.fromstring(junit)))
    assert (suite.tests, suite.failures, suite.errors) == (MACHINES + 1, len(wrong), 1)
    for one in wrong:
        assert f"{one['name']}: problems {one['cause']}" in brief
        for text in (page, post, junit, sarif):
            assert one["cause"] in text
        assert all(one["name"] in text for text in (page, junit, sarif))


def test_the_exit_status_is_that_of_the_worst_machine(tmp_path: Path) -> None:
    good = {**FINE, "icds": [], "loaders": []}
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(good))
    status = _run(tmp_path / "a.json").return_value
    assert _run(tmp_path).return_value == status
    assert _run(tmp_path, "--exit-zero").return_value == 0
    checked = _run(tmp_path, "--check")
    assert (checked.stdout, checked.return_value) == ("", status)


def test_a_damaged_snapshot_beside_healthy_ones_leaves_it_open(tmp_path: Path) -> None:
    healthy = next((Path(__file__).parents[1] / "healthy").glob("*.json")).read_text("utf-8")
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(healthy)
    assert _run(tmp_path).return_value == 0
    (tmp_path / "c.json").write_text("")
    assert _run(tmp_path).return_value == 3


def test_one_snapshot_with_texts_is_still_one_report(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text(json.dumps(FINE))
    (tmp_path / "lspci.txt").write_text(LSPCI)
    assert _document(tmp_path)["schema"] == "clprobe.doctor/1"
    assert _document("--from", tmp_path / "*")["schema"] == "clprobe.doctor/1"


def test_names_from_outside_make_no_lines_and_steer_no_terminal(tmp_path: Path) -> None:
    hostile = "\x1b[31mx\n9 (90 %)  all is well\u202e<b>"
    icd = {"path": f"/etc/OpenCL/vendors/{hostile}.icd", "library_name": hostile,
           "answer": {"stage": "load", "outcome": "crash", "signal": "SIGABRT"}}  # fmt: skip
    gpu = {"pci_address": "0000:00:02.0", "name": hostile}
    for name in ("a", "b\n"):
        facts = {**FINE, "icds": [icd], "gpus": [gpu]}
        (tmp_path / f"{name}.json").write_text(json.dumps(facts))
    for words in ([], ["-q"], ["-v"], *(["--format", form] for form in FORMS), ["--json"]):
        told = _run(tmp_path, *words).stdout
        assert told
        assert not set(told) & set("\x1b\u202e")
        if words[-1:] in (["html"], ["junit"]):  # where line ends are blanks
            assert "<b>" not in told
        else:
            assert not any(line.startswith("9 (90 %)") for line in told.splitlines()), words


def test_a_pattern_that_fits_nothing_says_so(tmp_path: Path) -> None:
    result = _run("--from", tmp_path / "*.json")
    assert "holds no file" in str(result.exception)


@pytest.mark.parametrize(
    "option", [("--log", "gpu"), ("--device", "gpu"), ("--why", "no-gpu"), ("--baseline", "a.json")]
)
def test_what_is_asked_of_one_machine_is_refused(fleet: Path, option: tuple[str, str]) -> None:
    result = _run(fleet, *option)
    assert f"{option[0]} is about one machine" in str(result.exception)


def test_ignored_findings_count_on_no_machine(fleet: Path) -> None:
    first = next(one["id"] for one in _document(fleet)["causes"] if not one["suspected"])
    assert first not in {one["id"] for one in _document(fleet, "--ignore", first)["causes"]}


def test_several_processes_give_what_one_gives_and_a_dead_one_loses_one_file() -> None:
    program = (
        "import os\n"
        "from pathlib import Path\n"
        "from clprobe.cli.fleet.workers import Workers\n"
        "os.sched_getaffinity = lambda _: {0, 1}\n"
        "me, paths = os.getpid(), [Path(str(number)) for number in range(300)]\n"
        "def work(path):\n"
        "    if path.name == '120' and os.getpid() != me:\n"
        "        os._exit(9)\n"
        "    return path.name, os.getpid()\n"
        "results = list(Workers(work, lambda path: ('lost', me)).results(paths))\n"
        "names = [name for name, _ in results]\n"
        "assert names == [str(n) if n != 120 else 'lost' for n in range(300)], names\n"
        "assert len({pid for _, pid in results}) == 3\n"
    )
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)


def test_where_no_process_may_start_one_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(Workers, "_start", refused)
    paths = [Path(str(number)) for number in range(300)]
    assert list(Workers(str, str).results(paths)) == [str(path) for path in paths]
