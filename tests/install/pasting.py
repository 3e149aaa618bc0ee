# SPDX-License-Identifier: MIT
"""Pastes what install-plan prints for a person, as an ordinary user with sudo in a bare Debian.

The plans are for this machine's processor, on which the lines are pasted.
"""

import itertools
import json
import os
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from click.testing import CliRunner
from debian_cells import fetched
from debian_roots import DebianRoots, UnavailableError
from opencl_looks import INSTALL, INSTALL_SECONDS, played
from root_copy import CLPROBE, LENT_CERTIFICATES, SOURCE, RootCopy

from clprobe.cli.main import cli
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.core_table import Core
from clprobe.knowledge.tables import Tables
from clprobe.model.plan import Route
from clprobe.probe.live_host import LiveHost
from clprobe.probe.system import probe_system

GPUS = {
    "HD 4600": "8086:0412", "UHD 620": "8086:5917", "Iris Xe": "8086:9a49",
    "Arc A770": "8086:56a0", "RX 580": "1002:67df", "GTX 1060": "10de:1c03", "none": "none",
}  # fmt: skip
GOALS = ("opencl", "pytorch")
PERSON, _HOME = "ann", "/home/ann"
_PROGRAM = f"{SOURCE}/tests/install/pasting_session.py"
_LOOK_SECONDS = 300
_NEW_SESSION = "Log out and in again before the check"
_FETCHED = "/fetched"
Result = Literal[
    "passes", "FAILS", "needs the GPU", "needs another CPU", "out of reach", "no lines"
]  # fmt: skip


class Printed(NamedTuple):
    """What the screen of a route holds to paste: its lines, and the line that checks."""

    release: str
    lines: tuple[str, ...]
    check: str | None
    logs_in_again: bool


class Cell(NamedTuple):
    """A route for a GPU and goal; `gpu` is the name that was asked for."""

    gpu: str
    goal: str
    route: Route


@dataclass(slots=True)
class Outcome:
    """What came of pasting; `why` says what failed, or what was out of reach, or what was seen."""

    result: Result
    why: str
    lines_done: int = 0


@dataclass(slots=True)
class Group:
    """Cells that print the same lines, and so are pasted once; each GPU is looked at."""

    printed: Printed
    cells: list[Cell] = field(default_factory=list)


def processor(tables: Tables) -> Core | None:
    """Return the core of this machine; None: it is in no table."""
    return tables.core_of(probe_system(LiveHost()).cpu)


def groups(
    tables: Tables,
    releases: Iterable[str],
    gpus: Iterable[str] = GPUS,
    goals: Iterable[str] = GOALS,
) -> list[Group]:
    """Return every route of each release, GPU and goal, by what is printed for it."""
    core = processor(tables)
    cpu = core.core if core is not None else None
    found: dict[Printed, Group] = {}
    for release in releases:
        for gpu in gpus:
            for goal in goals:
                os = f"debian-{release}"
                target = described(Stated(), tables, gpu=GPUS[gpu], os=os, cpu=cpu)
                for route in plan(target, tables, goal).routes:
                    words = ("--gpu", GPUS[gpu], "--os", os, "--goal", goal)
                    words += ("--cpu", cpu) if cpu is not None else ()
                    printed = _printed(release, words, route.rank)
                    cell = Cell(gpu, goal, route)
                    found.setdefault(printed, Group(printed)).cells.append(cell)
    return list(found.values())


def _printed(release: str, words: tuple[str, ...], rank: int) -> Printed:
    """Return the lines as they stand on the screen of the plan that these words ask for."""
    shown = CliRunner().invoke(cli, ["install-plan", *words, "--backend", str(rank)])
    assert shown.exit_code == 0, shown.output
    screen = shown.output.splitlines()
    # They follow the first empty line; what is as far to the right below goes on with a note.
    below = itertools.islice(itertools.dropwhile(bool, screen), 1, None)
    lines = itertools.takewhile(lambda line: line.startswith("    "), below)
    checks = [line.removeprefix("  Check  ") for line in screen if line.startswith("  Check  ")]
    again = any(line.startswith(f"  ! {_NEW_SESSION}") for line in screen)
    pasted = tuple(line[4:] for line in lines)
    return Printed(release, pasted, checks[0] if checks else None, again)


