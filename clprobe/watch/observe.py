# SPDX-License-Identifier: MIT
"""From looks at processes and what the dynamic linker did to the facts about one program."""

import os
import re
import shutil
import signal
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.model.program import (
    LoadedLibrary,
    Program,
    RefusedLibrary,
    UsedNode,
)
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.probe.elf import read_elf
from clprobe.probe.environment import is_recorded
from clprobe.watch.libraries import INTERFACES, role_of
from clprobe.watch.links import Links, Wish
from clprobe.watch.running import Ended
from clprobe.watch.sight import Sight, descendants, exe_of, look

_MOST_PROCESSES = 256
_BURST_S, _IN_BURST_S = 0.25, 0.0003
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.01, 0.25
_SHARE = 40
_LONGEST_PRINTED = 4000
_INTERPRETER = re.compile(r"python[\d.]*$")
_ALL_TYPES = 0xFFFFFFFF
_TYPES = ((1, "default"), (2, "cpu"), (4, "gpu"), (8, "accelerator"), (16, "custom"))
_BEHIND = re.compile(r"(?<=.)(?:[.-](?:bin|real|orig)|-wrapped)$")
_PYOPENCL = "/pyopencl/_cl."
_NOT_SEEN = Unknown("no look fell into its short life")
_WRAPPERS = frozenset(
    ("sh", "bash", "dash", "env", "bwrap", "setpriv", "su", "sudo", "runuser", "nice", "timeout",
     "stdbuf", "unshare", "chroot", "xvfb-run", "nohup", "time", "ionice", "taskset")
)  # fmt: skip
"""Commands that start another program and compute nothing themselves."""
_WRAPPERS_OF_SANDBOXES = frozenset(("bwrap", "flatpak", "snap", "podman", "docker", "unshare"))


class Watched(NamedTuple):
    """A program and the variables of the process that is meant, with their true values."""

    program: Program
    environment: Mapping[str, str] | None


class Observer:
    """Collects looks at a process and all below it; later looks add to earlier ones.

    A process that is new, or has become another program, is looked at wholly at once, for wrappers
    start the real program within milliseconds; others now and then, so that looking takes a
    fortieth of the time.
    """

    def __init__(self) -> None:
        self.sights: dict[int, Sight] = {}
        self._began = time.monotonic()
        self._next_whole = 0.0
        self._pause_s = _FIRST_PAUSE_S

    def look(self, pid: int) -> float:
        """Look at the process and its descendants; return the seconds until the next look."""
        now = time.monotonic()
        is_whole = now >= self._next_whole
        for one in descendants(pid)[:_MOST_PROCESSES]:
            known = self.sights.get(one)
            if is_whole or known is None or exe_of(one) != known.exe:
                self._take(look(one))
        if is_whole:
            took_s = time.monotonic() - now
            self._pause_s = min(max(self._pause_s * 1.1, took_s * _SHARE), _LONGEST_PAUSE_S)
            self._next_whole = now + took_s + self._pause_s
        return _IN_BURST_S if now - self._began < _BURST_S else self._pause_s

    def _take(self, seen: Sight) -> None:
        if not seen.has_ended:
            known = self.sights.get(seen.pid)
            self.sights[seen.pid] = seen if known is None else _merged(known, seen)


def _merged(before: Sight, now: Sight) -> Sight:
    """Return the newer look with what only the older one saw; an exec starts anew."""
    if isinstance(now.exe, Unknown):
        return before
    if now.exe != before.exe:
        return now
    return now._replace(
        libraries=_joined(before.libraries, now.libraries),
        nodes=_joined(before.nodes, now.nodes),
        environment=before.environment if isinstance(now.environment, Unknown) else now.environment,
        inside=before.inside if isinstance(now.inside, Unknown) else now.inside,
        engines={**before.engines, **now.engines},
    )


