# SPDX-License-Identifier: MIT
"""Figures that no hardware of the kind reaches are refused with the reason, honest ones never."""

from pathlib import Path

import pytest
from invented_reports import CPU, GPU, full_report
from msgspec.structs import replace

from clprobe.bench.bounds import MARGIN
from clprobe.bench.nets import CNN, MLP, RESNET, WINOGRAD, step_cost
from clprobe.bench.peaks import peak_of
from clprobe.bench.protocol import Outcome
from clprobe.bench.run import Measured, Options
from clprobe.bench.summary import summarise
from clprobe.bench.theoretical import bound_of_cpu, cpu_peak, gpu_peak
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import DeviceReport
from clprobe.model.measurement import BenchReport, Peak, Result
from clprobe.model.system import System

UNKNOWN = {**dict.fromkeys(DeviceReport.__struct_fields__), "called": ()}
BOUND = 403.2
PEAKS = (
    Peak(device=GPU, unit="GFLOP/s", bound=BOUND, bound_how="24 EUs × 16 × 1050 MHz"),
    Peak(device=GPU, unit="GB/s", bound=34.1, bound_how="2 channels × 8 bytes × 2133 MT/s"),
    Peak(device=CPU, unit="GFLOP/s", bound=400.0, bound_how="4 cores × 8 × 2 × 2 × 3100 MHz"),
)


def summary(changed: str, times: float, *, device: str = GPU, peaks=PEAKS) -> BenchReport:
    """Return the invented report as bench makes it, one figure so many times as high."""
    full = full_report()
    work = {"mlp": MLP.least_gflop(), "cnn": CNN.least_gflop()}

    def planted(one: Result) -> Result:
        if one.batch is not None:
            one = replace(one, gflop_per_sample=work[one.workload.split("-")[1]])
        if (one.device, one.workload) != (device, changed):
            return one
        return replace(one, median=times * (one.median or 0.0))

    pairs = zip(full.results[::2], full.results[1::2], full.verdicts, strict=True)
    outcomes = [
        Outcome(
            results=(planted(own), planted(other)),
            verdict=replace(verdict, against=CPU),
            training=next(
                (one for one in full.training if verdict.workload == f"train-{one.model}"), None
            ),
        )
        for own, other, verdict in pairs
    ]
    contestants = {one.name: one for one in full.contestants}
    measured = Measured(outcomes=outcomes, contestants=contestants, peaks=list(peaks))
    options = Options(workloads=(), effort="default", baseline="torch")
    return summarise(measured, System(), options)


def refused(report: BenchReport) -> list[str]:
    return [one.workload for one in report.results if one.status == "error"]


@pytest.mark.parametrize(
    ("workload", "times"),
    [
        ("matmul-256", 10),  # a clock that runs ten times too slow
        ("matmul-1024", 2),  # half the work
        ("conv-forward-16x64x28", 20),  # done too early
        ("copy", 10),  # a copy that is kept
        ("train-mlp", 1000),  # kernels left out
        ("step-cnn-1024", 1000),
    ],
)
def test_an_impossible_figure_is_refused_and_says_why(workload: str, times: float) -> None:
    report = summary(workload, times)

    assert refused(report) == [workload]
    (own,) = (one for one in report.results if one.status == "error")
    (verdict,) = (one for one in report.verdicts if one.workload == workload)
    assert (own.median, own.ci95, own.samples) == (None, None, 0)
    assert own.bound is not None
    assert "times the" in own.detail
    assert "at most (24 EUs" in own.detail or "2133 MT/s" in own.detail
    assert (verdict.decision, verdict.ratio) == ("unclear", None)
    assert "its times cannot be right" in verdict.text
    if workload == "train-mlp":
        assert [one.status for one in report.training] == ["error", "ok"]