class Desk:
    """A system of a release with a person who pastes; what each group changes is forgotten."""

    def __init__(self, release: str, roots: DebianRoots, memory: Path) -> None:
        self._release, self._roots, self._memory = release, roots, memory
        self._copy = roots.copy(release, memory)
        self._done: dict[object, Outcome] = {}

    def __enter__(self) -> "Desk":
        self._copy.__enter__()
        try:
            _make_person(self._copy)
        except BaseException:
            self._copy.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *raised: object) -> None:
        self._copy.__exit__(None, None, None)

    def paste(self, group: Group) -> Outcome:
        """Paste a group's lines and look at what its check says of each GPU."""
        printed, route = group.printed, group.cells[0].route
        if not printed.lines:
            return Outcome("no lines", "a person builds it")
        try:
            files = fetched(route, self._release, self._roots, self._memory)
        except UnavailableError as error:
            return Outcome("out of reach", str(error))
        lines, beyond = _within_reach(printed.lines)
        # Many routes share what comes before the line that is out of reach.
        shared = (beyond, lines)
        if beyond is not None and shared in self._done:
            return self._done[shared]
        if files is not None:
            self._copy.bind(files, _FETCHED)
        with self._copy.another_layer():
            if files is not None:
                self._copy.expect("sh", "-c", f"cp {_FETCHED}/*.deb {_HOME}", seconds=60)
            outcome = _pasted(group, self._copy, lines, beyond)
        if beyond is not None:
            self._done[shared] = outcome
        return outcome


def _pasted(group: Group, copy: RootCopy, lines: tuple[str, ...], beyond: str | None) -> Outcome:
    printed = group.printed
    told = _typed(copy, lines, INSTALL_SECONDS) if lines else []
    for one in told:
        if one["exit"] != 0:
            # An archive may list what it no longer holds; no line could mend that.
            gone = "404  Not Found" in str(one["said"]) and "Failed to fetch" in str(one["said"])
            result: Result = "out of reach" if gone else "FAILS"
            return Outcome(result, f"`{one['line']}` {_ended(one)}", told.index(one))
    if beyond is not None:
        return Outcome("out of reach", beyond, len(lines))
    if printed.check is None:
        return Outcome("FAILS", "no line is printed that checks it", len(lines))
    route = group.cells[0].route
    gpus = dict.fromkeys(GPUS[cell.gpu] for cell in group.cells)
    playing = {gpu: played(route.backend, printed.release, gpu) for gpu in gpus}
    # The CPU, and what plays no GPU, looks the same whatever GPU was named.
    different = {str(one): one for one in playing.values()}.values()
    looked = [_checked(copy, printed.check, variables, route) for variables in different]
    first = next((one for one in looked if one.result != "passes"), looked[0])
    return Outcome(first.result, first.why, len(lines))


def _make_person(copy: RootCopy) -> None:
    """Make a user as most systems have one: in the group sudo, pip knowing its index.

    The installer asks for keyboard and console, so that no package does it again.
    """
    asked = ("keyboard-configuration", "console-setup")
    silent = ("env", "DEBIAN_FRONTEND=noninteractive")
    copy.expect(*silent, *INSTALL, "sudo", *asked, seconds=INSTALL_SECONDS)
    copy.expect("useradd", "--create-home", "--shell", "/bin/bash", PERSON, seconds=30)
    copy.write("/etc/sudoers.d/person", f"{PERSON} ALL=(ALL) NOPASSWD: ALL\n", mode=0o440)
    copy.expect("sh", "-c", f"echo 'PATH=$PATH:{CLPROBE}/bin' >> {_HOME}/.profile", seconds=10)
    lent = {key: text for key, text in os.environ.items() if key.startswith("PIP_")}
    lent |= {"PIP_CERT": LENT_CERTIFICATES} if "PIP_CERT" in lent else {}
    settings = "".join(f"{key[4:].lower()} = {text}\n" for key, text in lent.items())
    copy.write("/etc/pip.conf", f"[global]\n{settings}")


def _within_reach(lines: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """Return the lines before the first one that needs what is not to be had here, and why."""
    for number, line in enumerate(lines):
        words = line.split() if not line.startswith("#") else []
        if words[:2] == ["conda", "--version"]:
            return lines[:number], "conda, which no Debian packages"
        if words[:2] == ["podman", "run"]:
            return lines[:number], "the registry of podman"
        for host in (word.split("/")[2] for word in words if word.startswith("https://")):
            if not _answers(host):
                return lines[:number], host
    return lines, None


_reached: dict[str, bool] = {}


def _answers(host: str) -> bool:
    if host not in _reached:
        try:
            socket.create_connection((host, 443), timeout=10).close()
            _reached[host] = True
        except OSError:
            _reached[host] = False
    return _reached[host]


def _typed(copy: RootCopy, lines: Iterable[str], seconds: float) -> list[dict]:  # type: ignore[type-arg]
    """Let the person log in and paste lines, each of which may take so long."""
    lines = tuple(lines)
    whole = seconds * (len(lines) + 1)
    done = copy.run(f"{CLPROBE}/bin/python3", _PROGRAM, PERSON, str(seconds), *lines, seconds=whole)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-1000:]}"
    return json.loads(done.stdout)


