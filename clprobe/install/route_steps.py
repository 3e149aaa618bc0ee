# SPDX-License-Identifier: MIT
"""The steps of a whole route, and what must be said about them."""

import re
from collections.abc import Sequence

from clprobe.commands.commands import step
from clprobe.compat.linux_choice import LinuxChoice, is_in_range
from clprobe.compat.offers import Offer
from clprobe.install import containers, steps
from clprobe.install.enabling import enable_origin, enable_pocket
from clprobe.install.machine import Machine
from clprobe.install.wording import linux_package, sentence
from clprobe.knowledge.family_table import BootNote
from clprobe.knowledge.table_types import Distribution, Implementation, KernelModule
from clprobe.knowledge.versions import in_range
from clprobe.model.action import Check, CheckHashes
from clprobe.model.plan import How, Step


def for_gpu(
    offer: Offer,
    implementation: Implementation,
    machine: Machine,
    linux: LinuxChoice,
    environment: dict[str, str],
) -> tuple[Step, ...]:
    """Return the steps that install a GPU's implementation and open its node; () by hand only."""
    distribution = machine.distribution
    if offer.how == "container":
        inside = containers.container_steps(offer, implementation, machine, environment)
        newer = _newer_linux(machine, linux)
        if newer and distribution is not None:
            newer = [*steps.refresh(distribution), *newer]
        # The steps for what runs the container read the index, too; once is enough.
        return tuple(dict.fromkeys((*newer, *open_node(machine), *inside)))
    by_hand = offer.pocket == "aur" or offer.how == "by-hand"
    if distribution is None or not steps.can_install(distribution) or by_hand:
        return ()
    files = files_of(offer)
    made = [*_check_files(offer, files), *steps.refresh(distribution)]
    made += _newer_linux(machine, linux)
    if offer.how != "file":
        made += enable_origin(offer, distribution, machine.vendor)
        made += _headers(offer, implementation, distribution)
        title = f"Install {implementation.name}"
        packages = packages_of(offer, implementation, machine)
        if offer.how == "package":
            # Some drivers only suggest a loader, as Debian 11's Beignet does.
            packages = (*packages, *steps.loader(distribution))
        made.append(steps.install(distribution, title, packages, pocket=offer.pocket))
        made += [
            steps.write_file("Register the driver, which its package does not", path, text)
            for path, text in offer.writes.items()
        ]
    else:
        packages = steps.loader(distribution)
        made += [
            steps.install(distribution, "Install the ICD loader", (name,)) for name in packages
        ]
        made.append(steps.install_files(distribution, offer.origin_name, files, offer.packages))
    made += _firmware_steps(machine, linux)
    if environment:
        names = " ".join(f"{name}={value}" for name, value in environment.items())
        lines = "".join(f"export {name}={value}\n" for name, value in environment.items())
        path = f"/etc/profile.d/opencl-{implementation.implementation}.sh"
        made.append(steps.write_file(f"Set {names} for all users", path, lines))
    return (*made, *open_node(machine), steps.look())


def enabled(implementation: Implementation, machine: Machine) -> dict[str, str]:
    """Return the variables without which the implementation shows no device of this vendor."""
    return dict(implementation.enable_by_vendor.get(machine.vendor or "", implementation.enable))


def packages_of(offer: Offer, implementation: Implementation, machine: Machine) -> tuple[str, ...]:
    """Return the offer's packages, and the one with the kernel module that the driver needs."""
    found = _module(offer, implementation)
    if found is None:
        return offer.packages
    module, match = found
    name = match.expand(_flavour(offer, module, machine) or "")
    if module.instead:
        return (name or offer.packages[0],)
    return tuple(dict.fromkeys((*offer.packages, *([name] if name else []))))


def _module(
    offer: Offer, implementation: Implementation
) -> tuple[KernelModule, re.Match[str]] | None:
    for module in implementation.modules_of:
        for name in offer.packages:
            match = re.fullmatch(module.library, name)
            if match is not None:
                return module, match
    return None


def _flavour(offer: Offer, module: KernelModule, machine: Machine) -> str | None:
    """Return the module's package: the open one where the GPU wants it, or it is the usual one."""
    wanted = machine.family.open_module if machine.family is not None else None
    if wanted == "needed":
        return module.open or module.closed
    usual = module.open_since is not None and (
        offer.version is None
        or in_range(offer.release or offer.version, f">={module.open_since}", "dotted")
    )
    if wanted == "possible" and module.open is not None and (usual or module.closed is None):
        return module.open
    return module.closed


def headers(
    offer: Offer, implementation: Implementation, distribution: Distribution | None = None
) -> str | None:
    """Return the package that the kernel module is built with: of the Linux that the system has."""
    found = _module(offer, implementation)
    if found is None or found[0].headers is None:
        return None
    own = distribution.headers if distribution is not None else None
    return own or found[0].headers


