# SPDX-License-Identifier: MIT
"""From a snapshot to the facts that rules ask about: pure, so a replay gives what live gave."""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from clprobe.facts.closure.conclude import conclude
from clprobe.facts.closure.presume import Level, presume
from clprobe.facts.derive_devices import gather_devices, stands_for
from clprobe.facts.derive_gpus import judge_gpu
from clprobe.facts.derive_icds import judge_icd
from clprobe.facts.derive_parts import judge_framework, judge_intel, judge_nvidia
from clprobe.facts.derive_programs import judge_programs
from clprobe.facts.derive_sums import sum_up
from clprobe.facts.derive_views import (
    asking_opencl,
    is_settled,
    judge_loader,
    judge_pair,
    judge_view,
)
from clprobe.facts.derive_watched import judge_watched
from clprobe.facts.facts import Boot, DeviceFacts, Facts, IcdFacts, OtherFacts
from clprobe.facts.hardware_facts import GpuFacts, NodeFacts
from clprobe.facts.messages import bearing_log, everything_said, with_icds_named, with_nodes_named
from clprobe.facts.permissions.nodes import judge_node, vendor_of_kind
from clprobe.facts.permissions.people import closed_nodes, judge_user, needed_groups
from clprobe.facts.permissions.prediction import with_read_errors
from clprobe.facts.reasons import describe_end
from clprobe.facts.runtimes import installed_runtimes
from clprobe.knowledge.tables import Tables
from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.placeholders import SUDO_CALLER
from clprobe.model.snapshot import Perspective, Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

T = TypeVar("T")
U = TypeVar("U")


def derive(snapshot: Snapshot, tables: Tables, *, beyond: Level | None = None) -> Facts:
    """Return the snapshot's facts with everything that tables and reasoning add.

    `beyond` what follows: with what is likely or possible, which ranks and decides nothing.
    """
    closed = conclude(snapshot, tables)
    if beyond is not None:
        closed = presume(closed, beyond, tables)
    snapshot = closed.snapshot
    snapshot = with_icds_named(snapshot, everything_said(snapshot, NOT_STATED))
    user, system = snapshot.user, snapshot.system
    readable = _each(snapshot.icds, lambda icd: with_read_errors(icd, user, system))
    icds = _each(readable, lambda icd: judge_icd(icd, snapshot, tables))
    devices = _devices(snapshot, icds, tables)
    runtimes = installed_runtimes(snapshot, icds, tables)
    presuming = beyond is not None
    found = _each(
        snapshot.gpus,
        lambda gpu: judge_gpu(gpu, runtimes, system, tables, presuming=presuming),
    )
    gpus = _each(
        found, lambda gpu: replace(gpu, has_device=stands_for(gpu, listed(found), devices))
    )
    said = everything_said(snapshot, bearing_log(snapshot, gpus, devices))
    snapshot = with_nodes_named(snapshot, said)
    nodes = _each(snapshot.device_nodes, lambda node: _node(node, snapshot, gpus))
    # What a container is not given may be on the host, with its driver.
    contained = isinstance(snapshot.system.virtualization.container, str)
    whole = "device_nodes" not in snapshot.excerpts and not contained
    gpus = _each(gpus, lambda gpu: _with_binding(gpu, nodes, whole=whole))
    # A probe's snapshot compares devices: there each platform is asked alone.
    rivals = () if isinstance(snapshot.clprobe, str) else listed(snapshot.views)
    facts = Facts(
        system=snapshot.system,
        user=judge_user(snapshot.user, snapshot.system),
        environment=snapshot.environment,
        boot=Boot(parameters=_words(snapshot.system.linux.command_line)),
        gpus=gpus,
        device_nodes=nodes,
        packages=snapshot.packages,
        package_sources=snapshot.package_sources,
        package_trouble=snapshot.package_trouble,
        libraries=snapshot.libraries,
        interfaces=snapshot.interfaces,
        frameworks=_each(snapshot.frameworks, lambda one: judge_framework(one, snapshot)),
        loaders=_each(snapshot.loaders, lambda loader: judge_loader(loader, icds, snapshot.views)),
        icds=icds,
        devices=devices,
        pairs=_each(snapshot.pairs, judge_pair),
        views=_each(
            snapshot.views,
            lambda view: judge_view(view, rivals, snapshot.loaders, devices, tables),
        ),
        others=tuple(_other(other, snapshot, tables) for other in snapshot.perspectives),
        said=said,
        program_faults=judge_programs(snapshot, said, tables),
        nvidia=judge_nvidia(snapshot),
        program=judge_watched(snapshot, icds, devices, tables),
        excerpts=_excerpts(snapshot, icds),
        follows_from=closed.because,
    )
    facts = replace(
        facts,
        opencl=sum_up(snapshot, facts, runtimes, tables),
        intel=judge_intel(snapshot, runtimes),
    )
    worded = _each(icds, lambda icd: replace(icd, detail=describe_end(icd, facts, tables)))
    return replace(facts, icds=worded)


