# SPDX-License-Identifier: MIT
"""Puts what was measured into one report."""

import platform

from clprobe.bench.crossover import crossovers
from clprobe.bench.roofs import best_known, under_roofs
from clprobe.bench.run import Measured, Options
from clprobe.bench.targets import installed_version
from clprobe.model.measurement import HOST_KEY, BenchReport
from clprobe.model.system import System

_PACKAGES = ("numpy", "pyopencl", "torch")


def summarise(measured: Measured, system: System, options: Options) -> BenchReport:
    """Return the report; every workload's reference figure follows the device's own."""
    outcomes = measured.outcomes
    results = tuple(result for outcome in outcomes for result in outcome.results)
    verdicts = tuple(outcome.verdict for outcome in outcomes)
    peaks = best_known(results, measured.peaks)
    conditions = measured.watch.conditions()
    return BenchReport(
        host=_host(system) | {HOST_KEY: conditions.other_load_percent},
        baseline=options.baseline,
        results=under_roofs(results, peaks),
        training=tuple(outcome.training for outcome in outcomes if outcome.training is not None),
        verdicts=verdicts,
        effort=options.effort,
        contestants=tuple(measured.contestants.values()),
        interrupted=measured.interrupted,
        tuning=tuple(measured.tunings),
        conditions=conditions,
        peaks=peaks,
        crossovers=crossovers(results, verdicts),
    )


def _host(system: System) -> dict[str, str | int | None]:
    stated = {
        "os": system.distribution.name,
        "linux": system.linux.release,
        "cpu": system.cpu.model,
        "logical_cores": system.cpu.logical_cores,
    }
    known = {key: value if isinstance(value, str | int) else None for key, value in stated.items()}
    versions = {package: installed_version(package) for package in _PACKAGES}
    return {**known, "python": platform.python_version(), **versions}
