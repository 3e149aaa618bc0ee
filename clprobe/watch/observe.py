# SPDX-License-Identifier: MIT
"""From looks at processes and what the dynamic linker did to the facts about one program."""

import os
import re
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.model.program import Program, UsedNode
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.probe.environment import is_recorded
from clprobe.watch.actor import (
    actor_of,
    are_all_seen,
    asks_for_loader,
    file_name,
    of_the_same,
    plain_name,
    privileged_behind,
    without_past,
)
from clprobe.watch.complaints import first_errors, hidden_files
from clprobe.watch.driver_needs import absent_parts
from clprobe.watch.links import Links
from clprobe.watch.loaded import (
    changes_user,
    file_of,
    interfaces_of,
    libraries_of,
    linkage_of,
    loader_of,
    refused_of,
    that_matter,
)
from clprobe.watch.running import Ended
from clprobe.watch.sight import Sight
from clprobe.watch.told import (
    asked_properties,
    closed_folders,
    lower_limits,
    names_loader,
    types_of,
    variables_before,
)

_LONGEST_PRINTED = 4000
_OF_SHELL = frozenset((132, 134, 135, 136, 139))
"""Exit statuses by which shells tell that a fault ended a program."""
_INTERPRETER = re.compile(r"python[\d.]*$")
_PYOPENCL = "/pyopencl/_cl."


class Watched(NamedTuple):
    """A program with the words and variables of the process that is meant, in their true values.

    `before` are the variables of all that led to it, as far as they had a value. `files` are all
    libraries in it, `folder` its working folder. `has_ended`: another process started it, and
    it came to its own end, so a signal that ended that one is not its.
    """

    program: Program
    environment: Mapping[str, str] | None
    argv: tuple[str, ...] = ()
    before: Mapping[str, str] = {}
    files: tuple[str, ...] = ()
    folder: Fact[str] = Unknown("it was not looked at")
    has_ended: bool = False


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
    for one in traces:
        # Of several programs in one process the one that has to do with OpenCL.
        before = by_pid.get(one.pid)
        if one.program and (before is None or asks_for_loader(one) or not asks_for_loader(before)):
            by_pid[one.pid] = one
    by_pid = without_past(by_pid, traces, sights)
    # Forked children, which began no program of their own, ask for it, too.
    asked = [pair for one in traces if not one.program or one.pid in by_pid for pair in one.asked]
    complaints = first_errors(one for one in traces if not one.program or one.pid in by_pid)
    actor = actor_of(main, sights, by_pid, known_as)
    trace = by_pid.get(actor)
    sight = of_the_same(sights.get(actor), trace)
    if trace is not None and (behind := privileged_behind(trace)) is not None:
        sight, trace = Sight.none(actor)._replace(exe=behind), None
    libraries = libraries_of(sight, trace)
    called = (
        file_name(sight)
        or ("" if trace is None else Path(trace.program).name)
        or Path(command).name
    )
    linkage = linkage_of(sight, trace, command)
    # What a static program may have within itself is not seen, and is said so.
    loader = None if linkage == "static" else loader_of(libraries, trace)
    if linkage != "static" and loader is None and not are_all_seen(called, sights, traces):
        loader = Unknown("a process that it started could not be looked into")
    unseen = Sight.none(actor) if sight is None else sight
    environment = unseen.environment if trace is None else trace.environment
    handed = variables_before(traces, actor, trace, shell)
    sandbox, nodev = unseen.sandbox, unseen.nodev
    icds, inner = (unseen.inside,) * 2 if isinstance(unseen.inside, Unknown) else unseen.inside
    if trace is not None and trace.namespace:
        if isinstance(sandbox, Unknown):
            sandbox = _sandbox_of(trace, sights)
        if isinstance(sandbox, str):
            icds, inner, nodev = trace.icds, tuple(trace.nodes), trace.nodev
    file = trace.program if trace is not None else file_of(sight, command)
    changes = changes_user(file)
    if isinstance(environment, Unknown) and changes is True:
        environment = handed  # nobody may read it; what led to it handed it these
    program = Program(
        name=called,
        key=_key(called, listed(libraries), known_as),
        linkage=linkage,
        changes_user=changes,
        uid=unseen.uid if trace is None or trace.uid is None else trace.uid,
        groups=unseen.groups if trace is None else trace.groups,
        seccomp=unseen.seccomp,
        address_space_bytes=Unknown(why_not_inside) if trace is None else trace.address_space_bytes,
        lower_limits=lower_limits(trace, why_not_inside),
        processor_limit_s=Unknown(why_not_inside) if trace is None else trace.limits.get("cpu"),
        file_limit_bytes=unseen.file_limit_bytes,
        closed_folders=closed_folders(trace, why_not_inside),
        names_loader=names_loader(file)
        if loader is None and not isinstance(sandbox, str)
        else Unknown("its file was not read"),
        sandbox=sandbox,
        sandbox_icds=icds,
        sandbox_nodes=inner,
        environment=_differing(environment, shell),
        loader=loader,
        apis=interfaces_of(libraries, loader),
        libraries=that_matter(libraries, trace, loader),
        refused=()
        if linkage == "static"
        else loader
        if isinstance(loader, Unknown)
        else refused_of(trace, loader),
        nodes=_nodes(unseen, trace),
        asked_types=Unknown(why_not_inside) if trace is None else types_of(asked, refused=True),
        found_types=Unknown(why_not_inside) if trace is None else types_of(asked, refused=False),
        asked_properties=Unknown(why_not_inside)
        if trace is None
        else asked_properties(one for one in traces if not one.program or one.pid in by_pid),
        complaints=Unknown(why_not_inside) if trace is None else complaints,
        hidden_files=hidden_files(complaints, trace) if isinstance(sandbox, str) else (),
        absent_parts=absent_parts(trace) if sandbox is None else (),
        nodev_nodes=nodev,
        unseen=tuple(_unseen(sight, trace, linkage, why_not_inside)),
    )
    return Watched(
        program,
        None if isinstance(environment, Unknown) else environment,
        trace.argv if trace is not None else tuple(listed(unseen.argv)),
        handed,
        (*listed(libraries), *_file_of(file)),
        unseen.folder,
        trace is not None and trace.pid != main and trace.has_ended,
    )


