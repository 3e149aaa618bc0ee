# SPDX-License-Identifier: MIT
"""The running Linux: release, boot parameters, log, modules, firmware and lockdown."""

import re
from collections.abc import Iterator

from clprobe.model.hardware import GPU_MODULES, module_name
from clprobe.model.system import Linux
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, ask_text, names_in, reason
from clprobe.probe.host import Host
from clprobe.probe.linux.log import probe_linux_log

_SECURITY = "/sys/kernel/security"


def probe_linux(host: Host, container: str | Unknown | None) -> Linux:
    """Return what Linux tells of itself; `container` is what this process runs in."""
    machine = ask(host.machine)
    command_line = ask_text(host.read, "/proc/cmdline")
    log = probe_linux_log(host)
    modules = loaded_modules(host)
    return Linux(
        release=machine if isinstance(machine, Unknown) else machine.release,
        version=machine if isinstance(machine, Unknown) else machine.version,
        command_line=_stripped(command_line),
        log=_stripped(log),
        modules=modules,
        module_versions={} if isinstance(modules, Unknown) else module_versions(host, modules),
        blacklisted_modules=forbidden_modules(host, command_line, container),
        firmware=probe_firmware(host, container),
        lockdown=_lockdown(host),
    )


def _stripped(text: str | Unknown) -> str | Unknown:
    return text if isinstance(text, Unknown) else text.strip()


def _lockdown(host: Host) -> str | Unknown | None:
    """Return the word in brackets of, say, `[none] integrity confidentiality`."""
    try:
        text = host.read(f"{_SECURITY}/lockdown").decode("utf-8", "replace")
    except OSError as error:
        # The folder stands empty where nobody mounted securityfs.
        is_mounted = isinstance(names := ask(host.list_folder, _SECURITY), tuple) and names
        return (
            None
            if error.errno in ABSENT and is_mounted
            else Unknown(f"{reason(error)}; dmesg tells of a lockdown")
        )
    found = re.search(r"\[(\w+)\]", text)
    return found[1] if found else Unknown(f"{_SECURITY}/lockdown does not say")


NAMES = ("amdgpu", "i915", "nouveau", "nvidia", "radeon", "xe")
_FOLDERS = ("/lib/firmware", "/lib/firmware/updates")
# NixOS names its folder here.
_MORE = "/sys/module/firmware_class/parameters/path"


def probe_firmware(host: Host, container: str | Unknown | None) -> tuple[str, ...] | Unknown:
    """Return the folders that hold files, sorted; unknown in a `container`, whose host loads it."""
    if container is not None:
        return Unknown("Linux loads firmware of the host, which a container does not see")
    more = ask_text(host.read, _MORE)
    own = [more.strip()] if isinstance(more, str) and more.strip() else []
    try:
        return tuple(sorted({name for folder in (*own, *_FOLDERS) for name in _in(host, folder)}))
    except OSError as error:
        return Unknown(reason(error))


def _in(host: Host, folder: str) -> list[str]:
    present = set(names_in(host.list_folder, folder)) & set(NAMES)
    return [name for name in present if names_in(host.list_folder, f"{folder}/{name}")]


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


# A file hides those of its name in later folders, see modprobe.d(5).
FOLDERS = (
    "/etc/modprobe.d",
    "/run/modprobe.d",
    "/usr/local/lib/modprobe.d",
    "/usr/lib/modprobe.d",
    "/lib/modprobe.d",
)
_BLACKLIST = re.compile(r"blacklist\s+(?P<module>\S+)")
_NO_INSTALL = re.compile(r"install\s+(?P<module>\S+)\s+(?:/usr)?/?(?:s?bin/)?(?:true|false)\b")
_PARAMETER = re.compile(r"(?:^|\s)(?:module_blacklist|modprobe\.blacklist)=(?P<modules>\S+)")


def forbidden_modules(
    host: Host, command_line: str | Unknown, container: str | Unknown | None
) -> tuple[str, ...] | Unknown:
    """Return the GPU modules that do not load by themselves, sorted.

    The files in a `container` forbid nothing; its host's do, and are not seen.
    """
    if container is not None:
        return Unknown("a container does not see its host's modprobe.d; grep blacklist there")
    if isinstance(command_line, Unknown):
        return command_line
    try:
        texts = list(_configuration(host))
    except OSError as error:
        return Unknown(reason(error))
    names = {name for text in texts for name in _in_file(text)}
    for found in _PARAMETER.finditer(command_line):
        names |= set(found["modules"].split(","))
    return tuple(sorted({module_name(name) for name in names} & GPU_MODULES))


def _configuration(host: Host) -> Iterator[str]:
    seen = set()
    for folder in FOLDERS:
        for name in names_in(host.list_folder, folder):
            if name.endswith(".conf") and name not in seen:
                seen.add(name)
                yield host.read(f"{folder}/{name}").decode("utf-8", "replace")


def _in_file(text: str) -> Iterator[str]:
    for line in text.replace("\\\n", " ").splitlines():
        found = _BLACKLIST.match(line.strip()) or _NO_INSTALL.match(line.strip())
        if found is not None:
            yield found["module"]
