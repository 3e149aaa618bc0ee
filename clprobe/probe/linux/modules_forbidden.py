# SPDX-License-Identifier: MIT
"""Kernel modules of GPUs that somebody forbade: in modprobe's files or by a boot parameter."""

import re
from collections.abc import Iterator

from clprobe.model.modules import GPU_MODULES, module_name
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import names_in, reason
from clprobe.probe.host import Host

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
