# SPDX-License-Identifier: MIT
"""Kernel modules of GPUs: which are loaded and in which version."""

from clprobe.model.modules import GPU_MODULES
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, reason
from clprobe.probe.host import Host

_LOADED = "/proc/modules"
_WITH_BUILT_IN = "/sys/module"


def loaded_modules(host: Host) -> tuple[str, ...] | Unknown:
    """Return the GPU modules that are loaded or built in, sorted."""
    listed = ask(host.read, _LOADED)
    known = ask(host.list_folder, _WITH_BUILT_IN)
    if isinstance(listed, Unknown) and isinstance(known, Unknown):
        return Unknown(f"{listed.unknown}; lsmod tells, on the host of a container")
    names = set() if isinstance(known, Unknown) else set(known)
    if isinstance(listed, bytes):
        names |= {line.split()[0] for line in listed.decode("utf-8", "replace").splitlines()}
    return tuple(sorted(names & GPU_MODULES))


def module_versions(host: Host, modules: tuple[str, ...]) -> dict[str, str | Unknown | None]:
    """Return the version of each module; None for those of Linux itself, which have none."""
    versions = {name: _version(host, name) for name in modules}
    # Rules compare NVIDIA's with its libraries; None: it is not loaded, and clashes with nothing.
    return {"nvidia": None, **versions}


def _version(host: Host, module: str) -> str | Unknown | None:
    try:
        text = host.read(f"{_WITH_BUILT_IN}/{module}/version").decode("utf-8", "replace")
    except OSError as error:
        return None if error.errno in ABSENT else Unknown(reason(error))
    return text.strip() or None
