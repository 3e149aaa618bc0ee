# SPDX-License-Identifier: MIT
"""Checks of rules/tables/gpus, generations, families and implementations."""

import re
from itertools import combinations
from pathlib import Path

from clprobe.knowledge.adapter_table import Adapters
from clprobe.knowledge.family_table import Family, numbers_in
from clprobe.knowledge.processors import Processors
from clprobe.knowledge.table_types import (
    PRE_PRODUCTION,
    Generation,
    GpuEntry,
    GpuFile,
    Implementation,
    Release,
)
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import Scheme, overlap
from clprobe.model.errors import ClprobeError
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place

_PCI_ID = re.compile(r"8086:[0-9a-f]{4}")
_IP_RANGE = re.compile(r"(\d+\.\d+)(-\d+\.\d+)?")
_MESA = ("mesa_lacks", "mesa_since", "mesa_until")


def gpu_files(files: dict[Path, GpuFile], tables: Tables) -> Mistakes:
    """Yield what is wrong in the GPU files."""
    seen: dict[str, Path] = {}
    for path, file in files.items():
        top = Place(path)
        yield from check.is_named(top, f"intel-{file.generation}")
        yield from check.table_legend(path)
        generation = tables.generation(file.generation)
        if generation is None and file.generation != PRE_PRODUCTION:
            known = tables.generations()
            yield from check.names(top.at("generation"), [file.generation], known, "generation")
        for pci_id, gpu in file.gpus.items():
            here = top.at("gpus", pci_id)
            if not _PCI_ID.fullmatch(pci_id):
                yield here.mistake(f"{pci_id!r} is no PCI id of Intel", "Write it as 8086:0412.")
            if pci_id in seen:
                other = Place(seen[pci_id], here.keys)
                yield here.mistake(f"it is in {other.path.name}, too", "Keep one of them.")
                yield other.mistake(f"it is in {path.name}, too", "Keep one of them.")
            seen.setdefault(pci_id, path)
            yield from check.sources(here, gpu.sources or file.sources)
            yield from _gpu(here, gpu, generation)


def _gpu(here: Place, gpu: GpuEntry, generation: Generation | None) -> Mistakes:
    if gpu.neo is not None:
        yield from check.versions(here.at("neo"), gpu.neo, "neo")
    if gpu.beignet is not None:
        yield from check.version(here.at("beignet"), gpu.beignet, "debian")
    yield from _mesa(here, gpu)
    if gpu.eus is not None and not 1 <= gpu.eus <= 1024:
        yield here.at("eus").mistake(f"no GPU has {gpu.eus} execution units")
    if generation is None:
        return
    if gpu.platform not in generation.platforms:
        chips = generation.platforms
        yield from check.names(here.at("platform"), [gpu.platform], chips, "platform")
    for key, listed in (
        ("compute-runtime", gpu.neo is not None),
        ("compute-runtime-legacy1", gpu.legacy1),
        ("beignet", gpu.beignet is not None),
    ):
        if listed and key not in generation.implementations:
            yield here.mistake(
                f"{key} lists it, but {generation.generation} is not driven by it",
                f"Add {key} to the implementations of the generation.",
            )


def _mesa(here: Place, gpu: GpuEntry) -> Mistakes:
    """Yield versions of Mesa that are none, or that say something of what rusticl never drives."""
    known = {field: getattr(gpu, field) for field in _MESA}
    stated = {field: text for field, text in known.items() if text is not None}
    wrong = [one for f, text in stated.items() for one in check.version(here.at(f), text, "mesa")]
    yield from wrong
    if stated and gpu.mesa != "iris":
        yield here.at(min(stated)).mistake("rusticl drives only what Mesa's iris drives")
    if gpu.mesa_lacks and gpu.mesa_since and not wrong:
        lacks, since = f"<={gpu.mesa_lacks}", f">={gpu.mesa_since}"
        yield from check.apart(here.at("mesa_since"), lacks, since, "mesa")


