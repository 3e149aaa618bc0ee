# SPDX-License-Identifier: MIT
"""collect(): one host's facts, gathered while the OpenCL children are at work."""

import contextlib
import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from clprobe import __version__
from clprobe.model.opencl import Icd
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.probe.environment import probe_environment
from clprobe.probe.facts import ask
from clprobe.probe.file_access import with_access
from clprobe.probe.frameworks import finished_frameworks, probe_frameworks, start_frameworks
from clprobe.probe.gpus import probe_gpus
from clprobe.probe.host import Host, OpenclRequest, Pending, Role
from clprobe.probe.icds import FoundIcd, probe_icds
from clprobe.probe.libraries import Libraries
from clprobe.probe.live_host import LiveHost
from clprobe.probe.loaders import probe_loaders
from clprobe.probe.nodes import probe_nodes
from clprobe.probe.opencl import answer_of
from clprobe.probe.package_sources import probe_package_sources
from clprobe.probe.package_trouble import probe_package_trouble
from clprobe.probe.packages import probe_packages
from clprobe.probe.pairs import probe_pairs
from clprobe.probe.runtime_libraries import probe_runtime_libraries
from clprobe.probe.system import probe_system
from clprobe.probe.user import probe_sudo_caller, probe_user
from clprobe.probe.views import finished_views, start_views, with_version

_SHORTEST_S = 0.1
Waiting = Callable[[str], contextlib.AbstractContextManager[None]]
"""Called with what is waited for; the block inside is the wait."""


def _in_silence(what: str) -> contextlib.AbstractContextManager[None]:
    """Wait without a word."""
    del what
    return contextlib.nullcontext()


def collect(  # noqa: PLR0913 - what takes long is switched on thing by thing
    host: Host | None = None,
    *,
    timeout_s: float = 10.0,
    run_kernels: bool = False,
    pairs: bool = False,
    ask_frameworks: bool = False,
    waiting: Waiting = _in_silence,
) -> Snapshot:
    """Return the facts of `host`, of this machine if it is left out.

    No driver is loaded into this process, and none is waited for longer than `timeout_s`.
    `run_kernels` also builds and runs a small kernel on each device. `pairs` then loads every two
    ICDs together, for which there is `timeout_s` once more. `ask_frameworks` has PyTorch and the
    like compute on each device that they were built for. `waiting` is told what takes time.
    """
    asked = _Asking(host or LiveHost(), time.monotonic() + timeout_s, run_kernels)
    host = asked.host
    libraries = Libraries(host)
    views = start_views(host, libraries, asked.start)
    loaders = probe_loaders(host, libraries)
    icds = probe_icds(host, libraries, loaders)
    children = _start_icds(asked, icds)
    frameworks = probe_frameworks(host)
    importing = start_frameworks(frameworks, asked.start) if ask_frameworks else {}
    # The children work from here on; the host is looked at meanwhile.
    with waiting("the package manager"):
        packages = probe_packages(host)
        trouble = probe_package_trouble(host)
        owners = _owners(host, icds)
    system = probe_system(host)
    snapshot = Snapshot(
        clprobe=__version__,
        source="live",
        taken=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        system=system,
        user=probe_user(host),
        environment=probe_environment(host),
        gpus=probe_gpus(host, system.virtualization.container),
        device_nodes=probe_nodes(host),
        packages=packages,
        package_sources=probe_package_sources(host),
        package_trouble=trouble,
        libraries=probe_runtime_libraries(host, libraries, icds),
        excerpts=(),
        perspectives=probe_sudo_caller(host),
    )
    for icd in icds:
        if icd.library is not None:
            with waiting(icd.facts.path):
                children[host.real_path(icd.library)].wait()
    answered = tuple(_answered(host, icd, children, owners, timeout_s) for icd in icds)
    has_loader = any(loader.facts.is_default is True for loader in loaders)
    for viewer, pending in views.items():
        with waiting(f"what {viewer} sees"):
            pending.wait()
    seen = finished_views(views, timeout_s, has_loader=has_loader)
    with waiting("PyTorch"):
        frameworks = finished_frameworks(frameworks, importing)
    with waiting("pairs of drivers"):
        together = probe_pairs(host, answered, timeout_s) if pairs else NOT_STATED
    return _encodable(
        replace(
            snapshot,
            icds=with_access(host, answered),
            frameworks=frameworks,
            views=seen,
            pairs=together,
            loaders=tuple(with_version(loader.facts, seen) for loader in loaders),
        )
    )


class _Asking(NamedTuple):
    """What all children have in common."""

    host: Host
    deadline: float
    run_kernels: bool

    def start(self, role: Role, library: str) -> Pending:
        """Start one child; only vendor libraries are given kernels to run."""
        kernels = self.run_kernels and role == "icd"
        # One end for all: eight drivers that hang must not take longer than one.
        left_s = max(self.deadline - time.monotonic(), _SHORTEST_S)
        return self.host.start_opencl(
            OpenclRequest(role=role, library=library, timeout_s=left_s, kernels=kernels)
        )


def _start_icds(asked: _Asking, icds: tuple[FoundIcd, ...]) -> dict[str, Pending]:
    """Start one child per library file: several `.icd` files may name the same."""
    children: dict[str, Pending] = {}
    for icd in icds:
        if icd.library is not None:
            real = asked.host.real_path(icd.library)
            if real not in children:
                # A relative path means another file in the child's own working folder.
                library = icd.library if icd.library.startswith("/") else real
                children[real] = asked.start("icd", library)
    return children


def _owners(host: Host, icds: tuple[FoundIcd, ...]) -> dict[str, str | None] | Unknown:
    """Return the package of each ICD's files; a library is asked for by its real path too."""
    paths = []
    for icd in icds:
        paths.append(icd.facts.path)
        if isinstance(icd.facts.library.path, str):
            paths += [icd.facts.library.path, host.real_path(icd.facts.library.path)]
    return ask(host.owners, tuple(dict.fromkeys(paths))) if paths else {}


def _answered(
    host: Host,
    icd: FoundIcd,
    children: dict[str, Pending],
    owners: dict[str, str | None] | Unknown,
    timeout_s: float,
) -> Icd:
    facts = icd.facts
    library = facts.library
    if isinstance(owners, Unknown):
        facts = replace(facts, package=owners, library=replace(library, package=owners))
    else:
        facts = replace(facts, package=owners.get(facts.path))
        if isinstance(library.path, str):
            package = owners.get(library.path) or owners.get(host.real_path(library.path))
            facts = replace(facts, library=replace(library, package=package))
    if icd.library is None:
        return facts
    result = children[host.real_path(icd.library)].wait()
    return replace(facts, answer=answer_of(result, timeout_s))


def _encodable(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with bytes that are not UTF-8, in file names say, as U+FFFD.

    Python keeps such bytes as lone surrogates, which no document can hold.
    """
    try:
        msgspec.json.encode(snapshot)
    except UnicodeEncodeError:
        return msgspec.convert(_encodable_parts(msgspec.to_builtins(snapshot)), Snapshot)
    return snapshot


def _encodable_parts(value: Any) -> Any:
    if isinstance(value, dict):
        return {_encodable_parts(key): _encodable_parts(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable_parts(part) for part in value]
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
