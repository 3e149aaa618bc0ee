# SPDX-License-Identifier: MIT
"""Checks that the tables agree with each other: names exist, ranges can be read."""

from collections.abc import Iterable, Iterator

from clprobe.engine.family_table import Family
from clprobe.engine.table_types import PRE_PRODUCTION, Generation, Implementation, Stack
from clprobe.engine.tables import Tables
from clprobe.engine.versions import Scheme, in_range
from clprobe.model.errors import ClprobeError


def contradictions(tables: Tables) -> list[str]:
    """Return what is wrong between or inside the tables, one sentence each; [] if nothing is.

    Raises: ClprobeError if a file does not fit the format at all.
    """
    return [
        *_gpus(tables),
        *(problem for g in tables.generations().values() for problem in _generation(g, tables)),
        *(problem for i in tables.implementations().values() for problem in _releases(i, tables)),
        *(problem for s in tables.stacks().values() for problem in _stack(s, tables)),
        *_distributions(tables),
        *(problem for f in tables.families().values() for problem in _family(f, tables)),
    ]


def _gpus(tables: Tables) -> Iterator[str]:
    generations = tables.generations()
    for pci_id, gpu in tables.gpus().items():
        generation = generations.get(gpu.generation)
        if gpu.neo is not None:
            yield from _range(f"gpus {pci_id} neo", gpu.neo, "neo")
        if gpu.generation == PRE_PRODUCTION:
            continue
        if generation is None:
            yield f"gpus {pci_id}: there is no generation {gpu.generation}"
        elif gpu.platform not in generation.platforms:
            yield f"gpus {pci_id}: {gpu.generation} has no platform {gpu.platform}"
        elif missing := _drivers_of(gpu.neo, gpu.legacy1, gpu.beignet) - set(
            generation.implementations
        ):
            yield f"gpus {pci_id}: {', '.join(sorted(missing))} is not in {gpu.generation}"


def _drivers_of(neo: str | None, legacy1: bool, beignet: str | None) -> set[str]:
    return {
        key
        for key, listed in (
            ("compute-runtime", neo is not None),
            ("compute-runtime-legacy1", legacy1),
            ("beignet", beignet is not None),
        )
        if listed
    }


def _generation(generation: Generation, tables: Tables) -> Iterator[str]:
    where = f"generations {generation.generation}"
    known = tables.implementations()
    named = [*generation.implementations, *generation.capabilities, *generation.not_driven_by]
    yield from _unknown(where, named, known)
    for key, support in generation.implementations.items():
        scheme = known[key].version_scheme if key in known else "dotted"
        yield from _range(f"{where} {key}", support.versions, scheme)
        yield from _range(f"{where} {key}", support.linux, "linux")
    for key, platform in generation.platforms.items():
        for field in platform.linux.__struct_fields__:
            versions = getattr(platform.linux, field)
            if versions is not None:
                yield from _range(f"{where} {key} {field}", versions, "linux")


def _family(family: Family, tables: Tables) -> Iterator[str]:
    where = f"families {family.family}"
    known = tables.implementations()
    yield from _unknown(where, [*family.implementations, *family.not_driven_by], known)
    for key, support in family.implementations.items():
        scheme = known[key].version_scheme if key in known else "dotted"
        yield from _range(f"{where} {key}", support.versions, scheme)


def _releases(implementation: Implementation, tables: Tables) -> Iterator[str]:
    where = f"implementations {implementation.implementation}"
    yield from _range(f"{where} linux", implementation.linux, "linux")
    for release in implementation.releases:
        yield from _range(where, release.versions, implementation.version_scheme)
        yield from _range(where, release.linux, "linux")
        yield from _unknown(where, release.generations, tables.generations())
    releases = {distribution.key for distribution in tables.distributions()} | {"*"}
    for entry in implementation.elsewhere:
        yield from _unknown(where, entry.onto, releases)
        yield from _range(f"{where} glibc", entry.glibc, "dotted")


def _stack(stack: Stack, tables: Tables) -> Iterator[str]:
    where = f"stacks {stack.stack}"
    for build in stack.builds:
        yield from _range(f"{where} {build.version}", build.python, "pep440")
    for support in stack.supports:
        yield from _unknown(where, support.generations, tables.generations())
        yield from _unknown(where, support.via, tables.implementations())


def _distributions(tables: Tables) -> Iterator[str]:
    known = tables.implementations()
    for distribution in tables.distributions():
        for name, versions in distribution.packages.items():
            where = f"distributions {distribution.key} {name}"
            for version in versions:
                yield from _unknown(where, version.implementations, known)
                yield from _unknown(where, version.also_drives, tables.generations())
                if bool(version.implementations) == (version.role is not None):
                    yield f"{where}: it needs either implementations or a role"
            if name in distribution.absent:
                yield f"{where}: it is listed and absent at once"


def _unknown(where: str, named: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    for name in sorted(set(named) - set(known)):
        yield f"{where}: there is no {name}"


def _range(where: str, versions: str, scheme: Scheme) -> Iterator[str]:
    try:
        in_range("1", versions, scheme)
    except ClprobeError as error:
        yield f"{where}: {error.message}"
