# SPDX-License-Identifier: MIT
"""Why a net of the user's own cannot be measured: a mistake in it, or a limit of clprobe."""

from collections.abc import Iterable

from clprobe.model.errors import ClprobeError

MISTAKE = "own-net-mistake"
UNSUPPORTED = "own-net-unsupported"
LIMITS = "clprobe bench --help names the layers that clprobe has."


def mistake(problem: str, hint: str) -> ClprobeError:
    """Return what is wrong with how the net is written or named, and what to do."""
    return ClprobeError(reference=MISTAKE, message=problem, hint=hint)


def unsupported(what: Iterable[str]) -> ClprobeError:
    """Return what in a sound net clprobe has no counterpart for, which is no fault of a device."""
    listed = ", ".join(what)
    problem = f"clprobe itself, whatever the device, does not support {listed}."
    return ClprobeError(reference=UNSUPPORTED, message=problem, hint=LIMITS)
