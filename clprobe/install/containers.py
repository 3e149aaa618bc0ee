# SPDX-License-Identifier: MIT
"""An older or newer release in a container that gets the host's /dev/dri: the ways and the steps.

The driver in the container talks to the host's Linux through /dev/dri, so the container's release
decides which OpenCL implementation there is, and the host's Linux which GPUs it can reach.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from clprobe.commands.commands import step
from clprobe.compat.known_gpu import alike
from clprobe.compat.offers import Offer, packaged
from clprobe.compat.resolve import version_covers
from clprobe.install import steps
from clprobe.install.machine import Machine
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import newest
from clprobe.model import action as actions
from clprobe.model.action import Engine
from clprobe.model.finding import Source
from clprobe.model.plan import Route, Step

_SOURCES = (
    Source(url="https://github.com/intel/compute-runtime/issues/366", checked="2026-11-21"),
    Source(
        url="https://github.com/containers/podman/blob/main/troubleshooting.md",
        checked="2026-11-21",
    ),
)
_TOOLS = ("clinfo", steps.LOADER)


def contained(implementation: Implementation, machine: Machine, tables: Tables) -> list[Offer]:
    """Return the container whose package is the newest of those that drive the GPU, if any.

    Where the person asks for a container, one of the host's own release comes before that.
    """
    if (
        machine.system != "linux"
        or not machine.chips
        or "i915" not in implementation.kernel_drivers
    ):
        return []
    host = machine.distribution.key if machine.distribution is not None else None
    groups = alike(machine.gpus)
    ways: dict[str, Offer] = {}
    for release in tables.distributions():
        if release.image is None or (release.key == host and not machine.wishes.contained):
            continue
        for offer in packaged(implementation, release):
            drives = all(version_covers(implementation, offer, g[0]) is True for g in groups)
            if drives and offer.version is not None:
                ways[offer.version] = replace(
                    offer,
                    how="container",
                    offered_by=f"a container of {release.short_name} holds",
                    inside=release,
                    status="workaround",
                    sources=(*offer.sources, *_SOURCES),
                )
    own = [way for way in ways.values() if way.inside is not None and way.inside.key == host]
    return own[-1:] or ([ways[newest(list(ways), "debian")]] if ways else [])


def container_steps(
    offer: Offer, implementation: Implementation, machine: Machine, environment: dict[str, str]
) -> tuple[Step, ...]:
    """Return the steps that make the container and install the implementation in it."""
    release, engine = offer.inside, machine.wishes.engine
    manager = steps.manager_of(release) if release is not None else None
    if release is None or release.image is None or manager is None:
        return ()
    name = f"clprobe-{implementation.implementation}"
    where = release.short_name
    older = actions.RemoveContainer(engine=engine, name=name)
    start = actions.StartContainer(engine=engine, name=name, image=release.image)
    packages = (*offer.packages, *(tool for tool in _TOOLS if tool in release.packages))

    def inside(
        title: str,
        action: actions.Refresh | actions.Install | actions.Check,
        *variables: tuple[str, str],
    ) -> Step:
        made = actions.InContainer(engine=engine, name=name, variables=variables, action=action)
        return step(title, made)

    return (
        *_engine(engine, machine),
        # podman replaces it by itself, and distrobox keeps it.
        *([step("Remove an older one of that name", older)] if engine == "docker" else []),
        step(f"Start a container of {where} that may use the GPU", start),
        inside(
            f"Read the package index of {where} in the container",
            actions.Refresh(manager=manager.manager),
        ),
        inside(
            f"Install {implementation.name} in the container",
            actions.Install(manager=manager.manager, packages=packages),
        ),
        inside(
            "See what programs in the container get",
            actions.Check(argv=("clinfo", "--list")),
            *environment.items(),
        ),
    )


def passed_in(routes: Sequence[Route], machine: Machine, tables: Tables) -> tuple[Route, ...]:
    """Return the routes, those on a GPU with how a container gets it, where one is asked for."""
    if not machine.wishes.contained or machine.system != "linux":
        return tuple(routes)

    def told(route: Route) -> Route:
        # A framework may bring its driver with it, as those on ROCm do.
        named = tables.implementation(route.backend)
        implementation = named or tables.implementation(_DRIVERS.get(machine.vendor or "", ""))
        if not route.uses_gpu or route.how == "container" or implementation is None:
            return route
        said = _passing_in(implementation, machine.wishes.engine)
        return replace(route, caveats=(said, *route.caveats), essential=(said, *route.essential))

    return tuple(told(route) for route in routes)


def _passing_in(implementation: Implementation, engine: Engine) -> str:
    """Say how the nodes that the driver opens get into a container."""
    if "nvidia" in implementation.kernel_drivers:
        options = "--device nvidia.com/gpu=all" if engine == "podman" else "--gpus all"
        if engine == "distrobox":
            return "Install the driver on the host, the rest in distrobox create --nvidia …"
        return (
            f"Install the driver and NVIDIA's Container Toolkit on the host, the rest in the "
            f"container, started with {engine} run {options} …"
        )
    inside = "The group is for the host; do the rest in the container, whose own driver counts."
    if engine == "distrobox":
        return f"{inside} distrobox passes the GPU in by itself."
    nodes = sorted({f"/dev/{node.split('/')[2]}" for node in implementation.device_nodes})
    group = "keep-groups" if engine == "podman" else '"$(getent group render | cut -d: -f3)"'
    devices = " ".join(f"--device {node}" for node in nodes)
    return f"{inside} Start it with {engine} run {devices} --group-add {group} …"


def container_caveats(offer: Offer, machine: Machine) -> list[str]:
    """Return what to know of a route through a container."""
    engine = machine.wishes.engine
    others = [one for one in ("podman", "docker", "distrobox") if one != engine]
    said = [
        "Programs get this OpenCL only inside the container: start them there, and give it your "
        "folders with --volume.",
        f"The same container works with {' and '.join(others)}: --container names one of them.",
    ]
    if engine == "podman":
        said.append("--group-add keep-groups needs the runtime crun.")
    if offer.inside is not None:
        said.append(f"The image {offer.inside.image} is fetched from the registry of {engine}.")
    return said


def _engine(engine: Engine, machine: Machine) -> list[Step]:
    """Return the steps that bring the engine, or check for it where that needs what is barred."""
    distribution = machine.distribution
    if machine.wishes.root and distribution is not None and steps.can_install(distribution):
        package = _PACKAGES.get(distribution.id, {}).get(engine, engine)
        return [
            *steps.refresh(distribution),
            steps.install(distribution, f"Install {engine}", (package,)),
        ]
    return [step(f"Check that {engine} is installed", actions.Check(argv=(engine, "--version")))]


_DRIVERS = {"amd": "amd-rocm", "intel": "compute-runtime", "nvidia": "nvidia"}
_PACKAGES = {"debian": {"docker": "docker.io"}, "ubuntu": {"docker": "docker.io"}}
