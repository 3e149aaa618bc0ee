# SPDX-License-Identifier: MIT
"""The host as a whole: distribution and processor, and what others read of it."""

import re
import shlex

from clprobe.model.system import Cpu, Distribution, Limits, Linux, Security, System, Virtualization
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.probe.facts import ask, ask_text, ask_unless_absent, is_there, or_unknown
from clprobe.probe.host import Host
from clprobe.probe.libraries import Libraries
from clprobe.probe.linux.limits import probe_limits, probe_security
from clprobe.probe.linux.linux import probe_linux
from clprobe.probe.linux.virtualization import probe_virtualization
from clprobe.probe.user import probe_gpu_groups

_OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")
_CPU_INFO_BYTES = 65536  # the first processors tell model and flags
_SYSTEM_FOLDERS = ("/usr/bin/", "/bin/")
_MODEL_NAMES = ("model name", "Model", "cpu model", "Hardware")


# What `ld` is asked for by every kernel of PoCL; a package of its own brings them (libc6-dev).
_LINKED = ("libc.so", "crti.o")


def probe_system(host: Host) -> System:
    """Return what the host is."""
    linker = ask(host.which, "ld")
    virtualization = or_unknown(ask(probe_virtualization, host), Virtualization)
    return System(
        distribution=or_unknown(ask(probe_distribution, host), Distribution),
        linux=or_unknown(ask(probe_linux, host, virtualization.container), Linux),
        cpu=or_unknown(ask(_cpu, host), Cpu),
        virtualization=virtualization,
        limits=or_unknown(ask(probe_limits, host), Limits),
        security=or_unknown(ask(probe_security, host), Security),
        udev=ask(_has_udev, host),
        gpu_groups=ask(probe_gpu_groups, host),
        linker=linker,
        linker_lacks=ask(_lacking, host, linker),
    )


def _lacking(host: Host, linker: str | Unknown | None) -> tuple[str, ...] | Unknown:
    """Return which files a linker of the system does not find; others know folders of their own."""
    real = ask(host.real_path, linker) if isinstance(linker, str) else NOT_STATED
    if isinstance(real, Unknown) or not real.startswith(_SYSTEM_FOLDERS):
        return NOT_STATED
    libraries = Libraries(host)
    return tuple(
        name
        for name in _LINKED
        if not any(is_there(host.status, path) for path in libraries.in_default_folders(name))
    )


def _has_udev(host: Host) -> bool | Unknown:
    control = ask_unless_absent(host.link_status, "/run/udev/control")
    return control if isinstance(control, Unknown) else control is not None


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
        family=_number(fields.get("cpu family"), missing),
        model_number=_number(fields.get("model"), missing),
        architecture=machine if isinstance(machine, Unknown) else machine.architecture,
        logical_cores=machine if isinstance(machine, Unknown) else machine.logical_cores,
    )


def _number(text: str | None, missing: Unknown) -> int | Unknown:
    """Return what a line of x86 says; other processors have none, or write words there."""
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,6}", text) else missing
