# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - drivers are asked first; what looks at the host is imported meanwhile
"""collect(): one host's facts, gathered while the OpenCL children are at work."""

import contextlib
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from clprobe.model.opencl import Answer, Icd
from clprobe.model.unknown import NOT_STATED, Unknown, listed
from clprobe.probe.facts import ask, or_unknown
from clprobe.probe.forking import end_fork_server
from clprobe.probe.frameworks import finished_frameworks, probe_frameworks, start_frameworks
from clprobe.probe.host import Host, OpenclRequest, Pending, Role
from clprobe.probe.libraries import Libraries
from clprobe.probe.live_host import LiveHost
from clprobe.probe.opencl.children import NotStarted
from clprobe.probe.opencl.icds import FoundIcd, probe_icds
from clprobe.probe.opencl.loaders import (
    FoundLoader,
    finished_views,
    probe_loaders,
    start_views,
    with_version,
)
from clprobe.probe.opencl.pairs import probe_pairs

if TYPE_CHECKING:
    from clprobe.model.snapshot import Snapshot

_SHORTEST_S = 0.1
Waiting = Callable[[str], contextlib.AbstractContextManager[None]]
"""Called with what is waited for; the block inside is the wait."""


def _in_silence(what: str) -> contextlib.AbstractContextManager[None]:
    """Wait silently."""
    del what
    return contextlib.nullcontext()


def collect(  # noqa: PLR0913 - what takes long is switched on thing by thing
    host: Host | None = None,
    *,
    timeout_s: float = 10.0,
    run_kernels: bool | Callable[[], bool] = False,
    compile_anew: bool = False,
    pairs: bool = False,
    ask_frameworks: bool = False,
    programs: Mapping[str, str] = MappingProxyType({}),
    once_asked: Callable[[], object] = lambda: None,
    waiting: Waiting = _in_silence,
) -> "Snapshot":
    """Return the facts of `host`, of this machine if it is left out.

    No driver is loaded into this process, and none is waited for longer than `timeout_s`.
    `run_kernels` also builds and runs a small kernel on each device; whether that is wanted may be
    asked once loaders are at work. An earlier build of it does, unless it is to `compile_anew`.
    `pairs` then loads every two ICDs together, for which there is `timeout_s` once more.
    `ask_frameworks` has PyTorch and the like compute on each device that they were built for.
    `programs` are programs with the libOpenCL that each has loaded, through which a child asks.
    `once_asked` is called when the children are at work; `waiting` is told what takes time.
    """
    asked = _Asking(host or LiveHost(), time.monotonic() + timeout_s, compile_anew=compile_anew)
    host = asked.host
    libraries = Libraries(host)
    views = ask(start_views, host, libraries, asked.start, programs)
    loaders = ask(probe_loaders, host, libraries)
    found = ask(probe_icds, host, libraries, listed(loaders))
    icds = listed(found)
    run = run_kernels() if callable(run_kernels) else run_kernels
    children = _start_icds(asked._replace(run_kernels=run), icds)
    frameworks = ask(probe_frameworks, host)
    importing = start_frameworks(frameworks, asked.start) if ask_frameworks else {}
    # The children work from here on; the host is looked at meanwhile.
    once_asked()
    from clprobe.probe.surroundings import probe_surroundings

    snapshot, owners = probe_surroundings(host, libraries, icds, waiting)
    for icd in icds:
        if icd.library is not None:
            with waiting(icd.facts.path):
                ask(children[icd.library].wait)
    answered = tuple(_answered(host, icd, children, owners, timeout_s) for icd in icds)
    if not isinstance(views, Unknown):
        for viewer, pending in views.items():
            with waiting(f"what {viewer} sees"):
                ask(pending.wait)
    seen = finished_views(views, timeout_s, has_loader=_has_loader(loaders))
    with waiting("PyTorch"):
        frameworks = ask(finished_frameworks, frameworks, importing)
    with waiting("pairs of drivers"):
        together = ask(probe_pairs, host, answered, timeout_s) if pairs else NOT_STATED
    end_fork_server()
    from clprobe.probe.file_access import with_access

    return _encodable(
        replace(
            snapshot,
            icds=found if isinstance(found, Unknown) else with_access(host, answered),
            frameworks=frameworks,
            views=seen,
            pairs=together,
            loaders=loaders
            if isinstance(loaders, Unknown)
            else tuple(with_version(loader.facts, seen) for loader in loaders),
        )
    )


