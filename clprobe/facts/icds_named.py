# SPDX-License-Identifier: MIT
"""ICDs that messages name: reports quote the loader's own log rather than list .icd files."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.model.opencl import Answer, Icd
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown

_CONSIDERED = r"Considering file '(?P<file>[^'\n]+\.icd)'"
_LOADING = r"Loading ICD '(?P<library>[^'\n]+)'"
_FAILED = r"error while dlopening the IDL: '(?P<error>[^'\n]+)'"
_LOADED = r"ICD\[\d+\] (?P<loaded>loaded)"
_STEP = re.compile("|".join((_CONSIDERED, _LOADING, _FAILED, _LOADED)))
"""What ocl-icd prints with OCL_ICD_DEBUG=7, in this order for each file."""


def with_icds_named(snapshot: Snapshot, said: str | Unknown) -> Snapshot:
    """Return the snapshot with the ICDs of a loader's log, if it tells of none itself."""
    if not isinstance(snapshot.icds, Unknown) or isinstance(said, Unknown):
        return snapshot
    named = {icd.path: icd for icd in _named(said)}
    if not named:
        return snapshot
    return msgspec.structs.replace(
        snapshot, icds=tuple(named.values()), excerpts=(*snapshot.excerpts, "icds")
    )


def _named(said: str) -> Iterator[Icd]:
    icd = None
    for step in _STEP.finditer(said):
        if step["file"]:
            if icd is not None:
                yield icd
            icd = Icd(path=re.sub("/{2,}", "/", step["file"]))
        elif icd is not None:
            icd = _after(icd, step)
    if icd is not None:
        yield icd


def _after(icd: Icd, step: re.Match[str]) -> Icd:
    if step["library"]:
        return msgspec.structs.replace(icd, library_name=step["library"])
    if step["loaded"]:
        return msgspec.structs.replace(icd, answer=Answer(stage="load"))
    answer = Answer(stage="library", outcome="error", message=step["error"])
    return msgspec.structs.replace(icd, answer=answer)
