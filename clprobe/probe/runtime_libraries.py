# SPDX-License-Identifier: MIT
"""Libraries that drivers and frameworks open by name while they run, as the linker finds them."""

from clprobe.model.unknown import Unknown, listed
from clprobe.probe.facts import ask
from clprobe.probe.host import ElfFile, Host
from clprobe.probe.libraries import Libraries
from clprobe.probe.opencl.icds import FoundIcd

# No header lists these: a driver finds out that one is absent when a program builds its first
# kernel. libLLVM is not among them: every release has a name of its own, and no driver opens it so.
NAMES = (
    "libOpenCL.so",
    "libigc.so.1", "libigc.so.2", "libigdfcl.so.1", "libigdfcl.so.2", "libigdgmm.so.11",
    "libigdgmm.so.12", "libze_loader.so.1", "libze_intel_gpu.so.1",
    "libcuda.so.1", "libnvidia-opencl.so.1", "libnvidia-ptxjitcompiler.so.1",
    "libnvidia-nvvm.so.4", "libnvidia-ml.so.1",
    "libamd_comgr.so.2", "libamd_comgr.so.3", "libhsa-runtime64.so.1", "libamdocl64.so",
    "libdxcore.so",
)  # fmt: skip


def probe_runtime_libraries(
    host: Host, libraries: Libraries, icds: tuple[FoundIcd, ...]
) -> dict[str, str | Unknown | None]:
    """Return the file behind each name, links resolved; None if this process finds none.

    Folders that a driver brings as its own search path count last: conda's and Nix's need them.
    """
    beside = listed(ask(_own_folders, host, libraries, icds))
    return {name: ask(_found, host, libraries, name, beside) for name in NAMES}


def _found(
    host: Host, libraries: Libraries, name: str, beside: tuple[str, ...]
) -> str | Unknown | None:
    cached = ask(host.cached_libraries, name)
    if isinstance(cached, Unknown):
        return cached
    for folders in ((), beside):
        path = libraries.find(name, beside=folders)
        # The linker passes over a library for another processor.
        if path is not None and libraries.is_for_this_process(path):
            return host.real_path(path)
    return None


def _own_folders(host: Host, libraries: Libraries, icds: tuple[FoundIcd, ...]) -> tuple[str, ...]:
    """Return the run paths of all registered drivers."""
    folders: list[str] = []
    for path in dict.fromkeys(icd.library for icd in icds if icd.library is not None):
        elf = libraries.headers(path)
        if isinstance(elf, ElfFile) and elf.run_path:
            origin = host.real_path(path).rpartition("/")[0]
            folders += libraries.run_path(elf, origin)
    return tuple(dict.fromkeys(folders))
