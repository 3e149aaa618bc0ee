# SPDX-License-Identifier: MIT
"""The steps of a whole route, and what must be said about them."""

from clprobe.install import containers, steps
from clprobe.install.linux_fit import LinuxFit
from clprobe.install.linux_words import backports_wanted, linux_package
from clprobe.install.machine import Machine, find_distribution
from clprobe.install.repository_steps import add_repository
from clprobe.install.ways import Way
from clprobe.knowledge.table_types import Distribution, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.plan import How, Step


def for_gpu(  # noqa: PLR0913, PLR0917 - where all of a route comes together
    way: Way,
    implementation: Implementation,
    machine: Machine,
    linux: LinuxFit,
    environment: dict[str, str],
    tables: Tables,
) -> tuple[Step, ...]:
    """Return the steps that install a GPU's implementation and open its node; () by hand only."""
    distribution = machine.distribution
    if way.how == "container":
        inside = containers.container_steps(way, implementation, machine, environment)
        newer = _newer_linux(machine, linux)
        if newer and distribution is not None:
            newer = [*steps.refresh(distribution), *newer]
        # The steps for what runs the container read the index, too; once is enough.
        return tuple(dict.fromkeys((*newer, *_open_node(machine), *inside)))
    if distribution is None or not steps.can_install(distribution) or way.pocket == "aur":
        return ()
    files = _files(way, tables)
    made = [*steps.check_files(way.origin_name, files), *steps.refresh(distribution)]
    made += _newer_linux(machine, linux)
    if way.how == "package":
        title = f"Install {implementation.name}"
        # Some drivers only suggest a loader, as Debian 11's Beignet does.
        loader = steps.loader(distribution)
        packages = (*way.packages, *module_packages(way, implementation), *loader)
        made.append(steps.install(distribution, title, packages, pocket=way.pocket))
    elif way.third_party is not None:
        made += add_repository(way.third_party, distribution)
        made.append(steps.install(distribution, f"Install {implementation.name}", way.packages))
    else:
        made += _loader(distribution)
        made.append(steps.install_files(way.origin_name, files, way.packages))
    if environment:
        names = " ".join(f"{name}={value}" for name, value in environment.items())
        lines = "".join(f"export {name}={value}\n" for name, value in environment.items())
        path = f"/etc/profile.d/opencl-{implementation.implementation}.sh"
        made.append(steps.write_file(f"Set {names} for all users", path, lines))
    return (*made, *_open_node(machine), steps.look())


def enabled(implementation: Implementation, machine: Machine) -> dict[str, str]:
    """Return the variables without which the implementation shows no device of this vendor."""
    driver = _RUSTICL.get(machine.vendor or "")
    if implementation.implementation == "rusticl" and driver is not None:
        return {"RUSTICL_ENABLE": driver}
    return dict(implementation.enable)


def module_packages(way: Way, implementation: Implementation) -> tuple[str, ...]:
    """Return the package with NVIDIA's kernel module, which must be of the library's version."""
    if implementation.implementation != "nvidia" or way.how != "package":
        return ()
    name = way.packages[0].replace("libnvidia-compute-", "nvidia-driver-")
    name = name.removesuffix("opencl-icd") + "driver" if name.endswith("opencl-icd") else name
    return () if name in way.packages else (name,)


_RUSTICL = {"amd": "radeonsi", "nvidia": "nouveau"}


def how(way: Way, machine: Machine) -> How:
    """Return how a route gets its implementation."""
    if way.how in ("container", "pip", "conda"):
        return way.how
    distribution = machine.distribution
    if way.pocket == "aur" or distribution is None or not steps.can_install(distribution):
        return "by-hand"
    if way.how in ("file", "repository"):
        return way.how
    return "backports" if way.pocket == "backports" else "package"


def _newer_linux(machine: Machine, linux: LinuxFit) -> list[Step]:
    distribution = machine.distribution
    if linux.newer is None or distribution is None:
        return []
    package = linux_package(distribution, linux.newer)
    title = f"Install Linux {linux.linux}"
    return [steps.install(distribution, title, (package,), pocket=linux.newer)]


def _open_node(machine: Machine) -> list[Step]:
    """Return the steps that let the user open the GPU's node, or that check it without root."""
    if machine.vendor == "nvidia" or machine.system == "wsl2":
        return []  # all may open the nodes of NVIDIA's driver, and /dev/dxg
    if not machine.wishes.root:
        return [steps.check_node()]
    distribution = machine.distribution
    if distribution is None or distribution.node_group is None:
        return []
    return steps.join_group(distribution.node_group)


def caveats(way: Way, machine: Machine, environment: dict[str, str]) -> list[str]:
    """Return what the steps of a GPU's route leave to the reader."""
    distribution = machine.distribution
    if way.how == "container":
        return [*containers.container_caveats(way, machine), *_access(machine)]
    said = []
    if distribution is not None and not steps.can_install(distribution):
        said.append(f"No commands are given for {machine.os_name}: its own pages say how.")
    if way.component is not None and way.component.startswith("non-free"):
        said.append(f"The component {way.component} must be switched on in the package sources.")
    if way.pocket == "aur":
        said.append("It is in the AUR only: build it with makepkg.")
    if way.pocket == "backports" and distribution is not None:
        said.append(backports_wanted(distribution))
    if way.how == "file":
        said.append("Fetch the files by hand; the steps expect them in the current folder.")
    if environment:
        said.append("The variables that a step sets count from the next log-in on.")
    said += _access(machine)
    generation = machine.generation
    if generation is not None and any(
        generation.platforms[chip.platform].firmware for chip in machine.chips
    ):
        said.append(_firmware(distribution))
    return said


def _access(machine: Machine) -> list[str]:
    distribution = machine.distribution
    if machine.wishes.root and distribution is not None and distribution.node_group is not None:
        return ["Log out and in again: a new group does not count in running sessions."]
    return ["You need read and write access to /dev/dri/renderD128."]


def versions_of(way: Way, tables: Tables) -> tuple[str, ...] | tuple[str | None, ...]:
    """Return the version of each package, for files those of the release that they are from."""
    origin = find_distribution(way.origin, tables) if way.how == "file" else None
    if origin is None or way.version is None:
        return tuple(way.versions.get(name, way.version) for name in way.packages)
    return tuple(
        origin.packages[name][0].version if name in origin.packages else way.version
        for name in way.packages
    )


def _files(way: Way, tables: Tables) -> list[str]:
    """Return the names of the .deb files; an epoch is no part of them."""
    if way.how != "file":
        return []
    versions = [(version or "").split(":", 1)[-1] for version in versions_of(way, tables)]
    named = zip(way.packages, versions, strict=True)
    return [f"{name}_{version}_amd64.deb" for name, version in named]


def _loader(distribution: Distribution) -> list[Step]:
    packages = steps.loader(distribution)
    return [steps.install(distribution, "Install the ICD loader", packages)] if packages else []


def _firmware(distribution: Distribution | None) -> str:
    packages = distribution.packages if distribution is not None else {}
    for name in ("firmware-intel-graphics", "firmware-misc-nonfree"):
        if name in packages:
            return f"This GPU does not start without GuC firmware: {name} (non-free)."
    return "This GPU does not start without GuC firmware, which linux-firmware holds."
