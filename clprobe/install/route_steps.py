# SPDX-License-Identifier: MIT
"""The steps of a whole route, and what must be said about them."""

from clprobe.commands.commands import step
from clprobe.compat.linux_choice import LinuxChoice
from clprobe.compat.offers import Offer
from clprobe.install import containers, steps
from clprobe.install.machine import Machine
from clprobe.install.wording import backports_wanted, linux_package
from clprobe.knowledge.table_types import Distribution, Implementation
from clprobe.model.action import Check
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
    if distribution is None or not steps.can_install(distribution) or offer.pocket == "aur":
        return ()
    files = _files(offer)
    made = [*steps.check_files(offer.origin_name, files), *steps.refresh(distribution)]
    made += _newer_linux(machine, linux)
    if offer.how == "package":
        title = f"Install {implementation.name}"
        # Some drivers only suggest a loader, as Debian 11's Beignet does.
        loader = steps.loader(distribution)
        packages = (*offer.packages, *module_packages(offer, implementation), *loader)
        made.append(steps.install(distribution, title, packages, pocket=offer.pocket))
    elif offer.third_party is not None:
        made += steps.add_repository(offer.third_party, distribution)
        made.append(steps.install(distribution, f"Install {implementation.name}", offer.packages))
    else:
        packages = steps.loader(distribution)
        made += [
            steps.install(distribution, "Install the ICD loader", (name,)) for name in packages
        ]
        made.append(steps.install_files(distribution, offer.origin_name, files, offer.packages))
    if environment:
        names = " ".join(f"{name}={value}" for name, value in environment.items())
        lines = "".join(f"export {name}={value}\n" for name, value in environment.items())
        path = f"/etc/profile.d/opencl-{implementation.implementation}.sh"
        made.append(steps.write_file(f"Set {names} for all users", path, lines))
    return (*made, *open_node(machine), steps.look())


def enabled(implementation: Implementation, machine: Machine) -> dict[str, str]:
    """Return the variables without which the implementation shows no device of this vendor."""
    driver = _RUSTICL.get(machine.vendor or "")
    if implementation.implementation == "rusticl" and driver is not None:
        return {"RUSTICL_ENABLE": driver}
    return dict(implementation.enable)


def module_packages(offer: Offer, implementation: Implementation) -> tuple[str, ...]:
    """Return the package with NVIDIA's kernel module, which must be of the library's version."""
    if implementation.implementation != "nvidia" or offer.how != "package":
        return ()
    name = offer.packages[0].replace("libnvidia-compute-", "nvidia-driver-")
    name = name.removesuffix("opencl-icd") + "driver" if name.endswith("opencl-icd") else name
    return () if name in offer.packages else (name,)


_RUSTICL = {"amd": "radeonsi", "nvidia": "nouveau"}


def how(offer: Offer, machine: Machine) -> How:
    """Return how a route gets its implementation."""
    if offer.how in ("container", "pip", "conda"):
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
    return [steps.install(distribution, title, (package,), pocket=linux.newer)]


def open_node(machine: Machine) -> list[Step]:
    """Return the steps that let the user open the GPU's node, or that check it without root."""
    if machine.vendor == "nvidia" or machine.system == "wsl2":
        return []  # all may open the nodes of NVIDIA's driver, and /dev/dxg
    if not machine.wishes.root:
        check = Check(argv=("test", "-w", "/dev/dri/renderD128"))
        return [step("Check that you may open the GPU's node", check)]
    distribution = machine.distribution
    if distribution is None or distribution.node_group is None:
        return []
    return steps.join_group(distribution.node_group)


_NEW_GROUP = "Log out and in again: a new group does not count in running sessions."
_NEW_VARIABLES = "The variables that a step sets count from the next log-in on."
OF_SESSIONS = (_NEW_GROUP, _NEW_VARIABLES)
"""What follows from steps alone, and not where they are done."""


def caveats(offer: Offer, machine: Machine, environment: dict[str, str]) -> list[str]:
    """Return what the steps of a GPU's route leave to the reader."""
    distribution = machine.distribution
    if offer.how == "container":
        return [*containers.container_caveats(offer, machine), *access(machine)]
    said = []
    if distribution is not None and not steps.can_install(distribution):
        said.append(f"No commands are given for {machine.os_name}: its own pages say how.")
    if offer.component is not None and offer.component.startswith("non-free"):
        said.append(f"The component {offer.component} must be switched on in the package sources.")
    if offer.pocket == "aur":
        said.append("It is in the AUR only: build it with makepkg.")
    if offer.pocket == "backports" and distribution is not None:
        said.append(backports_wanted(distribution))
    if offer.how == "file":
        said.append("Fetch the files by hand; the steps expect them in the current folder.")
    if environment:
        said.append(_NEW_VARIABLES)
    said += access(machine)
    generation = machine.generation
    if generation is not None and any(
        generation.platforms[chip.platform].firmware for chip in machine.chips
    ):
        said.append(_firmware(distribution))
    return said


def access(machine: Machine) -> list[str]:
    """Return what opening the GPU's node leaves to the reader."""
    distribution = machine.distribution
    if machine.wishes.root and distribution is not None and distribution.node_group is not None:
        return [_NEW_GROUP]
    return ["You need read and write access to /dev/dri/renderD128."]


def versions_of(offer: Offer) -> tuple[str, ...] | tuple[str | None, ...]:
    """Return the version of each package, for files those of the release that they are from."""
    if offer.of_release is None or offer.version is None:
        return tuple(offer.versions.get(name, offer.version) for name in offer.packages)
    listed = offer.of_release.packages
    return tuple(
        listed[name][0].version if name in listed else offer.version for name in offer.packages
    )


def _files(offer: Offer) -> list[str]:
    """Return the names of the .deb files; an epoch is no part of them."""
    if offer.how != "file":
        return []
    versions = [(version or "").split(":", 1)[-1] for version in versions_of(offer)]
    named = zip(offer.packages, versions, strict=True)
    return [f"{name}_{version}_amd64.deb" for name, version in named]


def _firmware(distribution: Distribution | None) -> str:
    packages = distribution.packages if distribution is not None else {}
    for name in ("firmware-intel-graphics", "firmware-misc-nonfree"):
        if name in packages:
            return f"This GPU does not start without GuC firmware: {name} (non-free)."
    return "This GPU does not start without GuC firmware, which linux-firmware holds."
