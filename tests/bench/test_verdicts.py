# SPDX-License-Identifier: MIT
"""Decisions, and the sentences that users read."""

import pytest

from clprobe.bench.timing.statistics import Estimate
from clprobe.bench.verdicts import judge, price, without_ratio

REFERENCE = "torch on 2 CPU threads"


@pytest.mark.parametrize(
    ("median", "ci95", "is_cpu", "decision", "text"),
    [
        (
            1 / 1.8,
            (0.5, 0.6),
            False,
            "cpu",
            "On matmul-1024 the device is 1.8 times slower than torch on 2 CPU threads: "
            "use the CPU.",
        ),
        (
            25.4,
            (20.0, 30.0),
            False,
            "device",
            "On matmul-1024 the device is 25 times faster than torch on 2 CPU threads: "
            "use the device.",
        ),
        (
            1.05,
            (1.02, 1.08),
            False,
            "device",
            "On matmul-1024 the device is 5 percent faster than torch on 2 CPU threads: "
            "use the device.",
        ),
        (
            1.05,
            (0.95, 1.08),
            False,
            "no-difference",
            "On matmul-1024 the device and torch on 2 CPU threads are equally fast, within "
            "8 percent.",
        ),
        (
            1.05,
            (0.02, 31.0),
            False,
            "unclear",
            "On matmul-1024 nobody can tell from these samples whether the device or torch on 2 "
            "CPU threads is faster: the device is between 0.02 and 31 times as fast (too noisy).",
        ),
        (
            0.5,
            (0.4, 0.6),
            True,
            "cpu",
            "On matmul-1024 this OpenCL device, itself the CPU, is 2.0 times slower than torch "
            "on 2 CPU threads: use torch.",
        ),
        (
            2.0,
            (1.9, 2.1),
            True,
            "device",
            "On matmul-1024 this OpenCL device, itself the CPU, is 2.0 times faster than torch "
            "on 2 CPU threads: use OpenCL.",
        ),
    ],
)
def test_a_ratio_becomes_a_decision_and_a_sentence(
    median: float, ci95: tuple[float, float], is_cpu: bool, decision: str, text: str
) -> None:
    verdict = judge(
        "matmul-1024", "GPU", Estimate(median, ci95), reference=REFERENCE, is_cpu=is_cpu
    )

    assert (verdict.decision, verdict.text) == (decision, text)


@pytest.mark.parametrize(("latency_us", "shown"), [(94.6, "95"), (4.27, "4.3"), (1234.0, "1234")])
def test_starting_a_kernel_has_a_price_and_is_no_race(latency_us: float, shown: str) -> None:
    ratio = Estimate(0.005, (0.004, 0.006))

    verdict = price("launch", "GPU", ratio, latency_us=latency_us, reference=REFERENCE)

    assert (verdict.decision, verdict.ratio) == ("cpu", 0.005)
    assert verdict.text == (
        f"Starting a kernel costs {shown} µs: work that torch on 2 CPU threads finishes sooner "
        "stays there."
    )


def test_an_interval_that_ends_at_one_makes_no_difference() -> None:
    verdict = judge("copy", "GPU", Estimate(1.1, (1.0, 1.2)), reference=REFERENCE, is_cpu=False)

    assert verdict.decision == "no-difference"


def test_a_wrong_device_is_refused_without_figures() -> None:
    verdict = without_ratio("copy", "GPU", "refused", "its results are wrong.")

    assert (verdict.decision, verdict.ratio, verdict.ci95) == ("refused", None, None)
    assert verdict.text == "Do not use it for copy: its results are wrong."


def test_a_right_but_slow_device_loses_to_the_cpu() -> None:
    verdict = without_ratio("copy", "GPU", "cpu", "it would take 90 s.")

    assert verdict.text == "Use the CPU for copy: it would take 90 s."
