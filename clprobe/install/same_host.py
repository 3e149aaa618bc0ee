# SPDX-License-Identifier: MIT
"""Whether a snapshot is of this host, which its plan may then be carried out on."""

from collections.abc import Iterator

from clprobe.model.errors import ClprobeError
from clprobe.model.shell_words import can_be_typed
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Fact, Unknown

_LONGEST = 80


def check_same_host(planned: Snapshot, ours: Snapshot) -> None:
    """Return if nothing that a plan rests on differs; host names are scrubbed, so none is asked.

    Raises: ClprobeError that names every difference.
    """
    found = list(_differences(planned, ours))
    if found:
        raise ClprobeError(
            reference="plan-for-another-host",
            message=f"The snapshot is of another machine: {'; '.join(found)}.",
            hint="Plan without --from to change this host, or have the plan printed with "
            "--format sh and run it there.",
        )


def _differences(planned: Snapshot, ours: Snapshot) -> Iterator[str]:
    theirs, here = _gpu_ids(planned), _gpu_ids(ours)
    if theirs is None:
        yield "it does not say which GPUs there are"
    elif here is not None and theirs != here:
        yield f"its GPUs are {_listed(theirs)}, here {_listed(here)}"
    facts: tuple[tuple[str, Fact[str], Fact[str]], ...] = (
        ("its architecture is", planned.system.cpu.architecture, ours.system.cpu.architecture),
        ("it runs Linux", planned.system.linux.release, ours.system.linux.release),
    )
    for words, there, now in facts:
        if isinstance(there, str) and isinstance(now, str) and there != now:
            yield f"{words} {_shown(there)}, here {now}"


def _gpu_ids(snapshot: Snapshot) -> tuple[str, ...] | None:
    if isinstance(snapshot.gpus, Unknown):
        return None
    ids = (gpu.pci_id for gpu in snapshot.gpus)
    return tuple(sorted(one.lower() for one in ids if isinstance(one, str)))


def _listed(ids: tuple[str, ...]) -> str:
    return ", ".join(map(_shown, ids)) or "none"


def _shown(text: str) -> str:
    """Return what a snapshot says as one short word, whatever it holds."""
    return text if can_be_typed(text) and len(text) < _LONGEST else ascii(text)[:_LONGEST]
