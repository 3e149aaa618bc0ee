# SPDX-License-Identifier: MIT
"""What the machine was like while bench measured, and whether its figures can be trusted."""

from collections import Counter
from collections.abc import Iterator, Sequence

from clprobe.model.measurement import (
    HOST_KEY,
    BenchReport,
    TunedProduct,
    Tuning,
    other_load,
    was_loaded,
)

_MOST_REASONS = 3


def warnings_of(report: BenchReport) -> list[str]:
    """Return what speaks against the figures, a sentence each."""
    conditions = report.conditions
    said = list(conditions.warnings)
    if was_loaded(report) and not any("ther program" in one for one in said):
        said.append(
            f"Other programs used {other_load(report)} % of the CPU meanwhile, so do not rely on "
            "these figures: measure again when they rest."
        )
    if conditions.throttled and not any("throttl" in one for one in said):
        said.append("The processor throttled meanwhile: it was too hot to keep its speed.")
    if report.interrupted:
        said.append("Bench was interrupted: these are the figures that it had until then.")
    return said


def notes(report: BenchReport) -> list[str]:
    """Return who did not take part, what tuning found, what figures leave out: a sentence each.

    And what other programs meet on a device that did, and what half precision is worth there.
    """
    absent = [
        f"{one.name} took no part: {one.detail or one.status}".removesuffix(".") + "."
        for one in report.contestants
        if one.status != "ok"
    ]
    absent += [
        f"{one.name}: {one.detail}".removesuffix(".") + "."
        for one in report.contestants
        if one.status == "ok" and one.detail
    ]
    tuned = [sentence for one in report.tuning for sentence in _tuning(one)]
    remarks = dict.fromkeys(one.remark for one in report.results)
    halves = [one.text for one in report.half]
    return [*absent, *tuned, *halves, *filter(None, remarks)]


def _tuning(tuning: Tuning) -> Iterator[str]:
    if tuning.problem:
        yield f"Tuning {tuning.device} failed: {tuning.problem}"
        return
    faster = [one for one in tuning.found if one.gflops > one.gflops_before]
    yield (
        f"Tuning {tuning.device} took {tuning.seconds:.0f} s: for {len(faster)} of "
        f"{len(tuning.found)} products of matrices and convolutions a faster kernel was found"
        + (f", {_greatest_gain(faster)}." if faster else ".")
    )
    reasons = Counter(one.reason for one in tuning.rejected)
    for reason, count in reasons.most_common(_MOST_REASONS):
        yield f"Not used on {tuning.device}, {count} kernels: {reason.removesuffix('.')}."


def _greatest_gain(faster: Sequence[TunedProduct]) -> str:
    most = max(faster, key=lambda one: one.gflops / one.gflops_before)
    return (
        f"at most {most.gflops / most.gflops_before:.2f} times as fast "
        f"({most.product}: {most.gflops:.0f} GFLOP/s)"
    )


def condition_facts(report: BenchReport) -> Iterator[tuple[str, str]]:
    """Yield what is known of host and conditions, by its name."""
    names = {"os": "system", "linux": "Linux", "cpu": "CPU", "logical_cores": "logical cores"}
    for key, value in report.host.items():
        if value is not None and key != HOST_KEY:
            yield names.get(key, key), str(value)
    if report.effort is not None:
        yield "effort", report.effort
    load = other_load(report)
    if load is not None:
        yield "other programs", f"{load} % of the CPU"
    clock = report.conditions.frequency_mhz
    if clock is not None:
        known = (("at the start", clock.start), ("at the end", clock.end), ("lowest", clock.lowest))
        said = ", ".join(f"{value:.0f} MHz {when}" for when, value in known if value is not None)
        if said:
            yield "CPU clock", said
    heat = report.conditions.temperature_c
    if heat is not None:
        ends = (("before", heat.start), ("after", heat.end))
        said = ", ".join(f"{value:.0f} °C {when}" for when, value in ends if value is not None)
        if said:
            yield "temperature", said
    if report.conditions.throttled is not None:
        yield "throttled", "yes" if report.conditions.throttled else "no"