def generations(files: dict[Path, Generation], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of generations."""
    for path, generation in files.items():
        top = Place(path)
        yield from check.is_named(top.at("generation"), generation.generation)
        yield from check.table_legend(path)
        yield from _implementations(top, generation, tables)
        yield from _platforms(top, generation)
        for field in ("ip_versions", "ip_versions_early"):
            for text in getattr(generation, field):
                if not _IP_RANGE.fullmatch(text):
                    yield top.at(field, text).mistake(f"{text!r} is no range such as 9.0-9.4")
    yield from _shared_ip_versions(files)


def _implementations(top: Place, generation: Generation, tables: Tables) -> Mistakes:
    known = tables.implementations()
    for field in ("implementations", "capabilities", "not_driven_by"):
        named = getattr(generation, field)
        yield from check.names(top.at(field), named, known, "implementation")
    for key, support in generation.implementations.items():
        scheme = known[key].version_scheme if key in known else "dotted"
        here = top.at("implementations", key)
        yield from check.versions(here.at("versions"), support.versions, scheme)
        yield from check.versions(here.at("linux"), support.linux, "linux")
        if key in generation.not_driven_by:
            yield top.at("not_driven_by", key).mistake(f"{key} drives it and never drove it")
    for key in generation.capabilities:
        if key not in generation.implementations and key in known:
            yield top.at("capabilities", key).mistake(
                f"{key} does not drive it", "Say under implementations which versions do."
            )


def _platforms(top: Place, generation: Generation) -> Mistakes:
    for key, platform in generation.platforms.items():
        here = top.at("platforms", key, "linux")
        readable = True
        for field in platform.linux.__struct_fields__:
            text = getattr(platform.linux, field)
            if text is not None:
                wrong = list(check.versions(here.at(field), text, "linux"))
                readable = readable and not wrong
                yield from wrong
        for driver in ("i915", "xe"):
            by_itself = getattr(platform.linux, driver)
            forced = getattr(platform.linux, f"{driver}_force_probe")
            if readable and by_itself and forced:
                yield from check.apart(here.at(f"{driver}_force_probe"), by_itself, forced, "linux")


def _shared_ip_versions(files: dict[Path, Generation]) -> Mistakes:
    ranges = [
        (path, text, _ends(text))
        for path, generation in files.items()
        for text in generation.ip_versions
        if _IP_RANGE.fullmatch(text)
    ]
    for (one, text, first), (two, other, second) in combinations(ranges, 2):
        if one != two and first[0] <= second[1] and second[0] <= first[1]:
            for path, mine, theirs in ((one, text, two), (two, other, one)):
                yield (
                    Place(path)
                    .at("ip_versions", mine)
                    .mistake(
                        f"it overlaps with a range of {theirs.name}", "An IP version names one."
                    )
                )


def _ends(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    first, _, last = text.partition("-")
    pair = [tuple(int(number) for number in end.split(".")) for end in (first, last or first)]
    return pair[0], pair[1]


def implementations(files: dict[Path, Implementation], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of implementations."""
    releases = [*(distribution.key for distribution in tables.distributions()), "*"]
    systems = {*(distribution.id for distribution in tables.distributions()), "pypi"}
    for path, entry in files.items():
        top = Place(path)
        yield from check.is_named(top.at("implementation"), entry.implementation)
        yield from check.table_legend(path)
        yield from check.versions(top.at("linux"), entry.linux, "linux")
        yield from check.names(top.at("packages"), entry.packages, systems, "distribution")
        yield from check.pattern(top.at("tells_llvm"), entry.tells_llvm or "")
        for number, release in enumerate(entry.releases):
            yield from _release(top.at("releases", number), release, entry, tables)
        yield from _contradicting(top.at("releases"), entry)
        for number, way in enumerate(entry.elsewhere):
            here = top.at("elsewhere", number)
            yield from check.sources(here.at("sources"), way.sources or entry.sources)
            yield from check.names(here.at("onto"), way.onto, releases, "distribution")
            yield from check.versions(here.at("glibc"), way.glibc, "dotted")
            yield from check.versions(here.at("python"), way.python, "pep440")
            known = tables.generations()
            yield from check.names(here.at("module_for"), way.module_for, known, "generation")
            if way.compiler is not None:
                yield from check.version(here.at("compiler", "llvm"), way.compiler.llvm, "dotted")


def _release(here: Place, release: Release, entry: Implementation, tables: Tables) -> Mistakes:
    yield from check.sources(here.at("sources"), release.sources or entry.sources)
    yield from check.versions(here.at("versions"), release.versions, entry.version_scheme)
    yield from check.versions(here.at("linux"), release.linux, "linux")
    known = tables.generations()
    yield from check.names(here.at("generations"), release.generations, known, "generation")
    families = tables.families()
    yield from check.names(here.at("families"), release.families, families, "family")
    cores = {core.core for table in tables.cores() for core in table.cores}
    yield from check.names(here.at("cores"), release.cores, cores, "core")
    yield from check.versions(here.at("llvm"), release.llvm, "dotted")
    if bool(release.cores) is not (release.llvm != "*"):
        yield here.mistake("a processor and the LLVM that compiles for it go together")
    yield from check.pattern(here.at("shows"), release.shows)
    if release.shows and not release.flawed:
        yield here.at("shows").mistake("only a flaw shows", "Add flawed: true, or leave it out.")
    if release.breaks and release.flawed:
        yield here.at("flawed").mistake("what does not work at all is not flawed", "Keep breaks.")
    if release.environment and not release.breaks:
        yield here.at("environment").mistake(
            "it belongs to releases that break", "Add breaks: true, or leave it out."
        )


def _contradicting(here: Place, entry: Implementation) -> Mistakes:
    """Two releases that break need different variables: which of them holds must be clear."""
    broken = [(number, one) for number, one in enumerate(entry.releases) if one.breaks]
    for (_, one), (number, other) in combinations(broken, 2):
        if _meet(one, other, entry.version_scheme):
            yield here.at(number, "versions").mistake(
                f"{other.versions!r} overlaps with {one.versions!r} on the same Linux and hardware",
                "One release breaks for one reason; let the ranges part.",
            )


def _meet(one: Release, other: Release, scheme: Scheme) -> bool:
    ours, theirs = {*one.generations, *one.families}, {*other.generations, *other.families}
    if ours and theirs and not ours & theirs:
        return False
    # Those of processors are of no GPU.
    if (one.cores or other.cores) and not {*one.cores} & {*other.cores}:
        return False
    try:
        return (
            overlap(one.versions, other.versions, scheme)
            and overlap(one.linux, other.linux, "linux")
            and overlap(one.llvm, other.llvm, "dotted")
        )
    except ClprobeError:
        return False  # reported as a range that cannot be read


def _pci_ids(
    place: Place, family: Family, text: str, owners: dict[tuple[str, int], str]
) -> Mistakes:
    """Yield PCI ids that cannot be read, or that another chip has; `owners` grows."""
    own = f"{family.family} ({place.keys[-1]})"
    try:
        for number in numbers_in(text):
            owner = owners.setdefault((family.vendor, number), own)
            if owner != own:
                yield place.mistake(f"{number:04x} is one of {owner} already")
    except ValueError as error:
        yield place.mistake(f"a PCI id cannot be read: {error}")


def processors(files: dict[Path, Processors], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of processors: GPUs that no table has."""
    platforms = {key for one in tables.generations().values() for key in one.platforms}
    for path, table in files.items():
        top = Place(path)
        yield from check.table_legend(path)
        for number, line in enumerate(table.lines):
            here = top.at("lines", number)
            if line.platform is not None:
                yield from check.names(here, [line.platform], platforms, "chip")
            if line.family is not None:
                yield from check.names(here, [line.family], tables.families(), "family")


def adapters(files: dict[Path, Adapters]) -> Mistakes:
    """Yield what is wrong in the files of display adapters."""
    for path, table in files.items():
        yield from check.table_legend(path)
        for number, one in enumerate(table.adapters):
            for pci_id in one.ids:
                if not re.fullmatch(r"[0-9a-f]{4}(:[0-9a-f]{4})?", pci_id):
                    place = Place(path).at("adapters", number, "ids")
                    yield place.mistake(f"{pci_id} is no PCI id and no vendor's half")


def families(files: dict[Path, Family], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of families; a PCI id belongs to one of them."""
    known = tables.implementations()
    owners: dict[tuple[str, int], str] = {}
    for path, family in files.items():
        top = Place(path)
        yield from check.is_named(top.at("family"), family.family)
        yield from check.table_legend(path)
        for chip, text in family.chips.items():
            yield from _pci_ids(top.at("chips", chip), family, text, owners)
        for field in ("implementations", "not_driven_by"):
            named = getattr(family, field)
            yield from check.names(top.at(field), named, known, "implementation")
        for key, support in family.implementations.items():
            scheme = known[key].version_scheme if key in known else "dotted"
            here = top.at("implementations", key, "versions")
            yield from check.versions(here, support.versions, scheme)
