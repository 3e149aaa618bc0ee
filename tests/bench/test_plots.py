# SPDX-License-Identifier: MIT
"""Axes have round marks and values stand where they belong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_reports import GPU, full_report
from msgspec.structs import replace

from clprobe.report.bench.page.batch_curves import batch_curves
from clprobe.report.bench.page.forest import Factor, forest, ratios
from clprobe.report.bench.page.plot import (
    BOTTOM,
    LEFT,
    RIGHT,
    STYLES,
    TOP,
    WIDTH,
    Scale,
    linear_scale,
    log_scale,
    marker,
    sample,
    tick_label,
)
from clprobe.report.bench.page.roofline import roofline
from clprobe.report.bench.page.time_split import time_split

_POSITIVE = st.floats(1e-9, 1e12)


@given(st.lists(_POSITIVE, min_size=1, max_size=20), st.sampled_from([2, 10]))
def test_every_value_is_inside_a_logarithmic_axis(values: list[float], base: int) -> None:
    scale = log_scale(values, 0, 100, base)

    places = [scale.at(value) for value in sorted(values)]

    assert places == sorted(places)
    assert 0 < places[0] <= places[-1] < 100


@given(_POSITIVE, st.floats(1.01, 1e6), st.sampled_from([None, 2, 10]))
def test_marks_are_few_ordered_and_on_the_axis(low: float, times: float, base: int | None) -> None:
    scale = Scale(low, low * times, 0, 100, base)

    ticks = scale.ticks()

    assert 1 <= len(ticks) <= 9
    assert ticks == sorted(set(ticks))
    assert all(low * (1 - 1e-6) <= tick <= low * times * (1 + 1e-6) for tick in ticks)


@pytest.mark.parametrize(
    ("scale", "ticks"),
    [
        (linear_scale(0, 100, 0, 1), [0, 20, 40, 60, 80, 100]),
        (linear_scale(1, 276, 0, 1), [50, 100, 150, 200, 250]),
        (Scale(0.8, 1200, 0, 1, 2), [1, 4, 16, 64, 256, 1024]),
        (Scale(3, 4e6, 0, 1, 10), [10, 100, 1e3, 1e4, 1e5, 1e6]),
        (Scale(3, 60, 0, 1, 10), [5, 10, 20, 50]),
    ],
)
def test_marks_are_round_numbers(scale: Scale, ticks: list[float]) -> None:
    assert scale.ticks() == ticks


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.5, "0.5"), (20, "20"), (1024, "1024"), (5000, "5k"), (2e6, "2M"), (1.5e9, "1.5G")],
)
def test_numbers_at_axes_are_short(value: float, said: str) -> None:
    assert tick_label(value) == said


def test_series_differ_in_more_than_their_colour() -> None:
    forms = {re.search(r'd="([^"]+)"', marker(0, 0, style))[1] for style in range(STYLES)}  # type: ignore[index]
    dashes = {re.sub(r'class="[^"]*"', "", sample(s, line=True, mark=False)) for s in range(STYLES)}

    assert len(forms) == len(dashes) == STYLES


def places(figure: str, style: int) -> list[tuple[float, float]]:
    """Return where the squares or the like of a series stand: `d` begins at their left edge."""
    found = re.findall(rf'd="M([-\d.]+),([-\d.]+)[^"]*" class="mark s{style}"', figure)
    return [(float(x), float(y)) for x, y in found]


def test_a_curve_rises_with_its_figures_and_stays_inside_the_frame() -> None:
    mlp, _ = batch_curves(full_report())
    drawn = mlp.partition("<ul")[0]

    device, cpu = (sorted(places(drawn, style)) for style in (0, 1))

    assert len(device) == len(cpu) == 6
    heights = [y for _, y in device]
    assert heights == sorted(heights, reverse=True)
    assert all(LEFT - 5 <= x <= RIGHT and TOP - 5 <= y <= BOTTOM for x, y in (*device, *cpu))
    # The CPU trains this net faster at every batch, so its marks stand higher.
    assert all(y < mine for (_, y), (_, mine) in zip(cpu, device, strict=True))


def test_the_crossover_stands_where_the_curves_cross() -> None:
    mlp, cnn = batch_curves(full_report())

    assert "from 64 on" in cnn
    assert "from" not in mlp.partition("<text")[2].partition("</svg>")[0]
    guide = float(re.search(r'd="M([\d.]+),\d+V\d+" class="guide"', cnn)[1])  # type: ignore[index]
    at_64 = sorted(places(cnn.partition("<ul")[0], 0))[3][0] + 4
    assert guide == pytest.approx(at_64, abs=0.2)


def test_one_batch_size_makes_no_curve() -> None:
    report = full_report()
    single = tuple(one for one in report.results if one.batch in (None, 64))

    assert list(batch_curves(replace(report, results=single))) == []


def test_a_roofline_says_the_share_of_what_memory_and_arithmetic_allow() -> None:
    figure = roofline(full_report(), GPU, "r")

    assert figure is not None
    # 214 of 403.2 and of 330 GFLOP/s: 170.7 FLOP per byte is right of both corners.
    assert "matmul-1024 reaches 214 GFLOP/s, 53% of the theoretical peak and 65% of" in figure
    assert "24 EUs × 16 FLOP per clock × 1050 MHz." in figure


def test_without_stated_peaks_the_best_of_the_run_is_the_roof_and_said_to_be() -> None:
    figure = roofline(full_report(peaks=()), GPU, "r")

    assert figure is not None
    assert "theoretical" not in figure
    assert "measured peak" not in figure
    assert "the best of this run, by matmul-1024." in figure
    assert "the best of this run, by copy." in figure


def test_left_of_the_corner_memory_is_the_roof() -> None:
    report = full_report()
    slow = [replace(one, intensity=1.0) for one in report.results if one.workload == "matmul-256"]

    figure = roofline(replace(report, results=tuple(slow)), GPU, "r")

    assert figure is not None
    # 92 GFLOP/s at one FLOP per byte are 2.7 times what 34.1 GB/s can bring.
    assert "270% of the theoretical peak" in figure


def test_the_parts_of_a_bar_fill_it_in_proportion() -> None:
    _, further = time_split(full_report(), GPU, "t")

    widths = [
        (kind, float(width))
        for kind, width in re.findall(r'<rect class="p(\d)"[^>]* width="([\d.]+)"', further)
    ]

    launch, kernel = widths[:2]
    assert (launch[0], kernel[0]) == ("2", "3")
    assert launch[1] / (launch[1] + kernel[1]) == pytest.approx(0.3 / 2.2, abs=0.002)
    assert launch[1] + kernel[1] == pytest.approx(WIDTH - 8, abs=0.2)


def test_unknown_times_make_no_bars() -> None:
    report = full_report()
    bare = tuple(
        replace(one, compile_ms=None, transfer_ms=None, kernel_ms=None, launch_ms=None)
        for one in report.results
    )

    assert time_split(replace(report, results=bare), GPU, "t") == []


def test_one_noisy_row_does_not_stretch_the_axis_of_ratios() -> None:
    factors = [
        Factor("calm", 2.0, (1.8, 2.2), 0, "device faster"),
        Factor("noisy", 900.0, (0.0002, 5e5), 4, "unclear"),
    ]

    drawn = forest("f", "Speed", factors, ("workload", "ratio", "95 % interval", "verdict"))

    labels = re.findall(r">([\d.k]+)×</text>", drawn.partition("<ul")[0])
    assert {"0.1", "1", "10"} <= set(labels)
    assert not {"0.001", "100", "10k"} & set(labels)
    # An arrow to either side instead of an end, no sign at a place that is not the ratio's.
    assert re.search(r"M[\d.]+,\d+l-5,4l5,4", drawn)
    assert re.search(r"M[\d.]+,\d+l5,4l-5,4", drawn)
    assert drawn.count("noisy: 900, between") == 1


def test_ratios_are_sorted_by_net_and_batch_then_by_operation() -> None:
    drawn = ratios(full_report(), GPU, "r")

    assert drawn is not None
    names = re.findall(r'<th scope="row">([^<]+)</th>', drawn)
    assert names[:4] == ["step-cnn-1", "step-cnn-4", "step-cnn-16", "train-cnn"]
    assert names[-2:] == ["matmul-256", "matmul-1024"]
