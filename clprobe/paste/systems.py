# SPDX-License-Identifier: MIT
"""Reads what a system says of itself: uname, os-release, lsb_release, hostnamectl, cmdline."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Cpu, Distribution, Linux, System, Virtualization
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.distributions import distribution_named
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("systems")
_CPU = re.compile(r"lscpu|cat /proc/cpuinfo")


def uname(line: str, context: Context) -> Snapshot | None:
    """Return the release of Linux from `uname` in any of its forms."""
    found = _FORMS.uname.match(line) if line.startswith("Linux ") else None
    if found is None and line.startswith("Linux version "):
        found = _FORMS.proc_version.match(line)
    if found is None and len(line) < 80 and line[0].isdigit():
        found = _alone(line, context.command)
    if found is None:
        return None
    parts = found.groupdict()
    system = System(
        linux=Linux(release=found["release"], version=parts.get("version") or NOT_STATED),
        cpu=Cpu(architecture=parts.get("machine") or NOT_STATED),
        virtualization=_wsl(found["release"]),
    )
    return Snapshot(system=system)


def _alone(line: str, command: str) -> re.Match[str] | None:
    found = _FORMS.release_alone.match(line)
    asked = command.startswith("uname") and "-r" in command
    return found if found and (asked or _FORMS.telling.search(line)) else None


def _wsl(release: str) -> Virtualization:
    lower = release.lower()
    if "microsoft" not in lower:
        return Virtualization()
    # The first WSL translates calls and names itself 4.4.0-NNNNN-Microsoft.
    return Virtualization(wsl=1 if release.endswith("-Microsoft") else 2)


def read_os_release(paste: Paste) -> Iterator[Reading]:
    """Give the distribution from os-release or lsb-release, one block a reading."""
    block: dict[str, str] = {}
    lines: list[int] = []
    for index, line in paste.free():
        found = _FORMS.assignment.match(line)
        if found is None or found["key"] not in _FORMS.words["os_release"]:
            continue
        if lines and (index - lines[-1] > 3 or found["key"] in block):
            yield from _release_block(block, lines)
            block, lines = {}, []
        block[found["key"]] = found["value"].strip()
        lines.append(index)
    yield from _release_block(block, lines)


def _release_block(block: dict[str, str], lines: list[int]) -> Iterator[Reading]:
    if not (
        block.keys() & {"PRETTY_NAME", "ID", "VERSION_ID", "DISTRIB_ID", "DISTRIB_DESCRIPTION"}
    ):
        return
    pretty = block.get("PRETTY_NAME") or block.get("DISTRIB_DESCRIPTION") or block.get("NAME", "")
    named = distribution_named(pretty) or Distribution()
    version = block.get("VERSION_ID") or block.get("DISTRIB_RELEASE")
    if version is None and "ID" in block and len(block) > 4:
        version = named.version if isinstance(named.version, str) else None
        changes: dict[str, object] = {"version": version}
    else:
        changes = {"version": version} if version else {}
    if "ID" in block:
        changes["id"] = block["ID"].lower()
    codename = block.get("VERSION_CODENAME") or block.get("DISTRIB_CODENAME")
    changes |= {"codename": codename} if codename else {}
    changes |= {"name": pretty} if pretty else {}
    changes |= {"like": tuple(block["ID_LIKE"].split())} if "ID_LIKE" in block else {}
    distribution = msgspec.structs.replace(named, **changes)
    yield Reading(lines=tuple(lines), facts=Snapshot(system=System(distribution=distribution)))


def read_compilers(paste: Paste) -> Iterator[Reading]:
    """Give the release of Ubuntu for which its compiler was built, once."""
    for index, line in enumerate(paste.lines):
        found = _FORMS.compiler.search(line) if "(Ubuntu " in line else None
        if found is not None and (named := distribution_named(f"Ubuntu {found['version']}")):
            facts = Snapshot(system=System(distribution=named))
            yield Reading(lines=(), facts=facts, context=paste.contexts[index])
            return


def read_lsb_release(paste: Paste) -> Iterator[Reading]:
    """Give the distribution from `lsb_release -a`."""
    block: dict[str, str] = {}
    lines: list[int] = []
    for index, line in paste.free():
        found = _FORMS.lsb.match(line)
        if found is None or (lines and index - lines[-1] > 3):
            continue
        block[found["key"]] = found["value"] or ""
        lines.append(index)
    named = distribution_named(f"{block.get('Description') or block.get('Distributor ID', '')}")
    if named is None or not (block.keys() & {"Distributor ID", "Description"}):
        return
    release, codename = block.get("Release"), block.get("Codename")
    is_number = release is not None and release[:1].isdigit()
    distribution = msgspec.structs.replace(
        named,
        version=release if is_number and named.version is not None else named.version,
        codename=codename if codename and codename != "n/a" else named.codename,
    )
    yield Reading(lines=tuple(lines), facts=Snapshot(system=System(distribution=distribution)))


def read_boot_and_cpu(paste: Paste) -> Iterator[Reading]:
    """Give the boot parameters and what is said of the processor."""
    cpu_lines: list[int] = []
    model: str | None = None
    machine: Fact[str | None] = NOT_STATED
    for index, line in paste.free():
        booted = _FORMS.cmdline.match(line) or _FORMS.grub.match(line)
        if booted is None and paste.contexts[index].command == "cat /proc/cmdline":
            booted = re.match(r"(?P<line>.+)", line)
        if booted is not None:
            linux = Linux(command_line=booted["line"])
            yield Reading(lines=(index,), facts=Snapshot(system=System(linux=linux)))
            continue
        named = _FORMS.cpu.match(line)
        model = model or (named["model"] if named is not None else None)
        if line.startswith("Hypervisor vendor:"):
            machine = line.partition(":")[2].strip().lower()
        asked = _CPU.match(paste.contexts[index].command)
        if named is not None or (asked and (_FORMS.lscpu.match(line) or ":" in line)):
            cpu_lines.append(index)
    if cpu_lines and model is not None:
        virtual = Virtualization(machine=machine)
        numbers = _cpu_numbers(paste.lines[index].strip() for index in cpu_lines)
        cpu = msgspec.structs.replace(cpu_named(model), **numbers)
        facts = Snapshot(system=System(cpu=cpu, virtualization=virtual))
        yield Reading(lines=tuple(cpu_lines), facts=facts)


def _cpu_numbers(lines: Iterable[str]) -> dict[str, int]:
    """Return family and model by which compilers know the processor, as lscpu and Linux tell."""
    found: dict[str, int] = {}
    for match in filter(None, map(_FORMS.cpu_number.match, lines)):
        fact = "family" if match["what"].lower() == "cpu family" else "model_number"
        found.setdefault(fact, int(match["number"]))  # the first processor's
    return found


def cpu_named(model: str) -> Cpu:
    """Return the processor of that name with the vendor that the name tells."""
    model = re.split(r"\.(?=\s+[A-Z]|$)", model, maxsplit=1)[0]  # what follows is a sentence
    return Cpu(model=model, vendor=_FORMS.meaning("vendors", model) or NOT_STATED)


def detected(line: str, context: Context) -> Snapshot | None:
    """Return the answer of systemd-detect-virt."""
    containers = ("docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "container-other")
    is_asked = context.command.startswith("systemd-detect-virt")
    if not is_asked or not re.fullmatch(r"[a-z0-9-]{2,20}", line):
        return None
    if line in containers:
        virtual = Virtualization(container=line)
    elif line == "wsl":
        virtual = Virtualization(wsl=2)
    else:
        virtual = Virtualization(machine=None if line == "none" else line)
    return Snapshot(system=System(virtualization=virtual))
