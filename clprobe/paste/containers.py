# SPDX-License-Identifier: MIT
"""Reads signs of containers, services, sandboxes, virtual machines and WSL."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.model.hardware import DeviceNode
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import ServiceUnit, System, User, Virtualization
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.reading import Context, Paste, Reading

_ENGINE = re.compile(
    r"(?:^|[\s`$#>])(?:sudo )?(?P<engine>docker|podman|nerdctl|kubectl|lxc|pct|flatpak"
    r"|snap|distrobox|toolbox|apptainer|singularity)(?:[ -]compose)? +(?P<verb>run|exec"
    r"|enter|up|shell)\b"
)
_ENGINES = {
    "nerdctl": "docker", "kubectl": "kubernetes", "pct": "lxc", "distrobox": "podman",
    "toolbox": "podman", "apptainer": "singularity",
}  # fmt: skip
_OPTION = re.compile(
    r"(?:\\?\s*)?--?(?:device|group-add|gpus|privileged|runtime|user|cap-add|security-opt"
    r"|volume|ipc|net|network|rm|it|name|shm-size|mount)\b(?:[= ].{0,200})?\\?$"
)
_COMPOSE_KEY = re.compile(
    r"(?:services|image|build|container_name|devices|group_add|privileged|runtime|volumes"
    r"|ports|environment|restart|network_mode|deploy|resources|reservations|driver"
    r"|capabilities|count|depends_on|user|extends|security_opt|cap_add|healthcheck"
    r"|hostname|env_file|networks|version|command|device_cgroup_rules|file|service|labels"
    r"|shm_size|tmpfs|pid|ipc|init|name):(?: .{0,200})?$"
)
_COMPOSE_ENTRY = re.compile(r"- .{1,200}$|[\w.-]{2,40}:(?: .{0,200})?$|#.{0,200}$")
_COMPOSE_SURE = re.compile(
    r"(?:devices|group_add|container_name|network_mode|services|image):|- "
    r"[\"']?/dev/(?:dri|kfd|nvidia)"
)
_DOCKERFILE = re.compile(
    r"(?:FROM [\w./-]+(?::[\w.-]+)?(?: [Aa][Ss] \w+)?|RUN \S.{2,400}|COPY \S.{2,200}"
    r"|ENTRYPOINT .{1,200}|CMD \[.{1,200}|WORKDIR /.{0,100}|USER \w{1,40})$"
)
_UNIT = re.compile(
    r"(?:PrivateDevices|DevicePolicy|DeviceAllow|SupplementaryGroups|ProtectKernel\w+"
    r"|RestrictAddressFamilies|SystemCallFilter|DynamicUser|PrivateUsers|ExecStart"
    r"|ReadWritePaths|NoNewPrivileges|MemoryDenyWriteExecute|ProtectSystem|ProtectHome"
    r"|CapabilityBoundingSet|(?P<user>User)|Group)=(?P<value>.{0,300})$"
)
_UNIT_FILE = re.compile(r"# ?/(?:usr/)?(?:lib|etc)/systemd/system/(?P<unit>[\w@.-]+\.service)$")
_UNIT_COMMAND = re.compile(
    r"systemctl (?:show|cat|status) (?:-\S+ )*(?P<unit>[\w@-]+)(?:\.service)?\b"
)
_DEV_DXG = re.compile(r"(?:crw[-rw]{7}.{0,80} )?/dev/dxg$")
_WSL = re.compile(
    r"(?:WSL (?:version|version)|WSL-Version|Version WSL|Kernel version|WSLg version"
    r"|MSRDC version|Direct3D version|DXCore version|Windows version|Default (?:Version"
    r"|Distribution))\s*: +(?P<value>\S.{0,80})$"
)
_WINDOWS_DRIVER = re.compile(
    r"(?i)(?:windows|intel|nvidia|amd|display|graphics|igfx)?[\w ()]{0,40}driver(?: "
    r"version)?\W{1,3}(?P<version>\d{2}\.\d{1,2}\.\d{1,3}\.\d{3,4})\b"
)
_SURE_WINDOWS = re.compile(
    r"\b(?P<version>(?:2[0-9]|3[0-9])\.(?:0|20)\.(?:1\d{1,2}|\d{2,3})\.\d{4})\b"
)


def read_engines(paste: Paste) -> Iterator[Reading]:
    """Give which container a command entered; the lines themselves are read as commands."""
    seen: set[str] = set()
    for line in paste.lines:
        found = _ENGINE.search(line) if len(line) < 1500 else None
        if found is None or found["engine"] in seen:
            continue
        if found["engine"] in ("flatpak", "snap", "lxc") and found["verb"] not in (
            "run",
            "exec",
            "enter",
            "shell",
        ):
            continue
        seen.add(found["engine"])
        name = _ENGINES.get(found["engine"], found["engine"])
        yield _inside(name, ())
    for index, line in enumerate(paste.lines):
        if re.match(
            r"(?:\$ |#|\w+@\S+[$#] )?(?:sudo )?(?:docker|podman) run\b", line.strip()
        ) and paste.is_free(index):
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
        if _COMPOSE_KEY.match(line) or (is_near and _COMPOSE_ENTRY.match(line)):
            if block and not is_near:
                yield from _compose(block, paste)
                block = []
            block.append(index)
        elif _DOCKERFILE.match(line):
            yield _inside("docker", (index,))
        elif _OPTION.match(line):
            yield Reading(lines=(index,), facts=Snapshot(messages=(line,)))
    if block:
        yield from _compose(block, paste)


def _compose(block: list[int], paste: Paste) -> Iterator[Reading]:
    texts = [paste.lines[index].strip() for index in block]
    if len(block) < 2 or not any(_COMPOSE_SURE.match(text) for text in texts):
        return
    system = System(virtualization=Virtualization(container="docker"))
    facts = Snapshot(system=system, messages=("\n".join(texts[:80]),))
    yield Reading(lines=tuple(block), facts=facts, context=Context(where="container"))


def read_services(paste: Paste) -> Iterator[Reading]:
    """Give which systemd unit is meant, its user, and its settings as messages."""
    for index, line in paste.free():
        context = paste.contexts[index]
        unit_file, setting = _UNIT_FILE.match(line), _UNIT.match(line)
        asked = _UNIT_COMMAND.match(context.command)
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


def read_wsl(paste: Paste) -> Iterator[Reading]:
    """Give signs of WSL: /dev/dxg, wsl.exe --version, the version of the Windows driver."""
    for index, line in paste.free():
        command = paste.contexts[index].command
        if _DEV_DXG.match(line):
            node = DeviceNode(path="/dev/dxg", kind="dxg")
            yield Reading(lines=(index,), facts=Snapshot(device_nodes=(node,)))
        elif _WSL.match(line) and (
            "wsl" in command or "WSL" in line or "microsoft" in line.lower()
        ):
            facts = Snapshot(system=System(virtualization=Virtualization(wsl=2)))
            yield Reading(lines=(index,), facts=facts)
        else:
            found = _WINDOWS_DRIVER.search(line) or _SURE_WINDOWS.search(line)
            if found is not None and len(line) < 160 and re.search(r"(?i)driver|windows|wsl", line):
                virtual = Virtualization(windows_driver=found["version"])
                yield Reading(lines=(index,), facts=Snapshot(system=System(virtualization=virtual)))