def _headers(
    offer: Offer, implementation: Implementation, distribution: Distribution
) -> list[Step]:
    name = headers(offer, implementation, distribution)
    title = "Install what the kernel module is built with"
    return [steps.install(distribution, title, (name,))] if name is not None else []


def how(offer: Offer, machine: Machine) -> How:
    """Return how a route gets its implementation."""
    if offer.how in ("container", "pip", "conda", "by-hand"):
        return offer.how
    distribution = machine.distribution
    if offer.pocket == "aur" or distribution is None or not steps.can_install(distribution):
        return "by-hand"
    if offer.how in ("file", "repository"):
        return offer.how
    return "backports" if offer.pocket == "backports" else "package"


def _newer_linux(machine: Machine, linux: LinuxChoice) -> list[Step]:
    distribution = machine.distribution
    if linux.newer is None or distribution is None:
        return []
    package = linux_package(distribution, linux.newer)
    title = f"Install Linux {linux.linux}"
    return [
        *enable_pocket(distribution, linux.newer),
        steps.install(distribution, title, (package,), pocket=linux.newer),
    ]


def open_node(machine: Machine) -> list[Step]:
    """Return the steps that let the user open the GPU's node, or that check it without root."""
    is_nvidia = machine.vendor == "nvidia"
    if machine.system == "wsl2" or (is_nvidia and machine.system != "linux"):
        return []  # all may open /dev/dxg
    if not machine.wishes.root and not is_nvidia:
        check = Check(argv=("test", "-w", "/dev/dri/renderD128"))
        return [step("Check that you may open the GPU's node", check)]
    group = _group_to_join(machine)
    return steps.join_group(group) if group is not None else []


def _group_to_join(machine: Machine) -> str | None:
    """Return the group that may open the GPU's nodes; None: none is known, or nobody may join it.

    Where a distribution names no group for the nodes of NVIDIA's driver, everybody may open them.
    """
    distribution = machine.distribution
    if not machine.wishes.root or distribution is None:
        return None
    return distribution.nvidia_group if machine.vendor == "nvidia" else distribution.node_group


_NEW_GROUP = "Log out and in again: a new group does not count in running sessions."
_INTELS_FIRMWARE = ("firmware-intel-graphics", "firmware-misc-nonfree")
_AMDS_FIRMWARE = ("firmware-amd-graphics",)
_NEW_VARIABLES = "The variables that a step sets count from the next log-in on."
OF_SESSIONS = (_NEW_GROUP, _NEW_VARIABLES)
"""What follows from steps alone, and not where they are done."""


def caveats(
    offer: Offer, implementation: Implementation, machine: Machine, environment: dict[str, str]
) -> list[str]:
    """Return what the steps of a GPU's route leave to the reader."""
    distribution = machine.distribution
    if offer.how == "container":
        said = containers.container_caveats(offer, machine)
        return [*said, *access(machine), *firmware(machine)]
    said = []
    by_itself = distribution is not None and distribution.configuration is not None
    if distribution is not None and not by_itself and not steps.can_install(distribution):
        said.append(f"No commands are given for {machine.os_name}: its own pages say how.")
    if distribution is not None and distribution.id == "ubuntu" and offer.component is not None:
        said.append(
            f"It is in {offer.component}, which Ubuntu has on by default; where apt does not find "
            f"it: sudo add-apt-repository {offer.component}"
        )
    if offer.module_for and machine.system == "linux":
        said.append("Restart before the check: the kernel module drives the GPU only then.")
    if offer.how == "file":
        said.append("Fetch the files by hand; the steps expect them in the current folder.")
    if offer.third_party is not None and offer.third_party.note is not None:
        said.append(sentence(offer.third_party.note))
    said += firmware(machine)
    if environment:
        names = " ".join(f"{name}={value}" for name, value in environment.items())
        said.append(_NEW_VARIABLES)
        if distribution is None or distribution.systemd:
            said.append(
                "Services of systemd, such as Jellyfin, do not read them: run systemctl edit "
                f"SERVICE and add the lines [Service] and Environment={names}"
            )
    said += implementation.afterwards if machine.system == "linux" else ()
    said += [sentence(note.note) for note in _boot_notes(machine)]
    said += access(machine)
    return [*said, *_of_row(offer, distribution)]


def _of_row(offer: Offer, distribution: Distribution | None) -> list[str]:
    """Return what comes at once: what stands in the way of packages, and what nobody saw."""
    said = []
    unseen = offer.how == "package" and offer.entry.unverified
    if (offer.settings or unseen) and offer.note is not None:
        said.append(sentence(offer.note))
    if offer.settings and distribution is not None and distribution.settings_note is not None:
        said.append(sentence(distribution.settings_note))
    return said


