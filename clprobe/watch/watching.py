# SPDX-License-Identifier: MIT
"""The three ways to look at a program: run it, look at one that runs, look at a service's."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from clprobe.model.errors import ClprobeError
from clprobe.model.program import Program
from clprobe.model.unknown import Fact, Unknown
from clprobe.probe.removal import remove_tree
from clprobe.probe.scratch import scratch_parent
from clprobe.watch.counting import ProcessCounts, failed_calls, kernel_uses, library, read_counts
from clprobe.watch.links import STREAM_NAME, read_links
from clprobe.watch.observe import Watched, observed, with_end
from clprobe.watch.observer import Observer
from clprobe.watch.running import run

WATCH = "CLPROBE_WATCH"
"""Names the folder that processes write to."""
_NOT_INSIDE = "it is static, setuid, of another C library, in a sandbox, or cleared its variables"
STREAM = "CLPROBE_WATCH_STREAM"
"""Names the descriptor that processes write to, with its device and file number."""
_TUNABLES = "GLIBC_TUNABLES"
_ROOM = "glibc.rtld.optional_static_tls=4096"
"""Under LD_AUDIT room for static thread-local storage is set aside before glibc knows how
much: the 2632 bytes of jemalloc, with which Blender is linked, did not fit. More would be taken
from the stacks of all threads."""
_OURS = ("LD_AUDIT", WATCH, STREAM, _TUNABLES)
_HIGH_DESCRIPTOR = 200
_LOOKS, _BETWEEN_LOOKS_S = 5, 0.1
_NODES = "/dev/dri"
_CGROUPS = "/sys/fs/cgroup"


def watch_run(
    argv: Sequence[str], known_as: Mapping[str, str], *, output: int | None = None
) -> Watched:
    """Run a program to its end and return what was seen of it; `output` is as `run` takes it.

    Raises: ClprobeError if it cannot be started.
    """
    shell = dict(os.environ)
    observer = Observer()
    _check_is_there(argv[0])
    with _folder() as folder:
        inside = _for_everybody(library(), folder)
        environment = shell
        with _stream(folder) as stream:
            if isinstance(inside, Path):
                audit = ":".join(filter(None, (str(inside), shell.get("LD_AUDIT"))))
                # Of two the last counts, and that is the user's own.
                room = ":".join(filter(None, (_ROOM, shell.get(_TUNABLES))))
                ours = {"LD_AUDIT": audit, WATCH: folder, STREAM: stream, _TUNABLES: room}
                environment = {**shell, **ours}
            try:
                ended = run(argv, environment, observer.look, output=output, hushed=str(inside))
            except OSError as error:
                raise _not_started(argv[0], error.strerror or str(error)) from None
        links = tuple(read_links(folder))
        watched = observed(
            ended.pid,
            argv[0],
            sights=observer.sights,
            traces=links,
            shell=shell,
            known_as=known_as,
            why_not_inside=inside.unknown if isinstance(inside, Unknown) else _NOT_INSIDE,
        )
        program = with_end(watched.program, ended, is_anothers=watched.has_ended)
        if links:
            program = _with_counts(program, folder, ended.elapsed_s)
    return _without_ours(watched._replace(program=program), shell)


def _with_counts(program: Program, folder: str, elapsed_s: float) -> Program:
    """Return the program with what its processes enqueued, if all of them could tell."""
    told = read_counts(Path(folder))
    counts = [one for one in told if not isinstance(one, Unknown)]
    broken = next((one for one in told if isinstance(one, Unknown)), None)
    if broken is None and isinstance(program.loader, str) and not counts:
        broken = Unknown("it could not be looked into from inside")
    if broken is not None and not any(one.enqueued for one in counts):
        return replace(
            program, kernels=broken, failed_calls=broken, calls_opencl=broken, made_context=broken
        )
    return replace(
        program,
        kernels=kernel_uses(counts, round(elapsed_s * 1e9)),
        failed_calls=failed_calls(counts),
        calls_opencl=_calls(counts),
        made_context=any(
            one.call.startswith("clCreateContext") and one.code == 0
            for process in counts
            for one in process.outcomes
        ),
        died_in=tuple(dict.fromkeys(call for one in counts for call in one.unreturned)),
    )


def _calls(counts: Sequence[ProcessCounts]) -> Fact[bool]:
    """Return whether they called OpenCL; the functions of some loaders cannot be replaced."""
    if any(one.outcomes or one.unreturned for one in counts):
        return True
    is_whole = all(one.is_whole for one in counts)
    return False if is_whole else Unknown("it loaded a loader whose calls cannot be seen")


def watch_process(pid: int, known_as: Mapping[str, str]) -> Watched:
    """Look at a process that runs, and at all below it, for half a second.

    Raises: ClprobeError if there is none of that number.
    """
    observer = Observer()
    for _ in range(_LOOKS):
        observer.look(pid)
        time.sleep(_BETWEEN_LOOKS_S)
    if not observer.sights or not Path(f"/proc/{pid}").is_dir():
        raise ClprobeError(
            reference="no-such-process",
            message=f"There is no process {pid}.",
            hint="`pgrep -a NAME` shows the numbers of a program's processes.",
        )
    name = Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    watched = observed(
        pid,
        name,
        sights=observer.sights,
        traces=(),
        shell=os.environ,
        known_as=known_as,
        why_not_inside="it ran already when it was looked at",
    )
    try:
        ahead_s: float | Unknown | None = _started_ahead_s(pid)
    except OSError as error:
        ahead_s = Unknown(f"{error.filename}: {error.strerror}")
    program = replace(watched.program, looked_at="process", started_ahead_s=ahead_s)
    return watched._replace(program=program)


def _started_ahead_s(pid: int) -> float | None:
    """Return by how much a process is older than the last change of the GPUs' nodes.

    Raises: OSError if there are no such nodes, or no such process.
    """
    with Path("/proc/uptime").open(encoding="ascii") as file:
        uptime_s = float(file.read().split()[0])
    # proc_pid_stat(5): the name may hold blanks; starttime is the twentieth field behind it.
    ticks = int(
        Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19]
    )
    age_s = uptime_s - ticks / os.sysconf("SC_CLK_TCK")
    ahead_s = age_s - (time.time() - Path(_NODES).stat().st_mtime)
    return round(ahead_s, 1) if ahead_s > 0 else None


def main_process(unit: str) -> int | None:
    """Return the first process of a service by its control group; None: none runs."""
    for place in (f"{_CGROUPS}/system.slice/{unit}", f"{_CGROUPS}/systemd/system.slice/{unit}"):
        try:
            text = Path(place, "cgroup.procs").read_text("ascii")
        except OSError:
            continue
        if pids := text.split():
            return int(pids[0])
    return None


def _check_is_there(command: str) -> None:
    if shutil.which(command) is None:
        raise _not_started(command, "there is no such command, or it may not be run")


def _not_started(command: str, why: str) -> ClprobeError:
    return ClprobeError(
        reference="program-not-started",
        message=f"{command} could not be started: {why}.",
        hint="Give it after -- as you would type it: clprobe doctor -- PROGRAM ARGUMENT…",
    )


def _without_ours(watched: Watched, shell: Mapping[str, str]) -> Watched:
    """Return it with the variables that it would have had without us."""
    if watched.environment is None:
        return watched
    own = {name: shell[name] for name in _OURS if name in shell}
    kept = {name: text for name, text in watched.environment.items() if name not in _OURS}
    return watched._replace(environment={**kept, **own})


@contextmanager
def _folder() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="clprobe-watch-", dir=scratch_parent())
    if os.geteuid() == 0:  # what root starts may go on as somebody else; nobody may list it
        Path(folder).chmod(0o1733)
    try:
        yield folder
    finally:
        remove_tree(folder)


def _for_everybody(inside: Fact[Path], folder: str) -> Fact[Path]:
    """Return the library as a copy that other users reach, too, where it can be loaded from."""
    if isinstance(inside, Unknown) or os.geteuid() != 0 or os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return inside
    copy = Path(folder, "inside.so")
    shutil.copyfile(inside, copy)
    copy.chmod(0o755)
    return copy


@contextmanager
def _stream(folder: str) -> Iterator[str]:
    """Yield the variable that tells of a descriptor, which the program inherits."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    made = os.open(f"{folder}/{STREAM_NAME}", flags, 0o600)
    # A high number: programs expect that of a shell's redirection to be free.
    descriptor = fcntl.fcntl(made, fcntl.F_DUPFD, _HIGH_DESCRIPTOR)
    os.close(made)
    found = os.fstat(descriptor)
    try:
        yield f"{descriptor}:{found.st_dev}:{found.st_ino}"
    finally:
        os.close(descriptor)
