# SPDX-License-Identifier: MIT
"""What the lexicon says of implementations and of machine-learning stacks."""

import fnmatch
import re
from collections.abc import Iterator

from clprobe.compat.linux_choice import is_in_range
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon_entry import (
    Entry,
    Fact,
    as_a_whole,
    doubt,
    is_called,
    package_row,
    page,
    split_version,
    squeezed,
    words,
)
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.gpu_spelling import is_general
from clprobe.knowledge.stack_table import Stack
from clprobe.knowledge.table_types import Generation, Implementation, Release
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words, upstream


def implementations(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the implementations of that name, platform or file; with a version, what it brings."""
    known = knowledge.tables.implementations()
    for base, version in _bases(name):
        found = [one for key, one in known.items() if is_called(base, key, one.called)]
        # A package has a page of its own: opencl-mesa is none of Mesa's two drivers.
        package = any(base in one.packages for one in knowledge.tables.distributions())
        wanted = frozenset() if package else words(base) - {"opencl"}
        loose = [one for key, one in known.items() if wanted <= words(f"{key} {one.name}")]
        found = found or (loose if wanted and not is_general(base) else [])
        found = found or _shown(base, knowledge.tables)
        for one in sorted(found, key=lambda one: (not one.maintained, len(one.implementation))):
            said = name if re.fullmatch(r"[\d.]+", name) else version
            yield implementation_entry(one, knowledge.tables, said)
        if found:
            return


def _bases(name: str) -> Iterator[tuple[str, str | None]]:
    """Yield name and version as the name may be split: "pocl 7" has one only if nothing has it."""
    yield split_version(name)
    brand = re.match(r"(mali|adreno|videocore)\b", name.strip().lower())
    number = re.fullmatch(r"(.*[A-Za-z)])[ =@_-]+v?(\d{1,3})", name.strip())
    if brand is not None:  # what follows is the chip: Mali-G52, Adreno 630
        yield brand[1], None
    elif number is not None:
        yield number[1], number[2]


def _shown(name: str, tables: Tables) -> list[Implementation]:
    """Return the implementations whose platform, library, .icd file or package is called so.

    A package that some release has is left out: it has a page of its own.
    """
    known = tables.implementations().values()
    if re.fullmatch(r"\d\d\.\d\d\.\d{4,6}(\.\d+)?", name):  # as compute-runtime says its own
        neo = [one for one in known if one.version_scheme == "neo"]
        return [one for one in neo if _fits(name, one.recognise.driver_versions)]
    platform = [
        one
        for one in known
        if any(squeezed(name) == squeezed(text) for text in one.recognise.platform_names)
    ]
    file_name = name.rsplit("/", 1)[-1]
    files = [
        one
        for one in known
        if _fits(file_name, (*one.recognise.libraries, *one.recognise.files))
        or file_name in (text.rstrip("*") for text in one.recognise.libraries)
    ]
    if platform or files or any(name in one.packages for one in tables.distributions()):
        return platform or files
    return [one for one in known if _fits(name, one.recognise.packages)]


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def implementation_entry(
    found: Implementation, tables: Tables, version: str | None = None
) -> Entry:
    """Return the page of an implementation, of one version if it is given."""
    key = found.implementation
    hardware: dict[str, Generation | Family] = {**tables.generations(), **tables.families()}
    ranges = {
        name: one.implementations[key].versions
        for name, one in hardware.items()
        if key in one.implementations
    }
    never = [
        f"{name}: {one.not_driven_by[key]}"
        for name, one in tables.generations().items()
        if key in one.not_driven_by
    ]
    elsewhere = (
        f"{', '.join(one.packages)} {one.version or ''} from {one.origin}: {one.note}{doubt(one)}"
        for one in found.elsewhere
    )
    built_with = (
        f"{release}: IGC {one.igc}, gmmlib {one.gmmlib}"
        for release, one in found.built_with.items()
    )
    listed = "listed all the same" if found.platform_without_device else "not listed"
    facts: list[Fact] = [
        ("status", found.status),
        ("devices", ", ".join(found.device_types)),
        *_of_version(found, ranges, version),
        ("seen", _newer_than_seen(found, tables, version)),
        ("drives", (f"{name} {in_words(text)}" for name, text in ranges.items())),
        ("does not drive", never),
        ("packaged in", _packaged(key, tables)),
        ("elsewhere", elsewhere),
        ("kernel drivers", ", ".join(found.kernel_drivers)),
        ("Linux", in_words(found.linux) if found.linux != "*" else ""),
        ("device nodes", ", ".join(found.device_nodes)),
        ("shows with", ", ".join(f"{name}={value}" for name, value in found.enable.items())),
        ("variables", (f"{name}: {text}" for name, text in found.variables.items())),
        ("platform", ", ".join(found.recognise.platform_names)),
        ("without device", f"its platform is {listed}"),
        ("libraries", ", ".join(found.recognise.libraries)),
        (".icd files", ", ".join(found.recognise.files)),
        ("packages", (f"{name}: {', '.join(named)}" for name, named in found.packages.items())),
        ("companions", ", ".join(found.companions)),
        ("built with", built_with),
        ("releases", map(release_line, found.releases)),
        ("problems", found.problems),
        ("next", f"clprobe rules matrix --implementation {key}"),
        *as_a_whole(found),
    ]
    title = f"{key}{f' {version}' if version else ''}: {found.name}"
    return page("driver", title, facts, found.sources)


def release_line(found: Release) -> str:
    """Return what is to be known of some releases, with the hardware and Linux it is about."""
    about = [in_words(found.versions)]
    about += [f"on {', '.join(found.generations)}"] if found.generations else []
    about += [f"with Linux {in_words(found.linux)}"] if found.linux != "*" else []
    about += [f"on {', '.join(found.cores)}"] if found.cores else []
    about += [f"with LLVM {in_words(found.llvm)}"] if found.llvm != "*" else []
    return f"{' '.join(about)}: {found.note}{doubt(found)}"


def _of_version(
    found: Implementation, ranges: dict[str, str], version: str | None
) -> Iterator[Fact]:
    if version is None:
        return
    number = version if found.version_scheme == "debian" else upstream(version)
    said = {name: is_in_range(number, text, found.version_scheme) for name, text in ranges.items()}
    drives = [name for name, verdict in said.items() if verdict is True]
    lost = [name for name, verdict in said.items() if verdict is False]
    notes = [
        release_line(one)
        for one in found.releases
        if is_in_range(number, one.versions, found.version_scheme) is True
    ]
    yield f"{version} drives", ", ".join(drives) or "nothing that the tables know"
    yield f"{version} lacks", ", ".join(lost)
    yield f"{version} has", notes


def _newer_than_seen(found: Implementation, tables: Tables, version: str | None) -> str:
    """Return that the version is newer than any in the tables, where that is so."""
    seen = [
        upstream(row.version)
        for release in tables.distributions()
        for rows in release.packages.values()
        for row in rows
        if found.implementation in row.implementations
    ]
    scheme = found.version_scheme
    if version is None or not seen or scheme == "debian":
        return ""
    newer = [is_in_range(upstream(version), f">{one}", scheme) for one in seen]
    is_newer = all(one is True for one in newer)
    return "newer than any that the tables know: what it drives is expected" if is_newer else ""


def _packaged(key: str, tables: Tables) -> Iterator[str]:
    for release in tables.distributions():
        rows = [
            package_row(name, one)
            for name, versions in release.packages.items()
            for one in versions
            if key in one.implementations
        ]
        if rows:
            yield f"{release.key}: {', '.join(rows)}"


def stacks(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the stacks of that name; with a version, the page names the builds of it."""
    known = knowledge.tables.stacks()
    for base, version in _bases(name):
        wanted = words(base)
        found = [one for key, one in known.items() if is_called(base, key, one.called)]
        loose = [
            one
            for key, one in known.items()
            if wanted <= words(f"{key} {one.name} {' '.join(_own_packages(one))}")
            or squeezed(base) in map(squeezed, _own_packages(one))
        ]
        if is_general(base) or wanted <= {"python"}:
            loose = []
        # Those that carry the word in their key come before those that only mention it.
        loose.sort(key=lambda one: squeezed(base) not in squeezed(one.stack))
        for one in found or loose:
            yield stack_entry(one, version)
        if found or loose:
            return


def _own_packages(found: Stack) -> list[str]:
    """Return the packages that are the stack's, not what it needs besides."""
    own = squeezed(f"{found.stack} {found.name}")
    return [
        package
        for package in found.packages
        if any(len(word) > 1 and word in own for word in re.findall(r"[a-z]+", package.lower()))
    ]


def stack_entry(found: Stack, version: str | None = None) -> Entry:
    """Return the page of a stack."""
    supports = [
        f"{', '.join(one.generations + one.families)}: {one.outcome}, {one.because}{doubt(one)}"
        for one in found.supports
    ]
    builds = [
        f"{one.version} for Python {one.python}"
        + (f", torch {one.torch}" if one.torch else "")
        + doubt(one)
        for one in found.builds
        if version is None or version in (one.version, one.torch) or one.version.startswith(version)
    ]
    none = f"of {version} no build is entered" if version and not builds else ""
    facts: list[Fact] = [
        ("summary", found.summary),
        ("status", found.status),
        ("purpose", f"{found.purpose}, through {found.api}"),
        ("systems", ", ".join(found.systems)),
        ("device", found.device),
        ("builds", builds or none),
        ("supports", supports),
        ("without a GPU", found.cpu),
        ("problems", found.problems),
        ("check", found.check),
        ("next", "clprobe install-plan --goal pytorch" if found.purpose == "training" else ""),
        *as_a_whole(found),
    ]
    return page("stack", f"{found.stack}: {found.name}", facts, found.sources)