def _boot_notes(machine: Machine) -> list[BootNote]:
    """Return what must be done at boot on the Linux of the machine, or on one that it may have."""
    if machine.family is None or machine.system != "linux":
        return []
    shipped = machine.distribution.linux if machine.distribution is not None else None
    linux = machine.linux or (shipped.default if shipped is not None else None)
    return [
        note
        for note in machine.family.boot
        if linux is None or is_in_range(linux, note.linux, "linux") is not False
    ]


def access(machine: Machine) -> list[str]:
    """Return what opening the GPU's node leaves to the reader."""
    if machine.system != "linux":
        return []  # all may open /dev/dxg
    if _group_to_join(machine) is not None:
        return [_NEW_GROUP]
    if machine.vendor == "nvidia":
        return []
    return ["You need read and write access to /dev/dri/renderD128."]


def versions_of(offer: Offer) -> tuple[str, ...] | tuple[str | None, ...]:
    """Return the version of each package, for files those of the release that they are from."""
    if offer.of_release is None or offer.version is None:
        return tuple(offer.versions.get(name, offer.version) for name in offer.packages)
    listed = offer.of_release.packages
    return tuple(
        listed[name][0].version if name in listed else offer.version for name in offer.packages
    )


def _check_files(offer: Offer, files: list[str]) -> list[Step]:
    """Return the steps that make sure that files fetched by hand are there, and the right ones."""
    made = steps.check_files(offer.origin_name, files)
    named = zip(offer.packages, files, strict=False)
    hashes = tuple((f"./{f}", offer.sha256[name]) for name, f in named if name in offer.sha256)
    if hashes:
        made.append(step("Check the SHA-256 of these files", CheckHashes(files=hashes)))
    return made


def to_fetch(offer: Offer) -> list[str]:
    """Return the lines that tell where files come from that a person fetches."""
    if offer.how != "file" or offer.page is None:
        return []
    named = zip(offer.packages, files_of(offer), strict=True)
    said = (f"# Fetch {file} from {offer.page.replace('{package}', name)}" for name, file in named)
    return list(dict.fromkeys(said))


def files_of(offer: Offer) -> list[str]:
    """Return the names of the .deb files; an epoch is no part of them."""
    if offer.how != "file":
        return []
    versions = [(version or "").split(":", 1)[-1] for version in versions_of(offer)]
    named = zip(offer.packages, versions, strict=True)
    return [f"{name}_{version}_amd64.deb" for name, version in named]


def _needs_firmware(machine: Machine) -> bool:
    generation = machine.generation
    return (
        machine.system == "linux"
        and generation is not None
        and any(generation.platforms[chip.platform].firmware for chip in machine.chips)
    )


def _firmware_package(
    distribution: Distribution | None, names: Sequence[str]
) -> tuple[str, str] | None:
    """Return the first of the packages that is one of its own there, and its component."""
    for name in names:
        rows = distribution.packages.get(name, ()) if distribution is not None else ()
        if rows and rows[0].component is not None:
            return name, rows[0].component
    return None


def _firmware_steps(machine: Machine, linux: LinuxChoice) -> list[Step]:
    """Return the steps that install the firmware, as new as the Linux that asks for it."""
    distribution, found = (
        machine.distribution,
        _firmware_package(machine.distribution, _INTELS_FIRMWARE),
    )
    if distribution is None or found is None or not _needs_firmware(machine):
        return []
    if distribution.firmware is not None:
        return []  # it is there, and its package conflicts with others
    name, component = found
    pockets = {row.pocket for row in distribution.packages[name]}
    pocket = "backports" if linux.newer == "backports" and "backports" in pockets else None
    title = "Install the firmware without which the GPU does not start"
    return [
        *enable_pocket(distribution, pocket, component),
        steps.install(distribution, title, (name,), pocket=pocket),
    ]


def firmware(machine: Machine) -> list[str]:
    """Return where the firmware is that the GPU does not compute without."""
    own = machine.distribution.firmware if machine.distribution is not None else None
    if own is not None:
        is_amds = machine.system == "linux" and machine.vendor == "amd"
        said = f"Its firmware is in {own}, which is there already."
        return [said] if is_amds or _needs_firmware(machine) else []
    if machine.vendor == "amd" and machine.system == "linux":
        amds = _firmware_package(machine.distribution, _AMDS_FIRMWARE)
        return [f"Its firmware is in {amds[0]} ({amds[1]})."] if amds is not None else []
    if not _needs_firmware(machine):
        return []
    found = _firmware_package(machine.distribution, _INTELS_FIRMWARE)
    if found is not None:
        return [f"This GPU does not start without GuC firmware: {found[0]} ({found[1]})."]
    return ["This GPU does not start without GuC firmware, which linux-firmware holds."]
