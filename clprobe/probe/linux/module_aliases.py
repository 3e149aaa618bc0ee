# SPDX-License-Identifier: MIT
"""Which kernel modules of the running Linux claim a PCI function, as modprobe finds them."""

import fnmatch
import re
from collections.abc import Iterable

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, reason
from clprobe.probe.host import Host

# NixOS and Guix keep the modules of the Linux that was booted apart.
_FOLDERS = (
    "/lib/modules",
    "/run/booted-system/kernel-modules/lib/modules",
    "/run/booted-system/kernel/lib/modules",
)
_ALIAS = re.compile(r"alias (?P<pattern>pci:\S+) (?P<module>\S+)$")
_BUILT_IN_ALIAS = re.compile(r"(?P<module>[^.]+)\.alias=(?P<pattern>pci:\S+)$")
# Such as pci:v00008086d00005916sv000017AAsd00002245bc03sc00i00.
_IDENTITY = re.compile(r"pci:v(?P<vendor>[0-9A-F]{8})d(?P<device>[0-9A-F]{8})sv")


def claiming_modules(
    host: Host, modalias: str, container: str | Unknown | None
) -> tuple[str, ...] | Unknown:
    """Return the modules, built-in ones too, whose pattern the modalias matches, sorted.

    Empty where this Linux has none; unknown in a `container`, whose host has the modules.
    """
    machine, identity = ask(host.machine), _IDENTITY.match(modalias)
    if isinstance(machine, Unknown):
        return machine
    if identity is None:
        return Unknown(f"{modalias!r} is no modalias of a PCI function")
    for folder in (f"{folder}/{machine.release}" for folder in _FOLDERS):
        lines = _candidates(host, f"{folder}/modules.alias", modalias)
        if isinstance(lines, Unknown):
            return lines
        if lines is not None:
            return _matching(modalias, (*lines, *_built_in(host, folder, identity)))
    if container is not None:
        return Unknown("a container does not see the host's modules; lspci -k on the host tells")
    return ()


def _candidates(host: Host, path: str, modalias: str) -> tuple[str, ...] | Unknown | None:
    """Return the lines that may fit, None where there is no such file."""
    try:
        return host.lines_in(path, alias_pattern(modalias))
    except OSError as error:
        return None if error.errno in ABSENT else Unknown(reason(error))


def alias_pattern(modalias: str) -> str:
    """Return what finds, in lower case, the lines of modules.alias that may fit the modalias."""
    identity = _IDENTITY.match(modalias)
    vendor, device = identity.groups() if identity else ("", "")
    return rf"alias pci:v(?:{vendor.lower()}|\*)d(?:{device.lower()}|\*)sv"


def _built_in(host: Host, folder: str, identity: "re.Match[str]") -> tuple[str, ...]:
    vendor, device = identity.groups()
    marks = (f"alias=pci:v{vendor}d{device}sv", f"alias=pci:v{vendor}d*", "alias=pci:v*")
    texts = ask(host.texts_in, f"{folder}/modules.builtin.modinfo", marks)
    return () if isinstance(texts, Unknown) else texts


def _matching(modalias: str, texts: Iterable[str]) -> tuple[str, ...]:
    found = (_ALIAS.match(text) or _BUILT_IN_ALIAS.match(text) for text in texts)
    claims = (match for match in found if match is not None)
    modules = {one["module"] for one in claims if fnmatch.fnmatchcase(modalias, one["pattern"])}
    return tuple(sorted(module.replace("-", "_") for module in modules))