def _has_loader(loaders: tuple[FoundLoader, ...] | Unknown) -> bool:
    """Tell whether a plain program finds a loader; where nobody knows, it is not denied."""
    if isinstance(loaders, Unknown):
        return True
    return any(loader.facts.is_default is not False for loader in loaders)


class _Asking(NamedTuple):
    """What all children have in common."""

    host: Host
    deadline: float
    run_kernels: bool = False
    compile_anew: bool = False

    def start(self, role: Role, library: str) -> Pending:
        """Start one child; only vendor libraries are given kernels to run."""
        kernels = self.run_kernels and role == "icd"
        # One end for all: eight drivers that hang must not take longer than one.
        left_s = max(self.deadline - time.monotonic(), _SHORTEST_S)
        request = OpenclRequest(
            role=role,
            library=library,
            timeout_s=left_s,
            kernels=kernels,
            anew=(kernels or role == "pyopencl") and self.compile_anew,
        )
        pending = ask(self.host.start_opencl, request)
        return NotStarted(pending.unknown) if isinstance(pending, Unknown) else pending


def _start_icds(asked: _Asking, icds: tuple[FoundIcd, ...]) -> dict[str, Pending]:
    """Start one child per library file, by the paths that `.icd` files name: several may share."""
    by_file: dict[str, Pending] = {}
    children: dict[str, Pending] = {}
    for icd in icds:
        if icd.library is not None and icd.library not in children:
            real = asked.host.real_path(icd.library)
            if real not in by_file:
                # A relative path means another file in the child's own working folder.
                library = icd.library if icd.library.startswith("/") else real
                by_file[real] = asked.start("icd", library)
            children[icd.library] = by_file[real]
    return children


def _answered(
    host: Host,
    icd: FoundIcd,
    children: dict[str, Pending],
    owners: dict[str, str | None] | Unknown,
    timeout_s: float,
) -> Icd:
    """Return the ICD with its packages and its answer, each Unknown where it cannot be told."""
    owned = ask(_with_packages, host, icd.facts, owners)
    facts = icd.facts if isinstance(owned, Unknown) else owned
    if icd.library is None:
        return facts
    answer = ask(_answer, children[icd.library], timeout_s)
    return replace(facts, answer=or_unknown(answer, Answer))


def _answer(child: Pending, timeout_s: float) -> Answer:
    from clprobe.probe.opencl.enumeration import answer_of

    return answer_of(child.wait(), timeout_s)


def _with_packages(host: Host, facts: Icd, owners: dict[str, str | None] | Unknown) -> Icd:
    library = facts.library
    if isinstance(owners, Unknown):
        return replace(facts, package=owners, library=replace(library, package=owners))
    facts = replace(facts, package=owners.get(facts.path))
    if isinstance(library.path, str):
        package = owners.get(library.path) or owners.get(host.real_path(library.path))
        facts = replace(facts, library=replace(library, package=package))
    return facts


def _encodable(snapshot: "Snapshot") -> "Snapshot":
    """Return the snapshot with bytes that are not UTF-8, in file names say, as U+FFFD.

    Python keeps such bytes as lone surrogates, which no document can hold.
    """
    import msgspec

    try:
        msgspec.json.encode(snapshot)
    except UnicodeEncodeError:
        import json

        from clprobe.model.snapshot import Snapshot

        text = json.dumps(msgspec.to_builtins(snapshot), ensure_ascii=False)
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return msgspec.json.decode(whole, type=Snapshot)
    return snapshot
