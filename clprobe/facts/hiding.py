# SPDX-License-Identifier: MIT
"""Decides which ICDs a user's programs should load, and which are hidden from them and why."""

import re
from collections.abc import Sequence

import msgspec

from clprobe.facts.facts import Facts, IcdFacts
from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import listed

_DEADLY = ("crash", "hang", "error")
# The wheel reads the drivers that lie beside it whatever the environment says.
_READS_ITS_OWN = "pyopencl-wheel"


class KeptIcd(msgspec.Struct, frozen=True, kw_only=True):
    """An ICD that programs go on to load; `file_name` is what its new `.icd` file is called."""

    icd: str
    library: str
    file_name: str


class HiddenIcd(msgspec.Struct, frozen=True, kw_only=True):
    """An ICD that programs no longer load, and why."""

    icd: str
    why: str


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What programs load from now on.

    `apart` are working ICDs that no variable reaches: a loader of its own reads them all the same.
    """

    kept: tuple[KeptIcd, ...]
    hidden: tuple[HiddenIcd, ...]
    apart: tuple[str, ...] = ()


def choose(facts: Facts, only: Sequence[str] = (), without: Sequence[str] = ()) -> Choice:
    """Return which ICDs to keep: all that are not broken, or those that `only` names.

    An ICD that shows no device harms nobody and stays. Of two that name one library, one stays.

    Raises: ClprobeError if a name fits no ICD; its message lists what there is.
    """
    icds = listed(facts.icds)
    read = [icd for icd in icds if _is_within_reach(icd, facts)]
    _check_names((*only, *without), read)
    clashing = {} if only else _clashing(read, facts)
    hidden = []
    kept: dict[str, IcdFacts] = {}
    for icd in read:
        library = _library(icd)
        why = _why_hidden(icd, only, without) or clashing.get(icd.path, "")
        if why or library is None:
            hidden.append(HiddenIcd(icd=icd.path, why=why or "it names no library"))
        else:
            kept.setdefault(library, icd)
    apart = tuple(icd.path for icd in icds if icd not in read and icd.outcome == "ok")
    return Choice(kept=_named(kept), hidden=tuple(hidden), apart=apart)


def _is_within_reach(icd: IcdFacts, facts: Facts) -> bool:
    """Tell whether some loader reads it, and would not if a variable named another folder."""
    private = tuple(
        f"{loader.path.rpartition('/')[0]}/"
        for loader in listed(facts.loaders)
        if loader.kind == _READS_ITS_OWN
    )
    return icd.is_read is not False and not icd.path.startswith(private)


def _clashing(icds: Sequence[IcdFacts], facts: Facts) -> dict[str, str]:
    """Return one ICD of every two that die together, the one with fewer devices, and why."""
    found: dict[str, str] = {}
    devices = {icd.path: icd.device_count for icd in icds if isinstance(icd.device_count, int)}
    for pair in listed(facts.pairs):
        if pair.outcome in _DEADLY and not set(pair.icds) & set(found):
            other, loser = sorted(pair.icds, key=lambda path: -devices.get(path, 0))
            found[loser] = f"{pair.outcome} beside {other}: {pair.detail}"
    return found


def dies_unexplained(facts: Facts) -> bool:
    """Tell whether a loader dies of its ICDs although each of them answers alone."""
    return any(
        view.viewer == "system-loader" and view.outcome in ("crash", "hang")
        for view in listed(facts.views)
    )


def _why_hidden(icd: IcdFacts, only: Sequence[str], without: Sequence[str]) -> str:
    if any(_fits(icd, name) for name in without):
        return "as you asked"
    if only:
        # Whoever names a driver wants that one, broken or not.
        return "" if any(_fits(icd, name) for name in only) else "as you asked"
    if icd.outcome in _DEADLY:
        return f"{icd.outcome}: {icd.detail}"
    return ""


def _library(icd: IcdFacts) -> str | None:
    path = icd.library.path
    if isinstance(path, str) and path.startswith("/"):
        return path
    # A relative path means another file in every folder that a program is started from.
    real = icd.library.real_path
    return real if isinstance(real, str) and isinstance(path, str) else None


def _named(kept: dict[str, IcdFacts]) -> tuple[KeptIcd, ...]:
    names: set[str] = set()
    result = []
    for library, icd in kept.items():
        stem = re.sub(r"[^A-Za-z0-9_.-]|^[.-]", "_", icd.file_name.removesuffix(".icd")) or "icd"
        name = f"{stem}.icd"
        number = 1
        while name in names:
            number += 1
            name = f"{stem}-{number}.icd"
        names.add(name)
        result.append(KeptIcd(icd=icd.path, library=library, file_name=name))
    return tuple(result)


def _fits(icd: IcdFacts, name: str) -> bool:
    wanted = name.strip().casefold()
    texts = (
        icd.path,
        icd.library.path,
        icd.library_name,
        icd.implementation,
        *(platform.name for platform in listed(icd.answer.platforms)),
    )
    return bool(wanted) and any(
        wanted in text.casefold() for text in texts if isinstance(text, str)
    )


def _check_names(names: Sequence[str], icds: Sequence[IcdFacts]) -> None:
    for name in names:
        if not any(_fits(icd, name) for icd in icds):
            there_is = ", ".join(icd.path for icd in icds) or "none"
            raise ClprobeError(
                reference="no-such-icd",
                message=f"No registered driver matches {name!r}. There are: {there_is}.",
                hint="Give an .icd file, or part of its name, library or platform.",
            )
