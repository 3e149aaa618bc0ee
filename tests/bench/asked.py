# SPDX-License-Identifier: MIT
"""Asks a child process for measurements, as bench does."""

from clprobe.bench.child import run_job
from clprobe.bench.protocol import QUICK_WORKLOADS, Asked, Job, Message, Target


def messages_of(
    target: Target,
    *workloads: Asked,
    silence_seconds: float = 40,
    **more: str | bool,
) -> list[Message]:
    """Return what a child says about quick workloads, torch left out unless asked for."""
    job = Job(
        target=target,
        workloads=workloads or QUICK_WORKLOADS,
        **{"effort": "quick", "baseline": "numpy", **more},
    )
    return list(run_job(job, silence_seconds))
