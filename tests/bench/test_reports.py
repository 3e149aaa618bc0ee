# SPDX-License-Identifier: MIT
"""One report in text, Markdown and HTML."""

import math
import re
from html.parser import HTMLParser

import msgspec
import pytest
from invented_reports import full_report

from clprobe import __version__
from clprobe.model.measurement import BenchReport, BenchVerdict, Decision, Result, Training
from clprobe.report.bench.html import bench_html
from clprobe.report.bench.markdown import bench_markdown
from clprobe.report.bench.text import bench_text, ratio_bar
from clprobe.report.bench.words import Judged, conclusions
from clprobe.report.terminal import make_console

GPU = "0: GPU | <b>fast</b>, a name that its vendor made very much longer than any terminal"


def report(**host: str | int | None) -> BenchReport:
    return BenchReport(
        host={"cpu": "Invented CPU", **host},
        baseline="torch",
        results=(
            result("conv-weight-grad-16x128x28", 1200.0, "GFLOP/s"),
            result("launch", 50.0, "µs", metric="latency"),
            result("copy", None, "GB/s", status="wrong-result"),
        ),
        training=(
            Training(
                device=GPU,
                model="mlp",
                loss=(2.5, 0.1),
                accuracy=0.97,
                samples_per_second=5e4,
                matches_reference=True,
            ),
        ),
        verdicts=(
            verdict("conv-weight-grad-16x128x28", 4.0, "device"),
            verdict("launch", 0.1, "cpu"),
            verdict("copy", None, "refused"),
        ),
    )


def result(
    workload: str,
    median: float | None,
    unit: str,
    *,
    metric: str = "throughput",
    status: str = "ok",
) -> Result:
    return Result(
        device=GPU,
        workload=workload,
        metric=metric,
        unit=unit,
        median=median,
        ci95=None if median is None else (median * 0.9, median * 1.1),
        samples=0 if median is None else 20,
        status=status,
    )


def verdict(workload: str, ratio: float | None, decision: str) -> BenchVerdict:
    return BenchVerdict(
        workload=workload,
        device=GPU,
        ratio=ratio,
        ci95=None if ratio is None else (ratio * 0.9, ratio * 1.1),
        decision=decision,
        text=f"A sentence on {workload}.",
    )


def compared(*ratios: tuple[str, float | None]) -> list[Judged]:
    """Return workloads with these ratios; None is one that makes no difference."""
    return [
        (
            verdict(
                workload,
                ratio or 1.0,
                "no-difference" if ratio is None else "device" if ratio > 1 else "cpu",
            ),
            result(workload, 1.0, "GB/s"),
        )
        for workload, ratio in ratios
    ]


def said_of(judged: list[Judged]) -> list[tuple[Decision, str]]:
    return list(conclusions(judged, "torch"))


def text_of(shown: BenchReport, **options: bool) -> str:
    console = make_console("never", width=80)
    with console.capture() as capture:
        console.print(bench_text(shown, **options))
    return capture.get()