def _each(collection: Fact[tuple[T, ...]], judge: Callable[[T], U]) -> Fact[tuple[U, ...]]:
    return collection if isinstance(collection, Unknown) else tuple(map(judge, collection))


def _devices(
    snapshot: Snapshot, icds: Fact[tuple[IcdFacts, ...]], tables: Tables
) -> Fact[tuple[DeviceFacts, ...]]:
    if not isinstance(snapshot.views, Unknown):
        asking = asking_opencl(snapshot.views, tables)
        snapshot = replace(snapshot, views=asking)
    devices = gather_devices(listed(icds), listed(snapshot.views), snapshot.system.cpu, tables)
    return devices if devices or is_settled(snapshot, icds) else NOT_STATED


def _node(node: DeviceNode, snapshot: Snapshot, gpus: Fact[tuple[GpuFacts, ...]]) -> NodeFacts:
    if isinstance(node.kind, Unknown):  # reports give the path alone
        node = replace(node, kind=node_kind(node.path) or node.kind)
    vendor = vendor_of_kind(node.kind)
    for gpu in listed(gpus):
        by_address = isinstance(node.pci_address, str) and node.pci_address == gpu.pci_address
        if by_address or gpu.render_node == node.path:
            vendor = gpu.vendor
    return judge_node(node, snapshot.user, snapshot.system, vendor)


def _words(text: Fact[str]) -> Fact[tuple[str, ...]]:
    return text if isinstance(text, Unknown) else tuple(text.split())


def _other(perspective: Perspective, snapshot: Snapshot, tables: Tables) -> OtherFacts:
    seen = derive(perspective.facts, tables).opencl
    closed = closed_nodes(perspective, snapshot)
    uid = perspective.facts.user.uid
    is_root: Fact[bool] = uid if isinstance(uid, Unknown) else uid == 0
    if isinstance(perspective.who, str):
        is_root = perspective.who == "root" or uid == 0
    return OtherFacts(
        # What a perspective leaves out is as here: its format says so.
        who=_stated(perspective.who),
        where=_stated(perspective.where),
        when=_stated(perspective.when),
        is_root=is_root,
        environment=perspective.facts.environment,
        usable_device=seen.usable_device,
        gpu_device=seen.gpu_device,
        called_sudo=perspective.who == SUDO_CALLER,
        closed_nodes=tuple(node.path for node in closed),
        needed_groups=needed_groups(closed, perspective.facts.user, snapshot.system),
    )


def _stated(text: Fact[str]) -> Fact[str | None]:
    return None if text == NOT_STATED else text


def _excerpts(snapshot: Snapshot, icds: Fact[tuple[IcdFacts, ...]]) -> tuple[str, ...]:
    whole = is_settled(snapshot, icds) and "icds" not in snapshot.excerpts
    # Who writes a report quotes some lines of what was printed, and tells of some other runs.
    quoted = ("said", "others") if snapshot.told else ()
    return (*snapshot.excerpts, *quoted, *(() if whole else ("devices",)))


def _with_binding(gpu: GpuFacts, nodes: Fact[tuple[NodeFacts, ...]], *, whole: bool) -> GpuFacts:
    """Return the GPU with the answer whether a kernel driver has it; `whole`: all nodes are known.

    Reports often tell the nodes and nothing of drivers; a GPU without any node is not driven.
    """
    bound: Fact[bool] = NOT_STATED
    if not isinstance(gpu.kernel_driver, Unknown):
        bound = gpu.kernel_driver is not None
    elif not isinstance(gpu.render_node, Unknown):
        bound = gpu.render_node is not None
    elif not isinstance(nodes, Unknown) and whole:
        bound = NOT_STATED if nodes else False
    return replace(gpu, bound=bound)