def _joined(one: Fact[tuple[str, ...]], two: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
    if isinstance(one, Unknown) or isinstance(two, Unknown):
        return two if isinstance(one, Unknown) else one
    return tuple(dict.fromkeys((*one, *two)))


def observed(  # noqa: PLR0913 - all that is known of one program
    main: int,
    command: str,
    *,
    sights: Mapping[int, Sight],
    traces: Sequence[Links],
    shell: Mapping[str, str],
    known_as: Mapping[str, str],
    why_not_inside: str,
) -> Watched:
    """Return what was seen of the program that process `main` is or starts.

    `command` is what was to be started; `shell` are our own variables, with which its are compared;
    `known_as` gives the entries of the table of programs by the commands that start them;
    `why_not_inside` says why a process without traces has none.
    """
    by_pid: dict[int, Links] = {}
    for one in (
        one for one in traces if one.program
    ):  # of several programs in one process the one that has to do with OpenCL
        if one.pid not in by_pid or _loaders(one) or not _loaders(by_pid[one.pid]):
            by_pid[one.pid] = one
    by_pid = _without_past(by_pid, traces, sights)
    # Forked children, which began no program of their own, ask for it, too.
    asked = [pair for one in traces if not one.program or one.pid in by_pid for pair in one.asked]
    actor = _actor(main, sights, by_pid, known_as)
    trace = by_pid.get(actor)
    sight = _of_the_same(sights.get(actor), trace)
    libraries = _libraries(sight, trace)
    called = (
        _file_name(sight)
        or ("" if trace is None else Path(trace.program).name)
        or Path(command).name
    )
    loader = _loader(libraries)
    linkage = _linkage(sight, trace, command)
    if linkage == "static":
        loader = None  # what it may have within itself is not seen, and is said so
    elif loader is None and not _are_all_seen(called, sights, traces):
        loader = Unknown("a process that it started could not be looked into")
    unseen = Sight.none(actor) if sight is None else sight
    environment = unseen.environment if trace is None else trace.environment
    sandbox = unseen.sandbox
    icds, inner = (unseen.inside,) * 2 if isinstance(unseen.inside, Unknown) else unseen.inside
    if trace is not None:
        if isinstance(sandbox, Unknown):
            sandbox = _sandbox_of(trace, sights)
        if isinstance(sandbox, str):
            icds, inner = trace.icds, tuple(trace.nodes)
    program = Program(
        name=called,
        key=_key(called, listed(libraries), known_as),
        linkage=linkage,
        changes_user=_changes_user(unseen.exe),
        uid=unseen.uid if trace is None or trace.uid is None else trace.uid,
        groups=unseen.groups if trace is None else trace.groups,
        seccomp=unseen.seccomp,
        address_space_bytes=Unknown(why_not_inside) if trace is None else trace.address_space_bytes,
        sandbox=sandbox,
        sandbox_icds=icds,
        sandbox_nodes=inner,
        environment=_differing(environment, shell),
        loader=loader,
        apis=_interfaces(libraries),
        libraries=_that_matter(libraries, trace),
        refused=()
        if linkage == "static"
        else loader
        if isinstance(loader, Unknown)
        else _refused(trace),
        nodes=_nodes(unseen, trace),
        asked_types=Unknown(why_not_inside) if trace is None else _types(asked, refused=True),
        found_types=Unknown(why_not_inside) if trace is None else _types(asked, refused=False),
        unseen=tuple(_unseen(sight, trace, linkage, why_not_inside)),
    )
    return Watched(program, None if isinstance(environment, Unknown) else environment)


def _nodes(sight: Sight, trace: Links | None) -> Fact[tuple[UsedNode, ...]]:
    """Return the nodes that are open, and those that it may not open."""
    closed = {} if trace is None else {path: error for path, error in trace.nodes.items() if error}
    if isinstance(sight.nodes, Unknown) and not closed:
        return sight.nodes
    opened = (UsedNode(path=path, error=None) for path in listed(sight.nodes))
    return (*opened, *(UsedNode(path=path, error=error) for path, error in closed.items()))


def _sandbox_of(trace: Links, sights: Mapping[int, Sight]) -> str | None:
    """Return what gives it a view of files of its own, by what it told from inside."""
    if trace.namespace == os.readlink("/proc/self/ns/mnt"):  # noqa: PTH115 - it leads nowhere
        return None
    above = {_file_name(sight) for sight in sights.values()}
    return "bubblewrap" if "bwrap" in above else "own mount namespace"


def _types(asked: Iterable[tuple[int, int]], *, refused: bool) -> tuple[str, ...]:
    """Return the types of devices that were asked for in vain, or not."""
    all_bits = (bits for bits, code in asked if (code != 0) is refused)
    return tuple(dict.fromkeys(name for bits in all_bits for name in _names_of(bits)))


def _names_of(bits: int) -> tuple[str, ...]:
    """Return the types that the bits of CL_DEVICE_TYPE name."""
    if bits & _ALL_TYPES == _ALL_TYPES:
        return ("all",)
    return tuple(name for bit, name in _TYPES if bits & bit)


def with_end(program: Program, ended: Ended) -> Program:
    """Return the program with how it ended and the last of what it printed."""
    text = ended.printed.decode("utf-8", "replace")[-_LONGEST_PRINTED:]
    return replace(
        program,
        exit_status=None if ended.status < 0 else ended.status,
        signal=signal.Signals(-ended.status).name if ended.status < 0 else None,
        elapsed_ms=round(ended.elapsed_s * 1000),
        printed=text,
    )


def _actor(
    main: int,
    sights: Mapping[int, Sight],
    traces: Mapping[int, Links],
    known_as: Mapping[str, str],
) -> int:
    """Return the process that is meant: the one that has or wants OpenCL, or a known program."""
    everyone = sorted({main, *sights, *traces}, key=lambda pid: (pid != main, pid))
    preferences: tuple[Callable[[int], bool], ...] = (
        lambda pid: isinstance(_loader(_libraries(sights.get(pid), traces.get(pid))), str),
        lambda pid: pid in traces and _loaders(traces[pid]),
        lambda pid: _plain(_file_name(sights.get(pid))) in known_as,
        lambda pid: pid in sights and _file_name(sights[pid]) not in _WRAPPERS,
    )
    for is_meant in preferences:
        # Starters of a program may be known by its name, too; it is the one they came to last.
        order = reversed(everyone) if is_meant is preferences[2] else everyone
        found = next((pid for pid in order if is_meant(pid)), None)
        if found is not None:
            return found
    return main


def _of_the_same(sight: Sight | None, trace: Links | None) -> Sight | None:
    """Return the look, unless it fell before the process became the program that is traced."""
    if sight is None or trace is None or isinstance(sight.exe, Unknown) or not trace.program:
        return sight
    return sight if trace.program == sight.exe else None


def _without_past(
    traces: Mapping[int, Links], told: Sequence[Links], sights: Mapping[int, Sight]
) -> dict[int, Links]:
    """Return the traces without those of processes that became a program which told nothing.

    A look that shows a program of which nobody told anything fell later: env -i clears variables.
    """
    programs = {one.program for one in told}
    return {
        pid: trace
        for pid, trace in traces.items()
        if pid not in sights
        or isinstance(sights[pid].exe, Unknown)
        or not trace.program
        or sights[pid].exe in programs
    }


def _are_all_seen(name: str, sights: Mapping[int, Sight], traces: Sequence[Links]) -> bool:
    """Whether no process is left that may have loaded OpenCL where nobody looked."""
    if name in _WRAPPERS_OF_SANDBOXES and len(sights) <= 1:
        return False  # what it was to start was gone before a look
    if not traces:
        return not any(isinstance(sight.libraries, Unknown) for sight in sights.values())
    told = {trace.pid for trace in traces}
    programs = {trace.program for trace in traces}  # of which others are forked children
    return all(
        pid in told or sight.exe in programs or sight.libraries == ()
        for pid, sight in sights.items()
    )


def _loaders(trace: Links) -> bool:
    """Whether it asked for an OpenCL loader."""
    return any(role_of(wish.name) == "loader" for wish in trace.wishes)


def _wishes(trace: Links | None) -> tuple[Wish, ...]:
    return () if trace is None else trace.wishes


def _file_name(sight: Sight | None) -> str:
    return "" if sight is None or isinstance(sight.exe, Unknown) else Path(sight.exe).name


def _plain(name: str) -> str:
    """Return a file's name without what distributions put behind that of the real program."""
    return _BEHIND.sub("", name.lower())


def _key(name: str, libraries: Iterable[str], known_as: Mapping[str, str]) -> str | None:
    """Return the program's entry in the table; a Python is what it has imported."""
    if _INTERPRETER.match(name) and any(_PYOPENCL in path for path in libraries):
        return "pyopencl"
    return known_as.get(_plain(name))


def _libraries(sight: Sight | None, trace: Links | None) -> Fact[tuple[str, ...]]:
    """Return the files that were loaded, each once; links are followed, as /proc does."""
    told = () if trace is None else tuple(map(os.path.realpath, trace.loaded))
    seen = sight.libraries if sight is not None else _NOT_SEEN
    if trace is None:
        return seen
    return tuple(dict.fromkeys((*told, *listed(seen))))


def _loader(libraries: Fact[tuple[str, ...]]) -> Fact[str | None]:
    if isinstance(libraries, Unknown):
        return libraries
    return next((path for path in libraries if role_of(path) == "loader"), None)


def _interfaces(libraries: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
    if isinstance(libraries, Unknown):
        return libraries
    roles = (role_of(path) for path in libraries)
    return tuple(dict.fromkeys(INTERFACES[role] for role in roles if role is not None))


def _that_matter(
    libraries: Fact[tuple[str, ...]], trace: Links | None
) -> Fact[tuple[LoadedLibrary, ...]]:
    if isinstance(libraries, Unknown):
        return libraries
    drivers = {os.path.realpath(name) for name in _asked_by_loader(trace) if "/" in name}
    names = {name for name in _asked_by_loader(trace) if "/" not in name}
    found = []
    for path in libraries:
        is_driver = path in drivers or any(Path(path).name.startswith(name) for name in names)
        role = role_of(path) or ("opencl-driver" if is_driver else None)
        if role is not None:
            found.append(LoadedLibrary(path=path, role=role))
    return tuple(found)


def _asked_by_loader(trace: Links | None) -> tuple[str, ...]:
    return tuple(wish.name for wish in _wishes(trace) if role_of(wish.asked_by) == "loader")


def _refused(trace: Links | None) -> Fact[tuple[RefusedLibrary, ...]]:
    """Return what was asked for in vain: entry libraries, drivers, and what these need.

    A driver that looks for what it can do without is no refusal of the program's.
    """
    if trace is None:
        return Unknown("nothing wrote down what the dynamic linker did")
    drivers = set(_asked_by_loader(trace))
    matter = [
        wish
        for wish in trace.refused
        if role_of(wish.name) is not None
        or wish.name in drivers
        or wish.asked_by in trace.half_loaded
    ]
    return tuple(
        RefusedLibrary(name=one.name, asked_by=one.asked_by or trace.program) for one in matter
    )


def _linkage(sight: Sight | None, trace: Links | None, name: str) -> Fact[str]:
    if trace is not None:
        return "dynamic"
    path = shutil.which(name) if sight is None or isinstance(sight.exe, Unknown) else sight.exe
    if path is None:
        return _NOT_SEEN
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            headers = read_elf(lambda offset, count: os.pread(file.fileno(), count, offset), size)
    except OSError as error:
        return Unknown(f"{path} cannot be read: {error.strerror}")
    return "static" if headers.format == "elf" and not headers.needed else "dynamic"


def _changes_user(path: Fact[str]) -> Fact[bool]:
    """Return whether the linker and loaders ignore variables for this file."""
    if isinstance(path, Unknown):
        return path
    try:
        if Path(path).stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
            return True
        return "security.capability" in os.listxattr(path)
    except OSError as error:
        return Unknown(f"{path} cannot be looked at: {error.strerror}")


def _differing(
    environment: Fact[dict[str, str]], shell: Mapping[str, str]
) -> dict[str, str | Unknown | None]:
    if isinstance(environment, Unknown):
        return {}
    names = sorted({name for name in (*environment, *shell) if is_recorded(name)})
    return {
        name: environment.get(name) for name in names if environment.get(name) != shell.get(name)
    }


def _unseen(
    sight: Sight | None, trace: Links | None, linkage: Fact[str], why: str
) -> Iterator[str]:
    if sight is None and trace is None:
        yield "nodes, user and sandbox: the program ended before the first look"
    if linkage == "static":
        yield "what it holds within itself: it is static, and loads no library"
    elif trace is None:
        yield f"libraries asked for in vain, kernels: {why}"
