# SPDX-License-Identifier: MIT
"""Runs programs of what_programs_load.yaml, watched by clprobe and by the dynamic linker's own log.

What clprobe saw is compared with that log (LD_DEBUG, ld.so(8)), which shares nothing with it; both
with what is to be expected, and that with rules/tables/programs.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from everyones_python import AS_NOBODY, everyones_python
from pictures import picture

from clprobe.knowledge.program_table import Program

HERE = Path(__file__).parent
INTERFACES = {
    "opencl": r"libOpenCL(?:-[0-9a-f]+)?(?:\.so[\d.]*)?",
    "vulkan": r"libvulkan\.so[\d.]*",
    "level-zero": r"libze_loader\.so[\d.]*",
    "cuda": r"libcuda\.so[\d.]*",
    "hip": r"lib(?:amdhip64|hsa-runtime64)\.so[\d.]*",
    "va-api": r"libva\.so[\d.]*",
}
"""Interfaces by the names of their entry libraries, of which darktable asks for one without .so."""
_LIMIT_S = 100
_POCL = "/etc/OpenCL/vendors/pocl.icd"
_LOG = re.compile(r"\tfile=(\S+) \[0\];  (?:needed|dynamically loaded) by (\S+) \[")
_WATCH = """
import json, os, sys
from clprobe.knowledge.tables import Tables
from clprobe.watch.watching import watch_run
known_as = {
    name: one.program for one in Tables.load().programs() for name in (one.program, *one.called)
}
with open(os.devnull, "wb") as nowhere:
    program = watch_run(sys.argv[1:], known_as, output=nowhere.fileno()).program
print(json.dumps([program.exit_status, program.apis, [one.name for one in program.refused]]))
"""


@dataclass(frozen=True)
class Case:
    """One entry of the file."""

    told: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The program, and what brings it."""
        return f"{self.told['program']} of {self.told.get('package') or self.told['wheel']}"

    @property
    def asks(self) -> Mapping[str, list[str]]:
        """Interfaces that it asks for, with the names of libraries."""
        return self.told.get("asks") or {}

    @property
    def linked(self) -> Mapping[str, str]:
        """Interfaces that only another library needs, with the name of that."""
        return self.told.get("linked") or {}


@dataclass(frozen=True)
class Seen:
    """What was seen of a run: interfaces by clprobe; names and who asked for them by the linker."""

    status: int | None
    by_clprobe: frozenset[str]
    by_linker: Mapping[str, Mapping[str, frozenset[str]]]

    def mistakes(self, case: Case, table: Program) -> list[str]:
        """Return where one of the four disagrees with another."""
        wrong = []
        if self.by_clprobe != self.by_linker.keys():
            wrong.append(f"clprobe saw {sorted(self.by_clprobe)}, the linker {self.told()}")
        for interface in sorted(self.by_linker.keys() | case.asks.keys() | case.linked.keys()):
            names = self.by_linker.get(interface, {})
            needs = case.linked.get(interface)
            own = sorted(name for name, by in names.items() if not _all_named(by, needs))
            if not set(own) <= set(case.asks.get(interface, ())):
                wrong.append(f"it asked for {own}, which is not expected")
            if interface in case.asks and not own:
                wrong.append(f"it did not ask for {interface}")
            if needs is not None and len(own) == len(names):
                wrong.append(f"{needs} does not need {interface}")
        return wrong + list(against_table(case, table))

    def told(self) -> str:
        """Return what the linker logged, as one line."""
        return "; ".join(
            f"{name} by {', '.join(sorted(by))}"
            for names in self.by_linker.values()
            for name, by in names.items()
        )


