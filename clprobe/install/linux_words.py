# SPDX-License-Identifier: MIT
"""What a route says and installs about Linux."""

from clprobe.compat.linux_choice import ANY_LINUX, LinuxChoice
from clprobe.install.machine import Machine
from clprobe.knowledge.table_types import Distribution
from clprobe.model.plan import Component


def linux_caveats(machine: Machine, linux: LinuxChoice) -> list[str]:
    """Return what to know of the Linux that the route counts on."""
    unsaid = linux.linux is None and linux.needed != ANY_LINUX and linux.fit == "yes"
    caveats = [f"It needs Linux {linux.needed}."] if unsaid else []
    if linux.force_probe is not None:
        caveats.append(
            f"Linux {linux.linux} drives this GPU only when forced: boot with "
            f"{linux.force_probe}.force_probe={_hex_id(machine)}."
        )
    if linux.newer is not None:
        caveats.append(f"It needs Linux {linux.linux} ({linux.newer}): restart afterwards.")
    if linux.newer == "backports" and machine.distribution is not None:
        caveats.append(backports_wanted(machine.distribution))
    return caveats


def newer_linux(machine: Machine, linux: LinuxChoice) -> list[Component]:
    """Return the package with a newer Linux, where the route needs one."""
    if linux.newer is None or machine.distribution is None:
        return []
    name = linux_package(machine.distribution, linux.newer)
    return [Component(name=name, version=linux.linux, origin=linux.newer)]


def linux_package(distribution: Distribution, pocket: str) -> str:
    """Return the package that brings a newer Linux."""
    if pocket == "hwe":
        return f"linux-generic-hwe-{distribution.release}"
    return "linux-image-amd64"


def _hex_id(machine: Machine) -> str:
    ids = {chip.pci_id.split(":")[1] for chip in machine.chips}
    return ids.pop() if len(ids) == 1 else "<its device id>"


def backports_wanted(distribution: Distribution) -> str:
    """Return the sentence that tells to switch the backports on."""
    return f"The suite {distribution.codename or distribution.id}-backports must be switched on."
