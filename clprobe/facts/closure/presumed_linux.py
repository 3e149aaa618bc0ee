# SPDX-License-Identifier: MIT
"""Which Linux it is where people leave its last part open: 4.x."""

from msgspec.structs import replace

from clprobe.facts.closure.closed import Closed
from clprobe.model.unknown import known

_OPEN = ".x"


def with_linux(closed: Closed) -> Closed:
    """Return it with the oldest Linux that is meant: who fails on 4.x has none that is too new."""
    system = closed.snapshot.system
    release = known(system.linux.release) or ""
    if not release.endswith(_OPEN):
        return closed
    oldest = f"{release.removesuffix(_OPEN)}.0"
    linux = replace(system.linux, release=oldest)
    changed = replace(closed.snapshot, system=replace(system, linux=linux))
    return closed.with_change(changed, "system.linux.release", f"the oldest Linux {release}")
