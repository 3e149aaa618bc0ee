# SPDX-License-Identifier: MIT
"""Looks at the user's own nets before any device is opened, in a process of their own.

A net's file may print, hang or end the process; none of that must reach the report.
"""

import importlib.metadata
import importlib.util
import subprocess
import sys
from collections.abc import Iterable

import msgspec

from clprobe.aten.versions import refuse_older_torch
from clprobe.bench.child import with_package
from clprobe.bench.protocol import Asked, Baseline, OwnNet
from clprobe.model.errors import ClprobeError

_PATIENCE_SECONDS = 300.0
_SHOWN_CHARACTERS = 300
MISTAKE = "own-net-mistake"
UNSUPPORTED = "own-net-unsupported"
_LIMITS = "clprobe bench --help says what a net of one's own may be."


def mistake(problem: str, hint: str) -> ClprobeError:
    """Return what is wrong with how the net is written or named, and what to do."""
    return ClprobeError(reference=MISTAKE, message=problem, hint=hint)


def unsupported(what: Iterable[str]) -> ClprobeError:
    """Return what in a sound net clprobe has no counterpart for, which is no fault of a device."""
    listed = ", ".join(what)
    problem = f"clprobe itself, whatever the device, does not support {listed}."
    return ClprobeError(reference=UNSUPPORTED, message=problem, hint=_LIMITS)


def check_own_nets(workloads: Iterable[Asked], folder: str, baseline: Baseline | None) -> None:
    """Raise what the user has to mend before a net can be measured; limits of clprobe are none.

    **Raises** ClprobeError.
    """
    for own in dict.fromkeys(one for one in workloads if isinstance(one, OwnNet)):
        if importlib.util.find_spec("torch") is None:
            raise ClprobeError(
                reference="torch-not-installed",
                message=f"--workload {own} needs torch, which this Python does not have.",
                hint="pip install torch; on Linux its default build carries gigabytes of CUDA, so "
                "without an NVIDIA GPU choose the CPU build that pytorch.org names.",
            )
        refuse_older_torch(importlib.metadata.version("torch"))
        if baseline == "numpy":
            raise mistake(
                f"{own} is compared with torch, so --baseline numpy cannot be.",
                "Leave --baseline out.",
            )
        wrong = _asked(own, folder)
        if wrong is not None:
            raise mistake(*wrong)


def _asked(own: OwnNet, folder: str) -> tuple[str, str] | None:
    """Return what a child finds wrong with the net, and what to do; None: nothing."""
    worker = [sys.executable, "-m", "clprobe.bench.own_net.loading"]
    try:
        done = subprocess.run(
            [*worker, msgspec.json.encode(own).decode(), folder],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=with_package(),
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        problem = f"{own} was not loaded within {_PATIENCE_SECONDS:.0f} s."
        return problem, "Make it load sooner."
    answer = done.stdout.rpartition(b"\n")[2]
    try:
        return msgspec.json.decode(answer, type=tuple[str, str] | None)
    except msgspec.MsgspecError:
        words = done.stderr.decode(errors="replace").strip()[-_SHOWN_CHARACTERS:]
        problem = (
            f"{own} ended the process that loaded it, with status {done.returncode}: "
            f"{words or 'it said nothing'}"
        )
        return problem, "Make it work in Python alone first."