def test_an_impossible_figure_of_the_cpu_makes_the_verdict_unclear() -> None:
    report = summary("matmul-256", 10, device=CPU)

    (verdict,) = (one for one in report.verdicts if one.workload == "matmul-256")
    assert verdict.decision == "unclear"
    assert verdict.text.startswith(f"No verdict on matmul-256: the figure of {CPU} is refused, as ")


def test_honest_figures_stand_beside_their_bounds() -> None:
    report = summary("", 1)

    assert refused(report) == []
    own = {one.workload: one for one in report.results if one.device == GPU}
    assert own["matmul-256"].bound == BOUND
    assert own["conv-forward-16x64x28"].bound == WINOGRAD * BOUND
    assert own["copy"].bound == 34.1
    assert own["train-mlp"].bound == pytest.approx(BOUND / MLP.least_gflop())


@pytest.mark.parametrize(("times", "is_refused"), [(MARGIN * 0.999, False), (MARGIN * 1.001, True)])
def test_what_clocks_are_rounded_by_is_allowed(times: float, is_refused: bool) -> None:
    at_bound = BOUND / 214.0

    assert bool(refused(summary("matmul-1024", at_bound * times))) == is_refused


def test_without_bounds_nothing_is_refused() -> None:
    assert refused(summary("matmul-1024", 1e6, peaks=())) == []


@pytest.mark.parametrize("net", [MLP, CNN, RESNET], ids=lambda net: net.name)
def test_the_least_work_is_less_than_the_definitions(net) -> None:
    whole = step_cost(net.layers, 1, 1, 8)[0] / 1e9

    assert whole / 6 < net.least_gflop() < whole
    assert (net.least_gflop() > whole / 2) == (net is MLP)


def cpuinfo(flags: str) -> str:
    return f"processor\t: 0\ncpu MHz\t\t: 2000.000\nflags\t\t: {flags}\n"


@pytest.mark.parametrize(
    ("flags", "clock", "knows", "bound"),
    [
        ("avx2 fma", 4000, True, 8 * 2 * 2 * 4),
        # A base clock is no bound: no processor's clock is above 6500 MHz.
        ("avx2 fma", 4000, False, 8 * 2 * 2 * 6.5),
        ("avx2 fma", None, False, 8 * 2 * 2 * 6.5),
        ("avx", 4000, True, 8 * 2 * 1 * 4),
        ("asimd", 3000, True, 4 * 4 * 2 * 3),
        ("asimd sve", 3000, True, None),
    ],
)
def test_a_cpus_bound_holds_on_every_cpu_of_its_kind(
    flags: str, clock: float | None, knows: bool, bound: float | None
) -> None:
    found = cpu_peak(cpuinfo(flags), clock, knows_boost=knows)

    assert found is not None
    assert found.bound == (None if bound is None else pytest.approx(bound))


@pytest.mark.parametrize(("called", "bound"), [("compute-runtime", 384), ("rusticl", None)])
def test_a_gpus_bound_needs_a_driver_that_states_its_clock(called: str, bound) -> None:
    tables = Tables.load()
    seen = {"type": "gpu", "pci_id": "8086:5916", "compute_units": 23, "max_clock_mhz": 1000}
    device = DeviceReport(**{**UNKNOWN, "index": 0, **seen, "called": (called,)})
    entry = tables.gpu("8086:5916")

    found = gpu_peak(device, entry, tables.generation(entry.generation))

    # The chip without flaws has 24.
    assert found is not None
    assert (found.gflops, found.bound) == (368, bound)


def test_an_nvidia_gpus_bound_is_its_data_sheet() -> None:
    found = peak_of((9, 0), 132, 1980)

    assert found is not None
    assert found.bound == found.gflops


def test_libraries_on_this_cpu_have_its_bound_as_far_as_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text(cpuinfo("avx2 fma"))

    (peak,) = bound_of_cpu("NumPy", tmp_path)

    assert (peak.device, peak.measured, peak.bound) == ("NumPy", None, pytest.approx(208))
    assert bound_of_cpu("NumPy", tmp_path / "nowhere") == ()
