# SPDX-License-Identifier: MIT
"""Judges the values of variables that choose a driver's devices, by the table."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from clprobe.compat.linux_choice import is_in_range
from clprobe.knowledge.table_types import Chooser, Implementation
from clprobe.model.unknown import Fact, Unknown


class Narrowed(NamedTuple):
    """A variable that leaves a driver without devices, with its value, and why in words."""

    variable: str
    setting: str
    why: str


def narrowed_by(
    entry: Implementation | None,
    environment: Mapping[str, str | Unknown | None],
    version: Fact[str],
) -> Narrowed | None:
    """Return the variable that chooses no device which is always there; None: none does.

    A driver for GPUs has no device either where the value is right and there is no such GPU: its
    value counts only where no word of it is known.
    """
    if entry is None:
        return None
    for variable, chooser in entry.choosers.items():
        value = environment.get(variable)
        if not isinstance(value, str):
            continue
        words = tuple(_words(value, chooser))
        known = tuple(word for word in chooser.values if _is_known(word, chooser, entry, version))
        if any(word in known and word in chooser.without_gpu for word in words):
            continue
        is_any_known = not words or any(word in known for word in words)
        if "gpu" in entry.device_types and is_any_known:
            continue
        return Narrowed(variable, f"{variable}={value}", _why(words, known, chooser))
    return None


def _words(value: str, chooser: Chooser) -> Iterator[str]:
    """Yield the words; numbers behind one choose among the devices of its kind."""
    for word in value.split(chooser.separator):
        name = word.partition(":")[0]
        if name:
            yield name


def _is_known(word: str, chooser: Chooser, entry: Implementation, version: Fact[str]) -> bool:
    """Return whether this version may know the word; it does where the version is not known."""
    if isinstance(version, Unknown):
        return True
    return is_in_range(version, chooser.values[word], entry.version_scheme) is not False


def _why(words: tuple[str, ...], known: tuple[str, ...], chooser: Chooser) -> str:
    sure = [word for word in known if word in chooser.without_gpu]
    others = [word for word in known if word not in sure]
    strange = [word for word in words if word not in known]
    if not words:
        said = "It is set and empty, which chooses nothing"
    elif strange:
        said = f"This version knows no {' and no '.join(strange)}"
    else:
        chosen = " and ".join(words)
        said = f"{chosen} works only in builds with it, and where there is such a device"
    between = "blanks" if chooser.separator == " " else "commas"
    return (
        f"{said}. Words that always have a device: {', '.join(sure)}; words of builds for other "
        f"devices: {', '.join(others)}; small letters, {between} between them"
    )
