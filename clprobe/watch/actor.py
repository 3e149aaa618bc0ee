# SPDX-License-Identifier: MIT
"""Which of the processes that were seen is the program that is meant, and who stayed unseen."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from clprobe.model.unknown import Unknown
from clprobe.watch.libraries import role_of
from clprobe.watch.links import Links
from clprobe.watch.loaded import libraries_of, loader_in
from clprobe.watch.privileged import holds_loaders_name, privileged_file, privileged_in_script
from clprobe.watch.sight import Sight

_BEHIND = re.compile(r"(?<=.)(?:[.-](?:bin|real|orig)|-wrapped)$")
_WRAPPERS = frozenset(
    ("sh", "bash", "dash", "env", "bwrap", "setpriv", "su", "sudo", "runuser", "nice", "timeout",
     "stdbuf", "unshare", "chroot", "xvfb-run", "nohup", "time", "ionice", "taskset", "prlimit",
     "setsid", "setarch", "choom", "chrt", "numactl", "nsenter", "firejail", "systemd-run", "doas",
     "sg", "capsh", "script", "busybox", "zsh", "ksh", "fish")
)  # fmt: skip
"""Commands that start another program and compute nothing themselves."""
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "fish", "busybox"))
_NEVER_ALONE = _WRAPPERS - _SHELLS | {"flatpak", "snap", "podman", "docker"}
"""They do nothing but start another program; where that was not seen, a look was missed."""


def actor_of(
    main: int,
    sights: Mapping[int, Sight],
    traces: Mapping[int, Links],
    known_as: Mapping[str, str],
) -> int:
    """Return the process that is meant: the one that has or wants OpenCL, or a known program."""
    everyone = sorted({main, *sights, *traces}, key=lambda pid: (pid != main, pid))
    preferences: tuple[Callable[[int], bool], ...] = (
        lambda pid: isinstance(loader_in(libraries_of(sights.get(pid), traces.get(pid))), str),
        lambda pid: pid in traces and asks_for_loader(traces[pid]),
        lambda pid: plain_name(_last_name(sights.get(pid), traces.get(pid))) in known_as,
        lambda pid: pid in sights and file_name(sights[pid]) not in _WRAPPERS,
    )
    for is_meant in preferences:
        # Starters of a program may be known by its name, too; it is the one they came to last.
        order = reversed(everyone) if is_meant is preferences[2] else everyone
        found = next((pid for pid in order if is_meant(pid)), None)
        if found is not None:
            return found
    return main


def _last_name(sight: Sight | None, trace: Links | None) -> str:
    """Return the name of the program that a process became; a look may show its parent's."""
    if trace is not None and trace.program:
        return Path(trace.program).name
    return file_name(sight)


def of_the_same(sight: Sight | None, trace: Links | None) -> Sight | None:
    """Return the look, unless it fell before the process became the program that is traced."""
    if sight is None or trace is None or isinstance(sight.exe, Unknown) or not trace.program:
        return sight
    return sight if trace.program == sight.exe else None


def without_past(
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


def are_all_seen(name: str, sights: Mapping[int, Sight], traces: Sequence[Links]) -> bool:
    """Whether no process is left that may have loaded OpenCL where nobody looked."""
    if name in _NEVER_ALONE:
        return False  # what it was to start was gone before a look
    if not traces:
        return not any(isinstance(sight.libraries, Unknown) for sight in sights.values())
    told = {trace.pid for trace in traces}
    programs = {trace.program for trace in traces}  # of which others are forked children
    return all(
        pid in told or sight.exe in programs or sight.libraries == ()
        for pid, sight in sights.items()
    )


def asks_for_loader(trace: Links) -> bool:
    """Whether it asked for an OpenCL loader."""
    return any(role_of(wish.name) == "loader" for wish in trace.wishes)


def is_wrapper(program: str) -> bool:
    """Whether it starts another program and computes nothing itself."""
    return Path(program).name in _WRAPPERS


def privileged_behind(trace: Links) -> str | None:
    """Return the program that gains rights and that a wrapper was to start; None: there is none.

    It tells nothing of itself, and may be gone before a look. Scripts name many that have nothing
    to do with OpenCL.
    """
    if not is_wrapper(trace.program):
        return None
    words = [word for word in trace.argv[1:] if not is_wrapper(word) and "=" not in word]
    given = (path for path in map(privileged_file, words) if path is not None)
    found = next(given, None)
    if found is None and Path(trace.program).name in _SHELLS:
        found = next(filter(holds_loaders_name, privileged_in_script(words)), None)
    return found


def file_name(sight: Sight | None) -> str:
    """Return the name of the program's file; empty where it is not known."""
    return "" if sight is None or isinstance(sight.exe, Unknown) else Path(sight.exe).name


def plain_name(name: str) -> str:
    """Return a file's name without what distributions put behind that of the real program."""
    return _BEHIND.sub("", name.lower())