def against_table(case: Case, table: Program) -> list[str]:
    """Return what the table says otherwise."""
    ways = {way.api for way in table.ways}
    wrong = [f"the table has no way by {one}" for one in sorted(case.asks.keys() - ways)]
    for interface, names in case.asks.items():
        known = {name for way in table.ways if way.api == interface for name in way.libraries}
        if known and not set(names) <= {*known, *_of_wheels(names)}:
            wrong.append(f"the table names {sorted(known)} for {interface}, it asks for {names}")
    if table.opencl.uses == "never" and "opencl" in case.asks:
        wrong.append("the table says that it never uses OpenCL")
    return wrong


def cases() -> list[Case]:
    """Return the entries of the file."""
    text = (HERE / "what_programs_load.yaml").read_text(encoding="utf-8")
    return [Case(entry) for entry in yaml.safe_load(text)]


def lacking(case: Case, python: str) -> str | None:
    """Return what is not installed of it; None: nothing."""
    command = case.told["run"][0]
    if "package" in case.told:
        state = subprocess.run(
            ["dpkg-query", "--show", "--showformat=${db:Status-Abbrev}", case.told["package"]],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return None if state.stdout.startswith("ii") else f"the package {case.told['package']}"
    probe = [python, "-c", f"import importlib.metadata as m; m.version({case.told['wheel']!r})"]
    done = subprocess.run(probe, cwd="/", capture_output=True, check=False, timeout=60)
    return f"{case.told['wheel']} from PyPI" if command and done.returncode else None


def python_of_user() -> str | None:
    """Return the Python with clprobe that the user has as whom programs run."""
    return everyones_python() if os.geteuid() == 0 else shutil.which("python3")


def look(case: Case, folder: Path, python: str) -> Seen:
    """Run the program in a folder that is the user's, and return what was seen."""
    (folder / "picture.png").write_bytes(picture())
    places = {"{work}": folder, "{picture}": folder / "picture.png", "{python}": python}

    def filled(word: str) -> str:
        for name, place in places.items():
            word = word.replace(name, str(place))
        return word

    environment = {
        "PATH": f"{os.environ['PATH']}:/usr/sbin:/usr/games",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "LC_ALL": "C.UTF-8",
        "OCL_ICD_VENDORS": _POCL,
        **case.told.get("set", {}),
    }
    before = AS_NOBODY if os.geteuid() == 0 else ()

    def run(*argv: str) -> str:
        done = subprocess.run(
            [*before, *argv],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=_LIMIT_S + 20,
        )
        return done.stdout

    run("sh", "-c", case.told.get("before", "true"))
    argv = map(filled, case.told["run"])
    log = ("env", "LD_DEBUG=files", f"LD_DEBUG_OUTPUT={folder / 'linker'}")
    # What ends the watcher reaches the program through it.
    limited = ("timeout", f"--kill-after={_LIMIT_S // 10}", str(_LIMIT_S))
    status, apis, refused = json.loads(run(*limited, python, "-c", _WATCH, *log, *argv))
    seen = {*apis, *(one for name in refused if (one := interface_of(name)) is not None)}
    return Seen(status, frozenset(seen), _logged(folder))


def interface_of(name: str) -> str | None:
    """Return the interface whose entry library has this name or path."""
    return next(
        (one for one, form in INTERFACES.items() if re.fullmatch(form, Path(name).name)), None
    )


def _logged(folder: Path) -> dict[str, dict[str, frozenset[str]]]:
    """Return interfaces, the names by which they were asked for, and who asked."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for log in sorted(folder.glob("linker.*")):
        for name, by in _LOG.findall(log.read_text("utf-8", "replace")):
            interface = interface_of(name)
            if interface is not None and interface_of(by) != interface:
                names = found.setdefault(interface, {})
                names[Path(name).name] = names.get(Path(name).name, frozenset()) | {by}
    return found


def _all_named(paths: frozenset[str], beginning: str | None) -> bool:
    return beginning is not None and all(Path(one).name.startswith(beginning) for one in paths)


def _of_wheels(names: list[str]) -> set[str]:
    """Return the names that wheels gave to their own copies of a library."""
    return {name for name in names if re.match(r"lib\w+-[0-9a-f]{8}\.so", name)}
