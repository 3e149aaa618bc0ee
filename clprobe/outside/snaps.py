# SPDX-License-Identifier: MIT
"""The facts that hold in a snap, by what snap tells of its interfaces and by its own files."""

from collections.abc import Iterator

from msgspec.structs import replace

from clprobe.model.errors import ClprobeError
from clprobe.model.hardware import DeviceNode
from clprobe.model.opencl import Icd
from clprobe.model.snapshot import OUTSIDE, Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.outside.find import check_name, failure_of
from clprobe.outside.not_running import beside
from clprobe.probe.facts import ask_names, ask_text
from clprobe.probe.host import Host
from clprobe.version import __version__

_OPENGL = "opengl"
_BY_OPENGL = ("render", "card", "nvidia", "mali")
"""Kinds of nodes that the interface opengl opens.

**Source**: interfaces/builtin/opengl.go of snapd.
"""
_PLACES = ("etc/OpenCL/vendors", "usr/share/OpenCL/vendors", "usr/lib/OpenCL/vendors")
_NVIDIA = "nvidia"
_NONE = "-"


def facts_in_snap(host: Host, name: str, here: Snapshot, limit_s: float) -> Snapshot:
    """Return what holds in the snap, with `here`, the host's facts, beside it.

    Raises: ClprobeError if there is no such snap, or nobody could tell.
    """
    check_name(name, kind="snap")
    rows = [line.split() for line in _told(host, ("list", name), limit_s).splitlines()[1:]]
    version, notes = next(((row[1], row[-1]) for row in rows if len(row) >= 5), ("", ""))
    if "classic" in notes:
        # It is not confined, and sees what the host has.
        return replace(here, source=OUTSIDE)
    connections = dict(_connections(_told(host, ("connections", name), limit_s)))
    virtual = replace(here.system.virtualization, container="snap", service=None)
    own = tuple(_icds(host, name, connections, here))
    return Snapshot(
        clprobe=__version__,
        source=OUTSIDE,
        taken=here.taken,
        system=replace(here.system, virtualization=virtual),
        user=here.user,
        environment=here.environment,
        gpus=here.gpus,
        device_nodes=_nodes(connections, here),
        packages=(Package(name=name, version=version, manager="snap"),),
        icds=own,
        excerpts=("packages",),
        perspectives=beside(here),
    )


def _told(host: Host, arguments: tuple[str, ...], limit_s: float) -> str:
    answer = host.ask_tool("snap", arguments, limit_s)
    if answer.ended == "exit" and answer.status == 0:
        return answer.printed.decode("utf-8", "replace")
    why = failure_of("snap", answer, limit_s)
    if "no matching snaps" in answer.complaint:
        why = "snap knows none of that name"
    raise ClprobeError(
        reference="snap-not-looked-at",
        message=f"The snap could not be looked at: {why}.",
        hint="`snap list` shows what is installed.",
    )


def _connections(text: str) -> Iterator[tuple[str, str]]:
    """Yield each interface with the slot that it is connected to, `-` for none."""
    for row in (line.split() for line in text.splitlines()[1:]):
        if len(row) >= 3:
            yield row[0], row[2]


def _nodes(connections: dict[str, str], here: Snapshot) -> Fact[tuple[DeviceNode, ...]]:
    if isinstance(here.device_nodes, Unknown):
        return here.device_nodes
    if connections.get(_OPENGL, _NONE) == _NONE:
        return ()
    return tuple(node for node in here.device_nodes if node.kind in _BY_OPENGL)


def _icds(host: Host, name: str, connections: dict[str, str], here: Snapshot) -> Iterator[Icd]:
    """Yield what the snap brings, and NVIDIA's driver of the host, which snapd hands over."""
    sources = [slot.partition(":")[0] for slot in connections.values() if slot != _NONE]
    for snap in dict.fromkeys((name, *filter(None, sources))):
        for place in _PLACES:
            folder = f"/snap/{snap}/current/{place}"
            for file in ask_names(host.list_folder, folder):
                if file.endswith(".icd"):
                    text = ask_text(host.read, f"{folder}/{file}")
                    library = text if isinstance(text, Unknown) else text.strip() or None
                    yield Icd(path=f"{folder}/{file}", text=text, library_name=library)
    if connections.get(_OPENGL, _NONE) != _NONE:
        for icd in listed(here.icds):
            if isinstance(icd.library_name, str) and _NVIDIA in icd.library_name:
                yield Icd(path=icd.path, text=icd.text, library_name=icd.library_name)
