# SPDX-License-Identifier: MIT
"""What a device could do, what it reaches of that, and what holds it back."""

import msgspec
import pytest

from clprobe.bench.peaks import peak_of
from clprobe.bench.summary import best_known, crossovers, limit_of, under_roofs
from clprobe.bench.theoretical import by_data_sheet, cpu_peak, gpu_peak, theoretical_peak
from clprobe.bench.where import Where, disguise, ran_on, watch
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import DeviceReport
from clprobe.model.measurement import BenchVerdict, Peak, Result

UNKNOWN = {**dict.fromkeys(DeviceReport.__struct_fields__), "called": ()}


def device(**known: object) -> DeviceReport:
    return DeviceReport(**{**UNKNOWN, "index": 0, **known})


def result(**fields: object) -> Result:
    usual = {
        "device": "GPU",
        "workload": "matmul-512",
        "metric": "throughput",
        "unit": "GFLOP/s",
        "median": 100.0,
        "ci95": (90.0, 110.0),
        "samples": 9,
        "status": "ok",
    }
    return Result(**{**usual, **fields})


def test_a_gpu_of_the_tables_has_a_theoretical_peak_and_says_how() -> None:
    # HD Graphics 620: 24 EUs of Gen9.5, 16 operations per clock each.
    seen = device(type="gpu", pci_id="8086:5916", compute_units=24, max_clock_mhz=1000)

    found = theoretical_peak(seen, Tables.load())

    assert found.gflops == pytest.approx(384)
    assert found.how.startswith("24 EUs × 16 FLOP per clock × 1000 MHz")
    assert "clprobe explain Gen9" in found.how


def test_an_nvidia_gpu_has_the_peak_of_its_multiprocessors_and_says_how() -> None:
    # NVIDIA states 66.9 TFLOP/s of the H200 in its SXM form.
    found = peak_of((9, 0), 132, 1980)
    peaks = (Peak(device="GPU", unit="GFLOP/s", measured=5e4, how="measured."),)

    (shown,) = by_data_sheet(peaks, found)

    assert shown.theoretical == pytest.approx(66_900, rel=1e-3)
    assert shown.measured == 5e4
    assert shown.how == (
        "132 multiprocessors × 128 cores (compute capability 9.0) × 2 FLOP × 1980 MHz. measured."
    )


@pytest.mark.parametrize(
    "known", [((99, 0), 132, 1980), ((9, 0), 0, 1980), ((9, 0), 132, 0)], ids=str
)
def test_what_is_not_known_of_an_nvidia_gpu_is_not_guessed(
    known: tuple[tuple[int, int], int, int],
) -> None:
    peaks = (Peak(device="GPU", unit="GFLOP/s", measured=5e4),)

    assert peak_of(*known) is None
    assert by_data_sheet(peaks, peak_of(*known)) == peaks


def test_a_gpu_in_no_table_has_no_theoretical_peak() -> None:
    seen = device(type="gpu", pci_id="10de:2335", compute_units=132, max_clock_mhz=1980)

    assert theoretical_peak(seen, Tables.load()) is None
    assert gpu_peak(seen, None, None) is None


def cpuinfo(flags: str, cores: int, threads: int = 1) -> str:
    blocks = [
        f"processor\t: {number}\ncpu MHz\t\t: 2000.000\nphysical id\t: 0\n"
        f"core id\t\t: {number // threads}\nflags\t\t: {flags}\n"
        for number in range(cores * threads)
    ]
    return "\n".join(blocks)


@pytest.mark.parametrize(
    ("flags", "gflops"),
    [
        ("sse2 avx fma avx2", 4 * 8 * 2 * 2 * 3),
        ("sse2 avx fma avx2 avx512f", 4 * 16 * 2 * 2 * 3),
        ("sse2 avx", 4 * 8 * 1 * 1 * 3),
        ("sse2", 4 * 4 * 1 * 1 * 3),
    ],
)
def test_a_cpu_multiplies_cores_vectors_and_clock(flags: str, gflops: float) -> None:
    assert cpu_peak(cpuinfo(flags, 4), 3000).gflops == pytest.approx(gflops)


def test_two_threads_of_a_core_are_one_core_and_the_clock_may_come_from_cpuinfo() -> None:
    assert cpu_peak(cpuinfo("avx2 fma", 4, threads=2), None).how.startswith(
        "4 cores × 8 floats (fma) × 2 vector units × 2 FLOP × 2000 MHz"
    )


def test_a_cpu_that_tells_nothing_has_no_peak() -> None:
    assert cpu_peak("", 3000) is None
    assert cpu_peak("processor : 0\nflags : unknown\n", 3000) is None


def test_shares_are_of_the_peak_in_the_same_unit() -> None:
    peaks = [
        Peak(device="GPU", unit="GFLOP/s", theoretical=400.0, measured=200.0),
        Peak(device="GPU", unit="GB/s", measured=20.0),
        Peak(device="other", unit="GFLOP/s", measured=1.0),
    ]

    (shown,) = under_roofs([result(intensity=100.0)], peaks)

    assert (shown.fraction_of_peak, shown.fraction_of_theoretical) == (0.5, 0.25)
    assert (shown.measured_peak, shown.theoretical_peak) == (200.0, 400.0)
    assert shown.limited_by == "arithmetic"