def _ended(one: Mapping[str, object]) -> str:
    said = " ".join(str(one["said"]).split())[-400:]
    how = "is not over in time" if one["exit"] is None else f"ends with {one['exit']}"
    return f"{how}: {said}"


def _checked(
    copy: RootCopy, check: str, variables: Mapping[str, str] | None, route: Route
) -> Outcome:
    """Paste the check in a new session, where variables may let a driver play the GPU."""
    exports = [f"export {name}={value}" for name, value in (variables or {}).items()]
    *_, told = _typed(copy, [*exports, check], _LOOK_SECONDS)
    # What plays the GPU under rusticl is a processor, which tinygrad, for one, passes over.
    plays_gpu = variables is not None and "RUSTICL_ENABLE" not in variables
    needs_gpu = route.uses_gpu and not plays_gpu and (variables is None or route.stack is not None)
    if told["exit"] != 0:
        ended = f"the check {_ended(told)}"
        if _CPU_UNKNOWN in str(told["said"]) and _CPU_UNKNOWN in " ".join(route.essential):
            return Outcome("needs another CPU", ended)
        return Outcome("needs the GPU" if needs_gpu and told["exit"] == 1 else "FAILS", ended)
    wanted = _wanted(route, check, plays=variables is not None)
    seen = re.search(wanted, str(told["said"]), re.DOTALL)
    if seen is None:
        return Outcome("FAILS", f"the check lacks {wanted}: {_ended(told)}")
    problem = _builds_nothing(copy, check) if not route.uses_gpu else None
    if problem is not None:
        return Outcome("FAILS", f"the check shows a device, but {problem}")
    return Outcome("passes", " ".join(seen[0].split()[-6:]))


def _builds_nothing(copy: RootCopy, check: str) -> str | None:
    """Return why no kernel is built where the check only lists devices; None: one is."""
    if check == "clprobe info":
        line, wanted = "clprobe doctor --json --exit-zero | grep '\"kernel\"'", r'"kernel": "ok"'
    elif "pyopencl.get_platforms()" in check:
        line, wanted = f"{check.partition(' -c ')[0]} -c '{_BUILD}'", r"\bbuilt\b"
    else:
        return None
    *_, told = _typed(copy, [line], _LOOK_SECONDS)
    return None if re.search(wanted, str(told["said"])) else f"`{line}` {_ended(told)}"


_BUILD = (
    "import pyopencl as cl; one = cl.get_platforms()[0].get_devices()[:1]; "
    "cl.Program(cl.Context(one), "
    '"kernel void f(global float *x) { x[get_global_id(0)] = exp(x[0]); }").build(); '
    'print("bu" + "ilt")'
)


_CPU_UNKNOWN = "unknown target CPU"
"""Says PoCL where its LLVM is older than the processor, and the plan says so beforehand."""
_PLATFORMS = {
    "pocl": "Portable Computing Language", "intel-cpu": r"Intel\(R\) OpenCL", "rusticl": "rusticl",
    "compute-runtime": r"Intel\(R\) OpenCL", "compute-runtime-legacy1": r"Intel\(R\) OpenCL",
}  # fmt: skip
# A driver that loads and finds no GPU is as far as one can get without.
_LOADS = (
    r"/etc/OpenCL/vendors/[^\n]*\n[^\n]*\n"
    r" +reached +(entry-point|platforms|devices): (ok|no-devices|error)"
)


def _wanted(route: Route, check: str, *, plays: bool) -> str:
    """Return what the check must say, as a pattern; without the GPU it mostly has to run."""
    has_device = plays or not route.uses_gpu
    if check == "clprobe info":
        if has_device:
            return f"platform +{_PLATFORMS[route.backend]}[^\n]*"
        return _LOADS
    if "get_platforms" in check and has_device:
        return _PLATFORMS[route.backend]
    return r"tensor\(\[1., 1.\]\)" if "torch.ones(2))" in check else r"\S+"
