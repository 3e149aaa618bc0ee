# SPDX-License-Identifier: MIT
"""The one answer to whether a build of an implementation compiles kernels for a processor.

Whatever says so asks here: plans, doctor's facts and remedies, bench.
"""

from clprobe.compat.offers import Offer
from clprobe.knowledge.core_table import Core
from clprobe.knowledge.table_types import Implementation, PackageVersion, Release
from clprobe.knowledge.versions import compare, in_range, upstream


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
    return f"{broken.note} ({core.name}, LLVM {build.compiler.llvm})"