def _file_of(file: Fact[str]) -> tuple[str, ...]:
    return () if isinstance(file, Unknown) else (file,)


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
    above = {file_name(sight) for sight in sights.values()}
    return "bubblewrap" if "bwrap" in above else "own mount namespace"


def with_end(program: Program, ended: Ended, *, is_anothers: bool = False) -> Program:
    """Return the program with how it ended and the last of what it printed.

    `is_anothers`: a signal that ended what was started is not the program's.
    """
    text = ended.printed.decode("utf-8", "replace")[-_LONGEST_PRINTED:]
    status: Fact[int | None] = None if ended.status < 0 else ended.status
    died_of: Fact[str | None] = signal.Signals(-ended.status).name if ended.status < 0 else None
    if is_anothers and (ended.status < 0 or ended.status in _OF_SHELL):
        status = died_of = Unknown("what started it was ended by a signal, not the program")
    return replace(
        program,
        exit_status=status,
        signal=died_of,
        elapsed_ms=round(ended.elapsed_s * 1000),
        processor_ms=round(ended.processor_s * 1000),
        printed=text,
    )


def is_python(name: str) -> bool:
    """Return whether a program's file is an interpreter of Python."""
    return bool(_INTERPRETER.match(name))


def _key(name: str, libraries: Iterable[str], known_as: Mapping[str, str]) -> str | None:
    """Return the program's entry in the table; a Python is what it has imported."""
    if is_python(name) and any(_PYOPENCL in path for path in libraries):
        return "pyopencl"
    return known_as.get(plain_name(name))


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