def test_the_text_fits_80_columns_and_shows_both_sides() -> None:
    text = text_of(report())

    assert max(map(len, text.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "workload device torch unit slow│fast verdict" in lines
    assert "conv-weight-grad-16x128x28 1200 300 GFLOP/s │██ 4.0× faster" in lines
    assert "launch 50.0 5.00 µs cost of starting" in lines
    assert "copy wrong result" in lines


def test_the_conclusions_gather_the_workloads_training_first() -> None:
    shown = compared(("matmul-64", 1.5), ("copy", 1.04), ("train-cnn", 2.0), ("conv", 0.05))

    assert said_of(shown) == [
        (
            "device",
            "Use it for train-cnn (2.0× as fast as torch), matmul-64 (1.5×) and copy (1.04×).",
        ),
        ("cpu", "Use torch for conv (20× as fast)."),
    ]


def test_what_makes_no_difference_is_one_sentence() -> None:
    assert said_of(compared(("copy", None), ("conv", None))) == [
        ("no-difference", "The same for copy (±11 %) and conv (±11 %).")
    ]


def test_the_same_problem_is_said_once_for_all_workloads() -> None:
    problem = "not run, as matmul-64 failed before."
    judged = [
        (
            verdict(workload, None, "refused"),
            msgspec.structs.replace(result(workload, None, "", status=status), detail=detail),
        )
        for workload, status, detail in (
            ("matmul-64", "error", "the driver crashed: Segmentation fault.\nmore"),
            ("conv", "skipped", problem),
            ("train-mlp", "skipped", problem),
        )
    ]

    assert list(conclusions(judged, "numpy")) == [
        ("refused", "Do not use it for matmul-64: the driver crashed: Segmentation fault."),
        ("refused", f"No verdict on conv and train-mlp: {problem}"),
    ]


def test_a_device_that_does_not_open_is_no_workload() -> None:
    stage = "opening the device"
    failed = msgspec.structs.replace(
        result(stage, None, "", metric="", status="error"), detail="out of resources."
    )

    assert list(conclusions([(verdict(stage, None, "refused"), failed)], "numpy")) == [
        ("refused", "Opening the device failed: out of resources.")
    ]


def test_batch_sizes_that_end_alike_are_one_clause() -> None:
    judged = [
        (
            verdict(workload, ratio, "device" if ratio > 1 else "cpu"),
            msgspec.structs.replace(result(workload, 1.0, "samples/s"), batch=batch),
        )
        for workload, batch, ratio in (
            ("train-cnn", 64, 1.5),
            ("step-cnn-1", 1, 0.25),
            ("step-cnn-256", 256, 3.0),
        )
    ]

    assert said_of(judged) == [
        ("device", "Use it for training cnn at batch 64 and 256 (1.5× to 3.0× as fast as torch)."),
        ("cpu", "Use torch for step-cnn-1 (4.0× as fast)."),
    ]


@pytest.mark.parametrize(
    ("ratio", "bar", "plain"),
    [
        (1.0, "    │    ", "    |    "),
        (4.0, "    │██  ", "    |##  "),
        (1 / 4, "  ██│    ", "  ##|    "),
        (1.5, "    │▌   ", "    |-   "),
        (1 / 1000, "████│    ", "####|    "),
    ],
)
def test_a_bar_goes_from_equal_speed_to_the_winner(ratio: float, bar: str, plain: str) -> None:
    share = min(max(0.5 + math.log(ratio, 16) / 2, 0), 1)

    assert ratio_bar(share, plain=False) == bar
    assert ratio_bar(share, plain=True) == plain


def test_bars_give_way_to_long_names() -> None:
    name = "train-" + "mymodule.submodule:Net"
    wide = msgspec.json.encode(report()).replace(b"conv-weight-grad-16x128x28", name.encode() * 2)

    text = text_of(msgspec.json.decode(wide, type=BenchReport))

    assert "slow│fast" not in text
    assert "4.0× faster" in text


def test_crossovers_and_warnings_are_in_every_form() -> None:
    full = full_report(interrupted=True)

    for shown in (text_of(full), bench_markdown(full), bench_html(full)):
        words = " ".join(shown.split())
        assert "On cnn the device wins from batch 64 on." in words
        assert "The clock fell by 13 % while measuring." in words
        assert "Bench was interrupted" in words
        assert "torch xpu took no part: this torch was built without XPU." in words


def test_what_other_programs_meet_on_a_device_is_in_every_form() -> None:
    full = full_report()
    said = "it computes for clprobe alone"
    own = msgspec.structs.replace(full.contestants[0], status="ok", detail=said)
    told = msgspec.structs.replace(full, contestants=(own, *full.contestants[1:]))

    for shown in (text_of(told), bench_markdown(told), bench_html(told)):
        assert said in " ".join(shown.split())


def test_what_was_left_out_of_a_net_is_said_once_in_every_form() -> None:
    said = "Net was trained with dropout off: no two sides draw alike."
    report = full_report()
    results = tuple(msgspec.structs.replace(one, remark=said) for one in report.results)
    report = msgspec.structs.replace(report, results=results)
    shown = " ".join(text_of(report, plain=True).split())
    for text in (shown, bench_markdown(report), bench_html(report)):
        assert text.count(said) == 1


def test_who_loses_learns_what_holds_the_device_back() -> None:
    judged = [
        (verdict, msgspec.structs.replace(own, limited_by="launch"))
        for verdict, own in compared(("matmul-64", 0.5), ("copy", 2.0))
    ]

    assert said_of(judged) == [
        ("device", "Use it for copy (2.0× as fast as torch)."),
        (
            "cpu",
            "Use torch for matmul-64 (2.0× as fast, limited by launches).",
        ),
    ]


def test_a_verdict_whose_result_is_absent_is_passed_over() -> None:
    torn = msgspec.structs.replace(report(), results=report().results[1:])

    assert "4.0× faster" not in text_of(torn)
    assert "cost of starting" in text_of(torn)


def test_launch_is_a_price_and_not_a_race() -> None:
    judged = [(verdict("launch", 0.1, "cpu"), result("launch", 50.0, "µs", metric="latency"))]

    assert list(conclusions(judged, "numpy")) == [("cpu", "A sentence on launch.")]


def test_a_plain_terminal_gets_ascii_only() -> None:
    assert text_of(report(), plain=True).isascii()


def test_a_device_name_cannot_steer_the_terminal() -> None:
    evil = msgspec.json.encode(report()).replace(b"GPU", rb"GPU\u001b[2J\u202e")

    text = text_of(msgspec.json.decode(evil, type=BenchReport))

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[2J" in text


def test_a_training_without_a_loss_is_still_a_report() -> None:
    """Documents of others may leave out what ours have."""
    lossless = msgspec.structs.replace(
        report(), training=(msgspec.structs.replace(report().training[0], loss=()),)
    )

    assert "4.0× faster" in text_of(lossless)
    assert "<h1>" in bench_html(lossless)


def test_nothing_measured_is_said() -> None:
    nothing = BenchReport(host={}, baseline="torch", results=(), training=(), verdicts=())

    assert text_of(nothing) == "Nothing was measured.\n"


@pytest.mark.parametrize(("percent", "warned"), [(None, False), (5, False), (60, True)])
def test_other_programs_are_mentioned_when_they_disturb(percent: int | None, warned: bool) -> None:
    text = text_of(report(other_load_percent=percent))

    assert ("Other programs used" in " ".join(text.split())) == warned


def test_markdown_cells_cannot_be_ended_by_a_device_name() -> None:
    text = bench_markdown(report())

    assert "## 0: GPU \\| \\<b\\>fast" in text
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in tables} == {7}


def test_html_is_one_balanced_page_without_foreign_tags() -> None:
    page = Tags()

    page.feed(bench_html(report()))

    assert page.open == []
    assert not page.seen & {"b", "script", "link", "img"}
    assert "svg" in page.seen


class Tags(HTMLParser):
    """Notes which tags a page uses, and which it leaves open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_form_begins_with_the_answer_the_facts_and_three_tiles() -> None:
    full = full_report()
    facts = f"clprobe {__version__} · 2026-11-27"
    for shown in (text_of(full), bench_markdown(full), bench_html(full)):
        words = " ".join(re.sub("[*|]", " ", shown).split())
        told = words[words.index(full.headline) :]
        places = [
            told.index(one)
            for one in (full.headline, facts, "train mlp", "2.3× to 4.8× slower", "1.4× faster")
        ]
        assert places == sorted(places)


def test_markdown_folds_everything_but_the_answer() -> None:
    shown = bench_markdown(full_report())

    before = shown.partition("<details>")[0]
    assert before.count("|---|") == 2
    assert shown.count("<details>") == shown.count("</details>") == 2
