# SPDX-License-Identifier: MIT
"""The running Linux: release, boot parameters, log, modules, firmware and lockdown."""

import re

from clprobe.model.system import Linux
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, ask_text, reason
from clprobe.probe.host import Host
from clprobe.probe.linux.firmware import probe_firmware
from clprobe.probe.linux.log import probe_linux_log
from clprobe.probe.linux.modules import loaded_modules, module_versions
from clprobe.probe.linux.modules_forbidden import forbidden_modules

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
