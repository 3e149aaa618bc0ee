# SPDX-License-Identifier: MIT
"""Checks of rules/tables/distributions, stacks and origins."""

import re
from itertools import combinations
from pathlib import Path

from clprobe.compat.evidence import Verified
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.stack_table import Stack, StackSupport
from clprobe.knowledge.system_table import Systems
from clprobe.knowledge.table_types import Distribution, PackageVersion
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import Scheme, compare, upstream
from clprobe.knowledge.windows_table import WindowsDriver
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place

_FULL_SCHEMES = ("neo", "mesa")
"""Schemes whose versions always have all parts; PoCL's 7.0 and NVIDIA's 430.40 are whole, too."""
_FINGERPRINT = re.compile(r"[0-9A-F]{40}")


def distributions(files: dict[Path, Distribution], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of distributions."""
    for path, entry in files.items():
        top = Place(path)
        yield from check.is_named(top, entry.key)
        yield from check.table_legend(path)
        for name, versions in entry.packages.items():
            here = top.at("packages", name)
            for number, version in enumerate(versions):
                yield from _package(here.at(number), version, entry, tables)
            pockets = [version.pocket for version in versions]
            for number, pocket in enumerate(pockets):
                if pocket in pockets[:number]:
                    yield here.at(number).mistake(
                        f"pocket {pocket} is listed twice", "Keep its newest version."
                    )
            if name in entry.absent:
                yield top.at("absent", name).mistake(f"{name} is listed and absent at once")
        yield from _not_packaged(top, entry, tables)
        yield from _versions(top, entry)
    for key, known in tables.implementations().items():
        if known.version_scheme in _FULL_SCHEMES:
            yield from _cut_short(_rows_of(files, key), known.version_scheme)


def _rows_of(files: dict[Path, Distribution], implementation: str) -> dict[Place, str]:
    """Return the upstream version of every row of an implementation, by its place."""
    return {
        Place(path).at("packages", name, number, "version"): upstream(row.version)
        for path, entry in files.items()
        for name, rows in entry.packages.items()
        for number, row in enumerate(rows)
        if implementation in row.implementations
    }


def _cut_short(rows: dict[Place, str], scheme: Scheme) -> Mistakes:
    """Yield versions that lack a part, which sort below the whole ones.

    A scheme may gain parts over the years and loses none: what has fewer than an older one, or
    fewer than all others, was cut.
    """
    parts = {text: text.count(".") + 1 for text in rows.values() if re.match(r"\d", text)}
    for place, text in rows.items():
        others = [other for other in parts if other != text]
        more = [other for other in others if parts[other] > parts.get(text, 0)]
        older = [other for other in more if compare(other, text, scheme) < 0]
        if text in parts and more and (older or len(more) == len(others)):
            whole = (older or more)[0]
            yield place.mistake(
                f"{text!r} has fewer parts than {whole!r} elsewhere",
                "Write the version in full, as the package has it.",
            )


def other_systems(files: dict[Path, Systems], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of systems without a table."""
    releases = tables.distributions()
    known = {one.id for one in releases} | {re.sub(r"-[\d.]+$", "", one.key) for one in releases}
    for path, table in files.items():
        top = Place(path)
        yield from check.table_legend(path)
        for number, one in enumerate(table.systems):
            if one.plan == "none" and one.because is None:
                yield top.at("systems", number).mistake(f"why no plan is made for {one.name}?")
        for number, edition in enumerate(table.editions):
            here = top.at("editions", number)
            yield from check.names(here, [edition.of], known, "distribution")


def _versions(top: Place, entry: Distribution) -> Mistakes:
    """Yield what is no version of Linux, of glibc or of Python."""
    for field in ("glibc", "python"):
        text = getattr(entry, field)
        if text is not None:
            yield from check.version(top.at(field), text, "dotted")
    shipped = entry.linux
    for pocket in ("default", "hwe", "backports") if shipped is not None else ():
        text = getattr(shipped, pocket)
        if text is not None:
            yield from check.version(top.at("linux", pocket), text, "linux")


def _not_packaged(top: Place, entry: Distribution, tables: Tables) -> Mistakes:
    """Yield implementations that are packaged, lacking or unknown twice over."""
    answered = {
        key
        for versions in entry.packages.values()
        for version in versions
        for key in version.implementations
    }
    for field in ("lacks", "unknown"):
        for number, line in enumerate(getattr(entry, field)):
            here = top.at(field, number)
            yield from check.sources(here.at("sources"), line.sources or entry.sources)
            known = tables.implementations()
            named = line.implementations
            yield from check.names(here.at("implementations"), named, known, "implementation")
            for key in sorted(answered & set(named)):
                yield here.at("implementations").mistake(
                    f"{key} has another answer above", "A release packages it, lacks it or is open."
                )
            answered |= set(named)


def _package(here: Place, version: PackageVersion, entry: Distribution, tables: Tables) -> Mistakes:
    yield from check.sources(here.at("sources"), version.sources or entry.sources)
    known = tables.implementations()
    named = version.implementations
    yield from check.names(here.at("implementations"), named, known, "implementation")
    driven = version.also_drives
    yield from check.names(here.at("also_drives"), driven, tables.generations(), "generation")
    yield from check.version(here.at("version"), version.version, "dotted")
    if version.compiler is not None:
        yield from check.version(here.at("compiler", "llvm"), version.compiler.llvm, "dotted")
    if version.at_most is not None and compare(version.at_most, version.version, "debian") < 0:
        yield here.at("at_most").mistake(f"{version.at_most!r} is older than {version.version!r}")
    if bool(version.implementations) == (version.role is not None):
        yield here.mistake("it needs either implementations or a role")


def stacks(files: dict[Path, Stack], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of deep-learning stacks."""
    families = tables.families()
    for path, stack in files.items():
        top = Place(path)
        yield from check.is_named(top.at("stack"), stack.stack)
        yield from check.table_legend(path)
        for number, build in enumerate(stack.builds):
            here = top.at("builds", number)
            yield from check.sources(here.at("sources"), build.sources or stack.sources)
            yield from check.versions(here.at("python"), build.python, "pep440")
            yield from check.versions(here.at("glibc"), build.glibc, "dotted")
            yield from check.versions(here.at("driver"), build.driver, "dotted")
            yield from check.names(here.at("families"), build.families, families, "family")
            if build.index is not None:
                yield from _https(here.at("index"), build.index)
            elif build.local is not None:
                yield here.at("local").mistake("Python's own index has no local versions")
        for number, support in enumerate(stack.supports):
            here = top.at("supports", number)
            yield from check.sources(here.at("sources"), support.sources or stack.sources)
            known, drivers = tables.generations(), tables.implementations()
            named = support.generations
            yield from check.names(here.at("generations"), named, known, "generation")
            yield from check.names(here.at("families"), support.families, families, "family")
            yield from check.names(here.at("via"), support.via, drivers, "implementation")
        yield from _contradicting(top.at("supports"), stack)


def _contradicting(here: Place, stack: Stack) -> Mistakes:
    for (_, one), (number, other) in combinations(enumerate(stack.supports), 2):
        twice = set(_hardware(one)) & set(_hardware(other))
        if twice and set(one.via) == set(other.via) and not one.names:
            yield here.at(number).mistake(
                f"{min(twice)} has another answer above", "Give one answer per implementation."
            )


def _hardware(support: StackSupport) -> tuple[str, ...]:
    return support.generations + support.families


def origins(files: dict[Path, Origin], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of third parties' repositories."""
    releases = [distribution.key for distribution in tables.distributions()]
    for path, entry in files.items():
        top = Place(path)
        yield from check.is_named(top.at("origin"), entry.origin)
        yield from check.table_legend(path)
        yield from check.names(top.at("repositories"), entry.repositories, releases, "distribution")
        yield from _https(top.at("key_url"), entry.key_url)
        for key, repository in entry.repositories.items():
            yield from _https(top.at("repositories", key, "uri"), repository.uri)
        if entry.fingerprint is None and entry.note is None:
            yield top.mistake("it has no fingerprint and no note that says why")
        if entry.fingerprint is None and entry.other_fingerprints:
            yield top.at("other_fingerprints").mistake("the first key's stands in fingerprint")
        for field, values in (
            ("fingerprint", filter(None, (entry.fingerprint,))),
            ("other_fingerprints", entry.other_fingerprints),
        ):
            if not all(_FINGERPRINT.fullmatch(value) for value in values):
                yield top.at(field).mistake(
                    "a fingerprint is 40 hexadecimal digits in capitals",
                    "gpg --show-keys prints it.",
                )


def windows_drivers(files: dict[Path, WindowsDriver], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of drivers for Windows."""
    known = {*tables.generations(), *tables.families()}
    for path, entry in files.items():
        top = Place(path)
        yield from check.is_named(top.at("vendor"), entry.vendor)
        yield from check.table_legend(path)
        yield from check.names(top.at("not_for"), entry.not_for, known, "generation or family")
        yield from _https(top.at("page"), entry.page)


def _https(place: Place, url: str) -> Mistakes:
    if not url.startswith("https://") or re.search(r"\s", url):
        yield place.mistake(f"{url!r} is no address with https")


def verified(path: Path, tables: Tables) -> Mistakes:
    """Yield names in rules/tables/verified.yaml that lead nowhere.

    Raises: ClprobeError if it does not fit its type.
    """
    top, found = Place(path), Verified.load(path.parent)
    releases = [release.key for release in tables.distributions()]
    yield from check.names(top.at("packages"), found.packages, releases, "distribution")
    drivers = tables.implementations()
    for number, one in enumerate(found.drivers):
        here = top.at("drivers", number)
        named = [one.implementation]
        yield from check.names(here.at("implementation"), named, drivers, "implementation")
        yield from check.names(here.at("families"), one.families, tables.families(), "family")
        yield from check.version(here.at("version"), one.version, "debian")
