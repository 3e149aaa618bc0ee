# SPDX-License-Identifier: MIT
"""The facts of a container into which nobody can look, by its description alone."""

from collections.abc import Iterator

from msgspec.structs import replace

from clprobe.model.hardware import DeviceNode
from clprobe.model.snapshot import OUTSIDE, Perspective, Snapshot
from clprobe.model.system import Group, System, User
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.outside.described import Container
from clprobe.outside.inside_host import InsideHost
from clprobe.probe.environment import probe_environment
from clprobe.probe.facts import ask
from clprobe.probe.host import Host
from clprobe.version import __version__

_OVERFLOW = 65534
_KEPT_GROUPS = "keep-groups"
_ONLY_RUNNING = Unknown("only in the running container it can be tried")


def facts_by_description(
    host: Host, container: Container, here: Snapshot, why: Unknown
) -> Snapshot:
    """Return what the description tells; all else is unknown, and `why` is the reason."""
    mapped = _is_mapped(host, container)
    virtual = replace(
        here.system.virtualization, container=container.tool, user_namespace=mapped, service=None
    )
    variables = ask(probe_environment, InsideHost(host, {}, container.environment))
    return Snapshot(
        clprobe=__version__,
        source=OUTSIDE,
        taken=here.taken,
        system=System(linux=here.system.linux, cpu=here.system.cpu, virtualization=virtual),
        user=_user(container),
        environment={} if isinstance(variables, Unknown) else variables,
        gpus=here.gpus,
        device_nodes=_nodes(container, here, mapped=mapped),
        packages=why,
        loaders=why,
        icds=why,
        views=why,
        interfaces=why,
        messages=(container.error,) if container.error else (),
        excerpts=(),
        perspectives=beside(here),
    )


def beside(here: Snapshot) -> tuple[Perspective, ...]:
    """Return the facts of the host as those of another place, whoever asks there."""
    return (Perspective(where="host", facts=replace(here, user=User(), perspectives=())),)


def _is_mapped(host: Host, container: Container) -> bool:
    """Tell whether ids are mapped: where it says so, and always for podman without root."""
    identity = ask(host.identity)
    is_root = not isinstance(identity, Unknown) and identity.uid == 0
    return container.own_ids or (container.tool == "podman" and not is_root)


def _user(container: Container) -> User:
    """Return the user that the container is started as, by number; names are the image's."""
    name, _, group = container.user.partition(":")
    named = Unknown(f"only the image tells the number of its user {name}")
    uid: Fact[int] = int(name) if name.isdecimal() else 0 if name in ("", "root") else named
    numbers = [one for one in (group or "0", *container.groups) if one.isdecimal()]
    own: Fact[tuple[Group, ...]] = tuple(Group(gid=int(one)) for one in dict.fromkeys(numbers))
    if isinstance(uid, Unknown) or len(numbers) <= len(container.groups) - 1:
        own = Unknown("only the image tells the numbers of its groups")
    return User(uid=uid, groups=own, database_groups=own, is_asker=False)


def _nodes(container: Container, here: Snapshot, *, mapped: bool) -> Fact[tuple[DeviceNode, ...]]:
    if isinstance(here.device_nodes, Unknown):
        return here.device_nodes
    by_runtime = [*container.gpu_requests, *_names_of_cdi(container)]
    if by_runtime:
        return Unknown(f"{', '.join(by_runtime)} is handed over when the container starts")
    found: dict[str, DeviceNode] = {}
    for node in here.device_nodes:
        for path, error in _paths_inside(node.path, container):
            found[path] = _inside(node, path, error, container, mapped=mapped)
    return tuple(found.values())


def _names_of_cdi(container: Container) -> Iterator[str]:
    """Yield devices that are no paths, such as nvidia.com/gpu=all."""
    yield from (one.on_host for one in container.given if not one.on_host.startswith("/"))


def _paths_inside(path: str, container: Container) -> Iterator[tuple[str, Unknown | None]]:
    """Yield where a node of the host lies inside, and why nobody knows whether it opens there."""
    if container.privileged:
        yield path, None
    for given in container.given:
        on_host = given.on_host.rstrip("/")
        if path == on_host or path.startswith(f"{on_host}/"):
            way = given.inside.rstrip("/") + path[len(on_host) :]
            yield way, None if given.as_device else _ONLY_RUNNING


def _inside(
    node: DeviceNode, path: str, error: Unknown | None, container: Container, *, mapped: bool
) -> DeviceNode:
    uid, gid = node.uid, node.gid
    if mapped:  # ids of the host that have none inside
        uid, gid = _OVERFLOW, _OVERFLOW
        error = _ONLY_RUNNING if _KEPT_GROUPS in listed(container.groups) else error
    unnamed = Unknown("only the image tells the name of this number")
    return DeviceNode(
        path=path,
        kind=node.kind,
        pci_address=node.pci_address,
        uid=uid,
        owner=unnamed,
        gid=gid,
        group=unnamed,
        mode=node.mode,
        acl=() if mapped else node.acl,
        device_error=node.device_error,
        **({} if error is None else {"open_error": error}),
    )
