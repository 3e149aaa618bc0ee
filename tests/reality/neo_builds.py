# SPDX-License-Identifier: MIT
"""The builds of Intel's driver that the tables are compared with, each with its offline compiler.

Debian 12's plays every GPU that it drives; of sid the newest, which plays none (its release builds
lack what that takes), and the legacy1 branch, which plays those that it still drives.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from debian_archive import Archive
from emulated_neo import Driver, installed
from offline_compiler import OfflineCompiler
from unpacked_suite import UnpackedSuite

PLAYS_ALL = "22.43."
# Apart from each other: where the newest compiler finds that of legacy1, it asks it too.
_NEWEST = ("intel-ocloc", "zlib1g", "libzstd1")
_LEGACY1 = (
    "intel-ocloc-legacy", "intel-opencl-icd-legacy", "libigdgmm12", "zlib1g", "libzstd1",
    "ocl-icd-libopencl1",
)  # fmt: skip
# A driver shows a GPU only after its compiler, which is built on LLVM, has built its own kernels.
_COMPILER = (
    "libigc1", "libigdfcl1", "libopencl-clang14", "libclang-cpp14", "libllvmspirvlib14",
    "libllvm14", "libz3-4", "libedit2", "libxml2", "libicu72", "libffi8", "libbsd0", "libmd0",
)  # fmt: skip
_OF_DEBIAN_12 = ("intel-opencl-icd", "libigdgmm12", "zlib1g", "ocl-icd-libopencl1", *_COMPILER)
_LIBRARIES = "usr/lib/x86_64-linux-gnu"


@dataclass(frozen=True, slots=True)
class Build:
    """A driver, asked while it plays GPUs, and its compiler, asked what it knows of them."""

    driver: Driver
    compiler: OfflineCompiler

    @property
    def name(self) -> str:
        """Return what to call it in a message."""
        return f"{self.driver.implementation} {self.driver.version}"


def of_debian_12(archive: Callable[[], Archive]) -> Build:
    """Return Debian 12's build: this machine's own, or unpacked from the archive.

    Raises: SuiteUnreachableError
    """
    own = installed()
    if own is not None and own.version.startswith(PLAYS_ALL):
        compiler = Path("/", _LIBRARIES, "libocloc.so")
        return Build(own, OfflineCompiler(own.version, compiler))
    unpacked = UnpackedSuite(archive(), "bookworm", _OF_DEBIAN_12, own_c_library=False)
    version = unpacked.versions["intel-opencl-icd"]
    return _build(unpacked, "compute-runtime", version, "libigdrcl.so", "libocloc.so")


def legacy1_of_sid(archive: Archive) -> Build:
    """Return sid's build of the legacy1 branch.

    Raises: SuiteUnreachableError
    """
    sid = UnpackedSuite(archive, "sid", _LEGACY1)
    version = sid.versions["intel-opencl-icd-legacy"]
    return _build(
        sid, "compute-runtime-legacy1", version, "libigdrcl_legacy1.so", "libocloc_legacy1.so"
    )


def newest_of_sid(archive: Archive) -> OfflineCompiler:
    """Return sid's newest offline compiler.

    Raises: SuiteUnreachableError
    """
    sid = UnpackedSuite(archive, "sid", _NEWEST)
    library = sid.file(f"{_LIBRARIES}/libocloc.so")
    return OfflineCompiler(sid.versions["intel-ocloc"], library, sid.command(Path(sys.executable)))


def _build(
    suite: UnpackedSuite, implementation: str, version: str, driver: str, compiler: str
) -> Build:
    python = suite.command(Path(sys.executable))
    return Build(
        Driver(
            implementation=implementation,
            version=version,
            library=suite.file(f"{_LIBRARIES}/intel-opencl/{driver}"),
            python=python,
        ),
        OfflineCompiler(version, suite.file(f"{_LIBRARIES}/{compiler}"), python),
    )
