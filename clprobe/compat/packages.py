# SPDX-License-Identifier: MIT
"""Which command installs a package here, and which packages hold an implementation."""

from clprobe.compat.coverage import tables_cover
from clprobe.compat.processor import refusal
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.package_managers import manager_of_distribution
from clprobe.knowledge.table_types import Distribution as Release
from clprobe.knowledge.table_types import PackageVersion
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream
from clprobe.model.system import Cpu, Distribution
from clprobe.model.unknown import UNLISTED, Fact, Unknown, listed

LOADER = "loader"
"""What rules write to have an ICD loader installed."""
TOOL_CHAIN = "tool-chain"
"""What rules write to have a linker, the C library's and libgcc's start files installed."""
_TOOL_CHAINS = {"debian": ("gcc", "libc6-dev"), "ubuntu": ("gcc", "libc6-dev")}


def package_manager(distribution: Distribution) -> PackageManager | None:
    """Return the package manager of the distribution or of one that it derives from."""
    return manager_of_distribution(_family(distribution))


def packages_with(
    what: str, tables: Tables, distribution: Distribution, cpu: Cpu | None = None
) -> tuple[str, ...]:
    """Return the packages of this release with an implementation, the loader or the tool chain.

    Nothing comes back where the tables know the release and it lacks the package, or `cpu` and what
    is there compiles nothing for it: a command that cannot work is worse than none.
    """
    if what == TOOL_CHAIN:
        return next(filter(None, map(tool_chain, _family(distribution))), ())
    release, entry = release_of(tables, distribution), tables.implementation(what)
    if release is not None:
        core = tables.core_of(cpu) if cpu is not None else None
        names = [
            name
            for name, versions in release.packages.items()
            for version in versions
            if _holds(version, what)
            if entry is None or refusal(entry, version, core) is None
        ]
        return tuple(names[:1])
    for name in _family(distribution):
        if entry is not None and name in entry.packages:
            return entry.packages[name]
    return ()


def installable(
    implementations: Fact[tuple[str, ...]],
    pci_id: Fact[str],
    tables: Tables,
    distribution: Distribution,
) -> Fact[str | None]:
    """Return the best implementation that this release packages in a version that drives the GPU.

    Maintained ones come first, and those that need no variable to be set.
    """
    release = release_of(tables, distribution)
    if release is None or isinstance(implementations, Unknown) or isinstance(pci_id, Unknown):
        return UNLISTED
    entries = [tables.implementation(key) for key in implementations]
    known = [entry for entry in entries if entry is not None]
    for entry in sorted(known, key=lambda one: (not one.maintained, bool(one.enable))):
        key = entry.implementation
        for versions in release.packages.values():
            holding = [version for version in versions if key in version.implementations]
            if any(tables_cover(tables, key, one.version, pci_id) is True for one in holding):
                return key
    return None


def tool_chain(distribution_id: str) -> tuple[str, ...]:
    """Return the packages with a linker and the C library's files; () where we know none."""
    return _TOOL_CHAINS.get(distribution_id, ())


def title_of(what: str, tables: Tables) -> str:
    """Return what people call it."""
    if what == LOADER:
        return "an ICD loader (libOpenCL.so.1)"
    if what == TOOL_CHAIN:
        return "a C tool chain (ld, the C library's and libgcc's start files)"
    entry = tables.implementation(what)
    return entry.name if entry is not None else what


def packaged_version(implementation: str, tables: Tables, distribution: Distribution) -> Fact[str]:
    """Return the upstream version that this release packages first of an implementation."""
    release = release_of(tables, distribution)
    for versions in release.packages.values() if release is not None else ():
        for version in versions:
            if implementation in version.implementations:
                return upstream(version.version)
    return UNLISTED


def release_of(tables: Tables, distribution: Distribution) -> Release | None:
    """Return what the tables know of this release of the distribution."""
    for version in (distribution.version, distribution.codename):
        if isinstance(distribution.id, str) and isinstance(version, str):
            found = tables.distribution(distribution.id, version)
            if found is not None:
                return found
    return None


def _holds(version: PackageVersion, what: str) -> bool:
    return version.role == LOADER if what == LOADER else what in version.implementations


def _family(distribution: Distribution) -> tuple[str, ...]:
    own = (distribution.id,) if isinstance(distribution.id, str) else ()
    return own + listed(distribution.like)
