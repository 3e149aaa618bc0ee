# SPDX-License-Identifier: MIT
"""Invented bench reports: one that has everything, and ways to change it."""

import math

from clprobe.model.measurement import (
    BenchReport,
    BenchVerdict,
    Conditions,
    Contestant,
    Crossover,
    Decision,
    FrequencyMhz,
    Peak,
    Result,
    TemperatureC,
    Training,
)

GPU = "0: Intel(R) HD Graphics 620 (Intel(R) OpenCL HD Graphics 24.35.30872)"
CPU = "torch on 4 CPU threads"
SPREAD = 0.04
_BATCHES = (1, 4, 16, 64, 256, 1024)
_CASES = (
    # workload, GFLOP/s of device and CPU, FLOP per byte
    ("matmul-256", 92.0, 160.0, 42.7),
    ("matmul-1024", 214.0, 190.0, 170.7),
    ("conv-forward-16x64x28", 148.0, 150.0, 130.0),
    ("conv-weight-grad-16x64x28", 61.0, 140.0, 131.0),
)


def full_report(*, gpu: str = GPU, speed: float = 1.0, **more: object) -> BenchReport:
    """Return a report in which every field has a value; `speed` makes the device faster."""
    races = [
        *(
            _race(gpu, name, "GFLOP/s", device * speed, cpu, intensity)
            for name, device, cpu, intensity in _CASES
        ),
        _race(gpu, "copy", "GB/s", 21.0 * speed, 17.5, None),
        *(
            _race(gpu, _step(net, batch), "samples/s", *_rates(net, batch, speed), None, batch)
            for net in ("mlp", "cnn")
            for batch in _BATCHES
        ),
    ]
    fields = {
        "host": {
            "os": "Debian 12",
            "linux": "6.1.0",
            "cpu": "Intel Core i5-7200U",
            "torch": "2.13",
        },
        "baseline": "torch",
        "results": tuple(result for results, _ in races for result in results),
        "training": tuple(_training(gpu, net) for net in ("mlp", "cnn")),
        "verdicts": tuple(verdict for _, verdict in races),
        "effort": "default",
        "contestants": (
            Contestant(
                name=gpu,
                kind="opencl",
                version="24.35.30872",
                hardware="Intel(R) HD Graphics 620",
                platform="Intel(R) OpenCL HD Graphics",
                short="HD Graphics 620",
            ),
            Contestant(name=CPU, kind="torch-cpu", version="2.13.0", threads=4),
            Contestant(
                name="torch xpu",
                kind="torch-xpu",
                status="unsupported",
                detail="this torch was built without XPU.",
            ),
        ),
        "conditions": Conditions(
            other_load_percent=3,
            frequency_mhz=FrequencyMhz(start=3100, end=2700, lowest=2400),
            temperature_c=TemperatureC(start=48, end=87),
            throttled=True,
            warnings=("The clock fell by 13 % while measuring.",),
        ),
        "peaks": (
            Peak(
                device=gpu,
                unit="GFLOP/s",
                theoretical=403.2,
                measured=330.0,
                how="24 EUs × 16 FLOP per clock × 1050 MHz.",
            ),
            Peak(device=gpu, unit="GB/s", theoretical=34.1, measured=24.0, how="copy of 64 MiB."),
        ),
        "crossovers": (
            Crossover(
                device=gpu, model="cnn", batch=64, text="On cnn the device wins from batch 64 on."
            ),
            Crossover(device=gpu, model="mlp", batch=None, text="On mlp the CPU wins everywhere."),
        ),
        "headline": "Yes: train cnn on the HD Graphics 620 from batch 64 on, 1.1 to 1.4 times your "
        "CPU.",
        "best": gpu,
        "date": "2026-11-27",
    }
    return BenchReport(**{**fields, **more})


def _step(net: str, batch: int) -> str:
    return f"train-{net}" if batch == 64 else f"step-{net}-{batch}"


def _rates(net: str, batch: int, speed: float) -> tuple[float, float]:
    step_seconds = (3e-4, 6e-5) if net == "mlp" else (8e-4, 3e-4)
    per_sample = (9e-6, 4e-6) if net == "mlp" else (3.1e-5, 4.4e-5)
    device, cpu = (
        batch / (start + batch * each) for start, each in zip(step_seconds, per_sample, strict=True)
    )
    return device * speed, cpu


def _race(  # noqa: PLR0917 - one argument per fact
    gpu: str,
    workload: str,
    unit: str,
    device: float,
    cpu: float,
    intensity: float | None,
    batch: int | None = None,
) -> tuple[tuple[Result, Result], BenchVerdict]:
    shared = {
        "workload": workload,
        "metric": "bandwidth" if unit == "GB/s" else "throughput",
        "unit": unit,
        "samples": 60,
        "status": "ok",
        "batch": batch,
        "intensity": intensity,
    }
    own = Result(
        device=gpu,
        median=device,
        ci95=_around(device),
        max_error=2e-7,
        tolerance=3e-5,
        compile_ms=210.0,
        transfer_ms=3.1,
        kernel_ms=1.9,
        launch_ms=0.3,
        wall_ms=2.2,
        fraction_of_peak=0.61,
        fraction_of_theoretical=0.5,
        theoretical_peak=403.2,
        measured_peak=330.0,
        energy_per_sample_j=0.0021,
        ran_on="device",
        cpu_share=0.08,
        limited_by="bandwidth",
        **shared,
    )
    reference = Result(device=CPU, median=cpu, ci95=_around(cpu), **shared)
    return (own, reference), _verdict(gpu, workload, device / cpu)


def _verdict(gpu: str, workload: str, ratio: float) -> BenchVerdict:
    low, high = _around(ratio)
    decision: Decision = "device" if low > 1 else "cpu" if high < 1 else "no-difference"
    return BenchVerdict(
        workload=workload,
        device=gpu,
        ratio=ratio,
        ci95=(low, high),
        decision=decision,
        text=f"On {workload} the device is {ratio:.1f} times as fast as {CPU}.",
    )


def _training(gpu: str, net: str) -> Training:
    loss = tuple(2.3 * math.exp(-step / 90) + 0.02 + 0.01 * (step % 7) for step in range(550))
    return Training(
        device=gpu,
        model=net,
        loss=loss,
        accuracy=0.972,
        samples_per_second=2e4,
        matches_reference=True,
        reference_loss=tuple(one * 1.004 for one in loss),
        target_accuracy=0.95,
        epochs_to_target=9,
        seconds=1.7,
        repeats=True,
    )


def _around(value: float) -> tuple[float, float]:
    return value * (1 - SPREAD), value * (1 + SPREAD)
