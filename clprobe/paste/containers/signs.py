# SPDX-License-Identifier: MIT
"""Reads signs of containers, services, sandboxes, virtual machines and WSL."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import ServiceUnit, System, User, Virtualization
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("containers")
_VARIABLES = Forms("variables")
_OF_WINDOWS = re.compile(r"(?i)driver|windows|wsl")


def read_engines(paste: Paste) -> Iterator[Reading]:
    """Give which container a command entered; the lines themselves are read as commands."""
    seen: set[str] = set()
    for index in sorted(paste.may_hold(_FORMS.engine)):
        line = paste.lines[index]
        found = _FORMS.engine.search(line) if len(line) < 1500 else None
        if found is None or found["engine"] in seen:
            continue
        enters = found["verb"] in ("run", "exec", "enter", "shell")
        if found["engine"] in ("flatpak", "snap", "lxc") and not enters:
            continue
        seen.add(found["engine"])
        name = _FORMS.tables["engines"].get(found["engine"], found["engine"])
        yield _inside(name, ())
    for index in sorted(paste.may_hold(_FORMS.engine_run)):
        line = paste.lines[index]
        if _FORMS.engine_run.match(line.strip()) and paste.is_free(index):
            yield Reading(lines=(index,), facts=Snapshot(messages=(line.strip()[:500],)))


def _inside(container: str, lines: tuple[int, ...]) -> Reading:
    system = System(virtualization=Virtualization(container=container))
    context = Context(where="container")
    return Reading(lines=lines, facts=Snapshot(system=system), context=context)


def read_compose(paste: Paste) -> Iterator[Reading]:
    """Give compose files and Dockerfiles: that there is a container; their lines as messages."""
    block: list[int] = []
    for index, line in paste.free():
        is_near = block and index - block[-1] <= 2
        if _FORMS.compose_key.match(line) or (is_near and _FORMS.compose_entry.match(line)):
            if block and not is_near:
                yield from _compose(block, paste)
                block = []
            block.append(index)
        elif _FORMS.dockerfile.match(line):
            yield _inside("docker", (index,))
        elif _FORMS.option.match(line):
            yield Reading(lines=(index,), facts=Snapshot(messages=(line,)))
    if block:
        yield from _compose(block, paste)


def _compose(block: list[int], paste: Paste) -> Iterator[Reading]:
    texts = [paste.lines[index].strip() for index in block]
    if len(block) < 2 or not any(_FORMS.compose_sure.match(text) for text in texts):
        return
    system = System(virtualization=Virtualization(container="docker"))
    facts = Snapshot(system=system, messages=("\n".join(texts[:80]),))
    yield Reading(lines=tuple(block), facts=facts, context=Context(where="container"))
    for found in filter(None, map(_VARIABLES.assigned.match, texts)):
        if found["name"] not in _VARIABLES.tables["versions"]:
            given = Snapshot(environment={found["name"]: (found["value"] or "").strip()})
            yield Reading(lines=(), facts=given, context=Context(where="container"))


def read_services(paste: Paste) -> Iterator[Reading]:
    """Give which systemd unit is meant, its user, and its settings as messages."""
    for index, line in paste.free():
        context = paste.contexts[index]
        unit_file, setting = _FORMS.unit_file.match(line), _FORMS.unit.match(line)
        asked = _FORMS.unit_command.match(context.command)
        service = f"{asked['unit']}.service" if asked else NOT_STATED
        if unit_file is not None:
            service = unit_file["unit"]
        elif setting is None:
            continue
        system = System(virtualization=Virtualization(service=service))
        if setting is not None:
            system = msgspec.structs.replace(system, service_unit=_unit(service, line))
        name = setting["value"] if setting is not None and setting["user"] else NOT_STATED
        said = (line,) if setting is not None else NOT_STATED
        facts = Snapshot(system=system, user=User(name=name or NOT_STATED), messages=said)
        yield Reading(lines=(index,), facts=facts)


def _unit(name: Fact[str], setting: str) -> ServiceUnit:
    """Return what one line of a unit file says of what the service may use."""
    key, _, value = setting.partition("=")
    if key == "PrivateDevices":
        return ServiceUnit(name=name, private_devices=value.lower() in ("yes", "true", "on", "1"))
    if key == "DevicePolicy" and value:
        return ServiceUnit(name=name, device_policy=value)
    if key == "DeviceAllow" and value:
        return ServiceUnit(name=name, device_allow=(value,))
    if key == "ProtectSystem" and value:
        return ServiceUnit(name=name, protect_system=value)
    return ServiceUnit(name=name)


def forms_of_wsl() -> tuple[re.Pattern[str], ...]:
    """Return forms of which one is found in each line that shows WSL."""
    return _FORMS.dev_dxg, _FORMS.wsl, _OF_WINDOWS


def wsl(line: str, context: Context) -> Snapshot | None:
    """Return signs of WSL: /dev/dxg, wsl.exe --version, the version of the Windows driver."""
    if _FORMS.dev_dxg.match(line):
        return Snapshot(device_nodes=(DeviceNode(path="/dev/dxg", kind="dxg"),))
    named = "wsl" in context.command or "WSL" in line or "microsoft" in line.lower()
    if named and _FORMS.wsl.match(line):
        return Snapshot(system=System(virtualization=Virtualization(wsl=2)))
    found = _FORMS.windows_driver.search(line) or _FORMS.sure_windows.search(line)
    if found is None or len(line) >= 160 or not _OF_WINDOWS.search(line):
        return None
    virtual = Virtualization(windows_driver=found["version"])
    return Snapshot(system=System(virtualization=virtual))
