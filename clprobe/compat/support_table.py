# SPDX-License-Identifier: MIT
"""The support matrix: the cells that somebody asks for, by words that people use."""

import zlib
from collections.abc import Sequence
from difflib import get_close_matches

import msgspec
from msgspec import msgpack

from clprobe.compat.support import Support, support
from clprobe.derived import code_of, derived_parts
from clprobe.knowledge import release_names
from clprobe.knowledge.checked_yaml import nearest
from clprobe.knowledge.table_types import Distribution, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.resources import rules_path

COMPUTED_BY = ("compat", "knowledge", "model")
"""Where the code lies that computes cells; they are kept until that, or a table, changes."""


class SupportTable(msgspec.Struct, frozen=True, kw_only=True):
    """The answers, by generation, then release, then implementation."""

    cells: tuple[Support, ...]


def support_table(
    tables: Tables,
    generations: Sequence[str] = (),
    distributions: Sequence[str] = (),
    implementations: Sequence[str] = (),
) -> SupportTable:
    """Return the cells of these names; all of a kind where none is named.

    Raises: ClprobeError if a name is no generation, release or implementation.
    """
    chosen = [_generation(name, tables) for name in generations] or list(tables.generations())
    releases = [one for name in distributions for one in _releases(name, tables)]
    drivers = [_implementation(name, tables) for name in implementations]
    wanted = releases or tables.distributions()
    entries = [
        tables.implementations()[one] for one in drivers
    ] or tables.implementations().values()
    entries = list({one.implementation: one for one in entries}.values())
    if not tables.are_shipped:
        known = [_computed(one, wanted, entries, tables) for one in dict.fromkeys(chosen)]
        return SupportTable(cells=tuple(cell for cells in known for cell in cells))
    cells = []
    for of_generation in _kept(list(dict.fromkeys(chosen)), tables):
        at = {(one.distribution, one.implementation): one for one in of_generation}
        cells += [at[one.key, entry.implementation] for one in wanted for entry in entries]
    return SupportTable(cells=tuple(cells))


def _kept(generations: Sequence[str], tables: Tables) -> list[tuple[Support, ...]]:
    """Return all cells of each generation, as they were computed once."""

    def pack(generation: str) -> bytes:
        # Most of a cell is reasons and sources that others have, too.
        every = tables.distributions(), list(tables.implementations().values())
        return zlib.compress(msgpack.encode(_computed(generation, *every, tables)), 1)

    sources = rules_path() / "tables", *code_of(*COMPUTED_BY)
    packed = derived_parts("matrix", bytes, sources, generations, pack)
    kind = tuple[Support, ...]
    return [msgpack.decode(zlib.decompress(one), type=kind) for one in packed.values()]


def _computed(
    generation: str,
    releases: Sequence[Distribution],
    implementations: Sequence[Implementation],
    tables: Tables,
) -> tuple[Support, ...]:
    known = tables.generations()[generation]
    return tuple(
        support(known, release, entry, tables) for release in releases for entry in implementations
    )


def _generation(name: str, tables: Tables) -> str:
    found = tables.generation(name.replace(" ", ""))
    if found is not None:
        return found.generation
    named = tables.named_gpu(name)
    chips = {entry.generation for entry in named.chips} & set(tables.generations())
    if len(chips) == 1:
        return chips.pop()
    if named.families or named.nothing_because is not None:
        what = " or ".join(one.name for one in named.families) or named.nothing_because
        raise _no_such(
            "generation", name, f"It is {what}; the matrix is about Intel's generations."
        )
    known = list(tables.generations())
    close = _near_chip(name, tables)
    hint = f"Did you mean {close}?" if close else nearest(name[:60], known)
    raise _no_such("generation", name, f"{hint} A chip or a GPU's name will do, too.")


def _near_chip(name: str, tables: Tables) -> str | None:
    """Return the chip that is written almost so, such as Tiger Lake for Tigerlake."""
    chips = {
        _bare(chip): chip
        for one in tables.generations().values()
        for platform in one.platforms.values()
        for chip in (platform.names.partition(":")[0], *one.microarchitecture.split(", "))
    }
    found = get_close_matches(_bare(name), chips, n=1, cutoff=0.8)
    return chips[found[0]] if found else None


def _bare(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _releases(name: str, tables: Tables) -> list[Distribution]:
    found = release_names.find(name, tables.distributions())
    named = None if found else tables.named_system(name).release
    found = found or ([named] if named is not None else [])
    if not found:
        known = [one.key for one in tables.distributions()]
        raise _no_such("release", name, nearest(name.lower()[:60], known))
    return found


def _implementation(name: str, tables: Tables) -> str:
    short = {"neo": "compute-runtime", "legacy1": "compute-runtime-legacy1"}
    wanted = short.get(name.lower(), name.lower())
    if wanted not in tables.implementations():
        raise _no_such("implementation", name, nearest(wanted[:60], list(tables.implementations())))
    return wanted


def _no_such(kind: str, name: str, hint: str) -> ClprobeError:
    return ClprobeError(
        reference=f"{kind}-unknown",
        message=f"{name[:60]!r} is no {kind} of the tables.",
        hint=hint,
    )
