# SPDX-License-Identifier: MIT
"""Checks of rules/tables/implementations and families: ranges, releases, what they lead to."""

from itertools import combinations
from pathlib import Path

from clprobe.knowledge.family_table import Family
from clprobe.knowledge.table_types import Implementation, Release
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import Scheme, overlap
from clprobe.model.errors import ClprobeError
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place

_ALL = ("*",)


def implementations(files: dict[Path, Implementation], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of implementations."""
    releases = [*(distribution.key for distribution in tables.distributions()), *_ALL]
    systems = {*(distribution.id for distribution in tables.distributions()), "pypi"}
    for path, entry in files.items():
        top = Place(path)
        yield from check.is_named(top.at("implementation"), entry.implementation)
        yield from check.table_legend(path)
        yield from check.versions(top.at("linux"), entry.linux, "linux")
        yield from check.names(top.at("packages"), entry.packages, systems, "distribution")
        for number, release in enumerate(entry.releases):
            yield from _release(top.at("releases", number), release, entry, tables)
        yield from _contradicting(top.at("releases"), entry)
        for number, way in enumerate(entry.elsewhere):
            here = top.at("elsewhere", number)
            yield from check.sources(here.at("sources"), way.sources or entry.sources)
            yield from check.names(here.at("onto"), way.onto, releases, "distribution")
            yield from check.versions(here.at("glibc"), way.glibc, "dotted")
            yield from check.versions(here.at("python"), way.python, "pep440")


def _release(here: Place, release: Release, entry: Implementation, tables: Tables) -> Mistakes:
    yield from check.sources(here.at("sources"), release.sources or entry.sources)
    yield from check.versions(here.at("versions"), release.versions, entry.version_scheme)
    yield from check.versions(here.at("linux"), release.linux, "linux")
    known = tables.generations()
    yield from check.names(here.at("generations"), release.generations, known, "generation")
    if release.breaks and release.flawed:
        yield here.at("flawed").mistake("what does not work at all is not flawed", "Keep breaks.")
    if release.environment and not release.breaks:
        yield here.at("environment").mistake(
            "it belongs to releases that break", "Add breaks: true, or leave it out."
        )


def _contradicting(here: Place, entry: Implementation) -> Mistakes:
    """Two releases that break need different variables: which of them hold must be clear."""
    broken = [(number, one) for number, one in enumerate(entry.releases) if one.breaks]
    for (_, one), (number, other) in combinations(broken, 2):
        if _meet(one, other, entry.version_scheme):
            yield here.at(number, "versions").mistake(
                f"{other.versions!r} overlaps with {one.versions!r} on the same Linux and GPUs",
                "One release breaks for one reason; let the ranges part.",
            )


def _meet(one: Release, other: Release, scheme: Scheme) -> bool:
    both = set(one.generations) & set(other.generations)
    if one.generations and other.generations and not both:
        return False
    try:
        return overlap(one.versions, other.versions, scheme) and overlap(
            one.linux, other.linux, "linux"
        )
    except ClprobeError:
        return False  # reported as a range that cannot be read


def families(files: dict[Path, Family], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of AMD's and NVIDIA's families."""
    known = tables.implementations()
    for path, family in files.items():
        top = Place(path)
        yield from check.is_named(top.at("family"), family.family)
        yield from check.table_legend(path)
        for name in family.names:
            yield from check.pattern(top.at("names", name), name)
        for field in ("implementations", "not_driven_by"):
            named = getattr(family, field)
            yield from check.names(top.at(field), named, known, "implementation")
        for key, support in family.implementations.items():
            scheme = known[key].version_scheme if key in known else "dotted"
            here = top.at("implementations", key, "versions")
            yield from check.versions(here, support.versions, scheme)
