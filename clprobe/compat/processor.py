# SPDX-License-Identifier: MIT
"""The one answer to whether a build of an implementation compiles kernels for a processor.

Whatever says so asks here: plans, doctor's facts and remedies, bench.
"""

import re

from clprobe.compat.offers import Offer
from clprobe.knowledge.core_table import Core
from clprobe.knowledge.table_types import Implementation, PackageVersion, Release
from clprobe.knowledge.versions import compare, in_range, upstream
from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import Fact, Unknown


def is_of_release(version: str | None, release: Release, implementation: Implementation) -> bool:
    """Whether a version, as a package or a driver writes it, is one of those that are meant."""
    if version is None:
        return release.versions == "*"
    if any(compare(version, mended, "debian") >= 0 for mended in release.mended):
        return False
    scheme = implementation.version_scheme
    number = version if scheme == "debian" else upstream(version)
    return in_range(number, release.versions, scheme)


def known_on_core(
    implementation: Implementation, version: str | None, llvm: str, core: Core
) -> tuple[Release, ...]:
    """Return what the tables know of a version that compiles with this LLVM on a processor."""
    return tuple(
        one
        for one in implementation.releases
        if core.core in one.cores
        and is_of_release(version, one, implementation)
        and in_range(llvm, one.llvm, "dotted")
    )


def known_of(
    implementation: Implementation, build: Offer | PackageVersion, core: Core | None
) -> tuple[Release, ...]:
    """Return the same of an offer or a package; nothing where the processor is not known."""
    if core is None or build.compiler is None:
        return ()
    return known_on_core(implementation, build.version, build.compiler.llvm, core)


def refusal(
    implementation: Implementation, build: Offer | PackageVersion, core: Core | None
) -> str | None:
    """Return why it compiles nothing for the processor, as a clause; None: nothing speaks so."""
    broken = next((one for one in known_of(implementation, build, core) if one.is_broken), None)
    if broken is None or build.compiler is None or core is None:
        return None
    return _clause(broken, core, build.compiler.llvm)


def refusal_of_driver(
    implementation: Implementation | None,
    platform_version: Fact[str],
    driver_version: Fact[str],
    core: Core | None,
) -> str | None:
    """Return the same of a driver, by what its platform says of itself."""
    if implementation is None or core is None or implementation.tells_llvm is None:
        return None
    if isinstance(platform_version, Unknown) or isinstance(driver_version, Unknown):
        return None
    told = re.search(implementation.tells_llvm, platform_version)
    if told is None:
        return None
    try:
        found = known_on_core(implementation, driver_version, told["llvm"], core)
    except ClprobeError:  # a version that cannot be read
        return None
    broken = next((one for one in found if one.is_broken), None)
    return _clause(broken, core, told["llvm"]) if broken is not None else None


def _clause(broken: Release, core: Core, llvm: str) -> str:
    return f"{broken.note} ({core.name}, LLVM {llvm})"
