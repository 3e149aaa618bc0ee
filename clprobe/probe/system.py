# SPDX-License-Identifier: MIT
"""Distribution, Linux and processor."""

import re
import shlex

from clprobe.model.system import Cpu, Distribution, Linux, System
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, ask_text, reason
from clprobe.probe.host import Host
from clprobe.probe.user import probe_gpu_groups
from clprobe.probe.virtualization import probe_virtualization

_OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")
_CPU_INFO_BYTES = 65536  # the first processors tell model and flags
# Disks, network cards and addresses: they identify a machine and decide nothing about OpenCL.
_IDENTIFYING = re.compile(
    r"\b[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|\b[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5,}\b"
    r"|\b\d{1,3}(\.\d{1,3}){3}\b"
    r"|(?<=machine_id=)\w+"
)
_MODEL_NAMES = ("model name", "Model", "cpu model", "Hardware")


def probe_system(host: Host) -> System:
    """Return what the host is."""
    return System(
        distribution=probe_distribution(host),
        linux=_linux(host),
        cpu=_cpu(host),
        virtualization=probe_virtualization(host),
        udev=_has_udev(host),
        gpu_groups=probe_gpu_groups(host),
        linker=ask(host.which, "ld"),
    )


def _has_udev(host: Host) -> bool | Unknown:
    try:
        host.link_status("/run/udev/control")
    except OSError as error:
        return False if error.errno in ABSENT else Unknown(reason(error))
    return True


def probe_distribution(host: Host) -> Distribution:
    """Return what os-release says."""
    text: str | Unknown = Unknown("no os-release file")
    for path in _OS_RELEASE:
        text = ask_text(host.read, path)
        if isinstance(text, str):
            break
    if isinstance(text, Unknown):
        return Distribution(id=text, version=text, codename=text, name=text, like=text)
    fields = _assignments(text)
    return Distribution(
        id=fields.get("ID", "linux"),
        version=fields.get("VERSION_ID"),
        codename=fields.get("VERSION_CODENAME"),
        name=fields.get("PRETTY_NAME", "Linux"),
        like=tuple(fields.get("ID_LIKE", "").split()),
    )


def _assignments(text: str) -> dict[str, str]:
    fields = {}
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if equals and not name.startswith("#"):
            try:
                fields[name] = " ".join(shlex.split(value))
            except ValueError:  # an unbalanced quote
                fields[name] = value
    return fields


def _linux(host: Host) -> Linux:
    machine = ask(host.machine)
    command_line = ask_text(host.read, "/proc/cmdline")
    if isinstance(command_line, str):
        command_line = _IDENTIFYING.sub("…", command_line.strip())
    if isinstance(machine, Unknown):
        return Linux(release=machine, version=machine, command_line=command_line)
    return Linux(release=machine.release, version=machine.version, command_line=command_line)


def _cpu(host: Host) -> Cpu:
    machine = ask(host.machine)
    text = ask(host.read, "/proc/cpuinfo", _CPU_INFO_BYTES)
    fields: dict[str, str] = {}
    missing = text if isinstance(text, Unknown) else Unknown("/proc/cpuinfo does not say")
    if isinstance(text, bytes):
        found = re.findall(r"^([^\t:]+?)\s*:[ \t]*(.*)$", text.decode("utf-8", "replace"), re.M)
        fields = dict(reversed(found))  # the first processor's, not the last's
    model = next((fields[name] for name in _MODEL_NAMES if name in fields), missing)
    return Cpu(
        model=model,
        vendor=fields.get("vendor_id", fields.get("CPU implementer", missing)),
        architecture=machine if isinstance(machine, Unknown) else machine.architecture,
        logical_cores=machine if isinstance(machine, Unknown) else machine.logical_cores,
    )