def test_a_workload_above_the_measured_peak_is_the_peak() -> None:
    peaks = best_known([result(median=300.0)], [Peak(device="GPU", unit="GFLOP/s", measured=200.0)])

    assert peaks[0].measured == 300
    (shown,) = under_roofs([result(median=300.0)], peaks)
    assert shown.fraction_of_peak == 1


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"metric": "latency", "unit": "µs"}, "launch"),
        ({"launch_ms": 3.0, "wall_ms": 4.0, "intensity": 100.0}, "launch"),
        ({"launch_ms": 1.0, "wall_ms": 4.0, "intensity": 100.0}, "arithmetic"),
        ({"launch_ms": 1.0, "wall_ms": 4.0, "intensity": 5.0}, "bandwidth"),
        ({"transfer_ms": 2.5, "wall_ms": 4.0, "launch_ms": 3.0, "batch": 64}, "transfer"),
        ({"transfer_ms": 1.5, "wall_ms": 4.0, "launch_ms": 3.0, "batch": 64}, "launch"),
        ({"transfer_ms": 5.0, "wall_ms": 4.0, "intensity": 100.0}, "arithmetic"),
        ({"metric": "bandwidth", "unit": "GB/s"}, "bandwidth"),
        ({"intensity": None}, None),
        ({"intensity": 5.0, "status": "wrong-result", "median": None}, None),
    ],
)
def test_what_limits_follows_from_time_and_roofs(
    fields: dict[str, object], limit: str | None
) -> None:
    assert limit_of(result(**fields), 200.0, 20.0) == limit


def test_without_peaks_nothing_is_said_of_memory_and_arithmetic() -> None:
    assert limit_of(result(intensity=5.0), None, 20.0) is None


def judged(decisions: dict[int, str]) -> tuple[list[Result], list[BenchVerdict]]:
    results, verdicts = [], []
    for batch, decision in decisions.items():
        workload = "train-cnn" if batch == 64 else f"step-cnn-{batch}"
        results.append(result(workload=workload, batch=batch, unit="samples/s"))
        verdicts.append(
            BenchVerdict(
                workload=workload,
                device="GPU",
                ratio=None if decision == "refused" else 1.0,
                ci95=None,
                decision=decision,
                text="",
            )
        )
    return results, verdicts


@pytest.mark.parametrize(
    ("decisions", "batch", "words"),
    [
        ({64: "device", 1: "cpu", 256: "device"}, 64, "wins from batch 64 on"),
        ({1: "device", 64: "device"}, 1, "wins at every batch size"),
        ({1: "cpu", 64: "no-difference"}, None, "wins at no batch size"),
        ({1: "device", 16: "device", 64: "cpu"}, None, "wins only at batch 1 and 16"),
        ({1: "cpu", 64: "device", 256: "no-difference"}, None, "wins only at batch 64"),
        ({1: "device", 64: "cpu", 256: "device"}, 256, "wins from batch 256 on"),
    ],
)
def test_the_crossover_is_where_the_device_wins_for_good(
    decisions: dict[int, str], batch: int | None, words: str
) -> None:
    (found,) = crossovers(*judged(decisions))

    assert (found.device, found.model, found.batch) == ("GPU", "cnn", batch)
    assert words in found.text


def test_one_batch_size_has_no_crossover_and_wrong_ones_do_not_count() -> None:
    assert crossovers(*judged({1: "device", 64: "refused"})) == ()


@pytest.mark.parametrize(
    ("cores", "engines", "is_cpu", "where"),
    [
        (1.9, None, True, "cpu"),
        (1.9, None, False, "cpu"),
        (1.9, 0.9, False, "device"),
        (1.0, None, False, "unknown"),
        (0.1, None, False, "device"),
        (0.1, 0.0, False, "device"),
    ],
)
def test_busy_processors_and_engines_tell_where_work_ran(
    cores: float, engines: float | None, is_cpu: bool, where: str
) -> None:
    assert ran_on(cores, engines, is_cpu=is_cpu) == where


@pytest.mark.parametrize("name", ["llvmpipe (LLVM 15.0.6, 256 bits)", "pthread-AMD EPYC"])
def test_software_that_calls_itself_a_gpu_is_unmasked_by_its_name(name: str) -> None:
    assert name in disguise(name, None, is_cpu=False)
    assert disguise(name, None, is_cpu=True) is None


def test_a_gpu_whose_work_the_cpu_does_is_unmasked() -> None:
    assert "the CPU does its work: 1.9 processors" in disguise(
        "GeForce", Where(1.9, "cpu"), is_cpu=False
    )
    assert disguise("GeForce", Where(1.0, "unknown"), is_cpu=False) is None


def test_work_of_this_process_is_seen() -> None:
    def compute() -> None:
        sum(range(300_000))

    found = watch(compute, is_cpu=False)

    assert found.cores > 0
    assert 0 < found.cpu_share <= 1


def test_results_with_roofs_can_be_written() -> None:
    assert msgspec.json.encode(under_roofs([result()], []))
