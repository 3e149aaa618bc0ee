# SPDX-License-Identifier: MIT
"""Installs a route in a bare Debian, looks at what is there then, and takes it back."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from debian_roots import DebianRoots, UnavailableError, sources_of
from opencl_looks import GPUS, INSTALL_SECONDS, Outcome, look, prepare
from root_copy import RootCopy

from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables
from clprobe.model.plan import InstallPlan, Route

_FOLDER = "/fetched"


@dataclass(frozen=True, slots=True)
class Cell:
    """One release, generation and place of the table; `route` None: the planner has none."""

    release: str
    generation: str
    on_gpu: bool
    route: Route | None
    why_none: str = ""

    @property
    def gpu(self) -> str:
        return GPUS[self.generation]

    @property
    def install(self) -> tuple[object, ...]:
        """What two cells with the same real installation share."""
        steps = tuple(step.argv for step in self.route.steps) if self.route is not None else ()
        return (self.release, self.route.backend if self.route else None, steps)


def cells(tables: Tables, releases: Iterable[str]) -> list[Cell]:
    """Return the first GPU route and the first CPU route of every generation."""
    return [
        _cell(release, generation, on_gpu, tables)
        for release in releases
        for generation in GPUS
        for on_gpu in (True, False)
    ]


def cell_of(release: str, generation: str, backend: str, tables: Tables) -> Cell:
    """Return the cell of a route that need not be the first."""
    made = _plan(release, generation, tables)
    route = next(route for route in made.routes if route.backend == backend)
    return Cell(release, generation, route.uses_gpu, route)


def _plan(release: str, generation: str, tables: Tables) -> InstallPlan:
    os, gpu = f"debian-{release}", GPUS[generation]
    target = described(Stated(), tables, gpu=gpu, os=os, linux=None, python=None)
    return plan(target, tables)


def _cell(release: str, generation: str, on_gpu: bool, tables: Tables) -> Cell:
    made = _plan(release, generation, tables)
    route = next((route for route in made.routes if route.uses_gpu is on_gpu), None)
    refusals = [entry.because for entry in made.rejected if entry.backend == "compute-runtime"]
    return Cell(release, generation, on_gpu, route, refusals[0] if refusals else "")


def run(alike: list[Cell], roots: DebianRoots, memory: Path) -> list[Outcome]:
    """Install what these cells share, look at the GPU of each, take it back.

    `memory` is an empty folder. Raises: UnavailableError if the system or a file cannot be had.
    """
    first = alike[0]
    route = first.route
    assert route is not None
    whole, looked = Outcome(), [Outcome() for _ in alike]
    files = fetched(route, first.release, roots, memory)
    with roots.copy(first.release, memory) as copy:
        if files is not None:
            copy.bind(files, _FOLDER)
        if any("backports" in word for step in route.steps for word in step.argv):
            # The plan says: the suite must be switched on.
            copy.write("/etc/apt/sources.list", sources_of(first.release, backports=True))
        before = packages(copy)
        if _applied(first, copy, whole, files):
            # In a layer that is forgotten: no plan installs clinfo.
            with copy.another_layer():
                prepare(copy, whole)
                looked = [look(copy, c.release, route.backend, c.generation) for c in alike]
        _undone(copy, whole, before)
    return [Outcome([*whole.seen, *one.seen], [*whole.problems, *one.problems]) for one in looked]


def packages(copy: RootCopy) -> list[str]:
    """Return name, version, state and mark of each package."""
    form = "${Package}:${Architecture} ${Version} ${db:Status-Abbrev}\n"
    listed = copy.expect("dpkg-query", "--show", f"--showformat={form}", seconds=30)
    asked_for = copy.expect("apt-mark", "showmanual", seconds=30).split()
    return sorted([*listed.splitlines(), *(f"{name} asked for" for name in asked_for)])


def fetched(route: Route, release: str, roots: DebianRoots, memory: Path) -> Path | None:
    """Fetch the files that the plan expects in the current folder, from where it says.

    Raises: UnavailableError
    """
    files = [step.argv[2][2:] for step in route.steps if step.argv[:2] == ("test", "-f")]
    debs = tuple(file.partition("_")[0] for file in files if file.endswith(".deb"))
    if not debs:
        return None
    origins = {one.origin for one in route.components if one.name in debs}
    if len(origins) != 1 or not all(origin.startswith("debian-") for origin in origins):
        raise UnavailableError(f"files of {origins} cannot be fetched here")
    return roots.fetch(origins.pop().removeprefix("debian-"), debs, release, memory)


def _applied(cell: Cell, copy: RootCopy, outcome: Outcome, files: Path | None) -> bool:
    assert cell.route is not None
    words = ("--gpu", cell.gpu, "--os", f"debian-{cell.release}", "--backend", cell.route.backend)
    done = copy.run(
        *("clprobe", "install-plan", *words, "--apply", "--yes", "--json"),
        seconds=INSTALL_SECONDS,
        cwd=_FOLDER if files is not None else "/root",
    )
    told = _document(done.stdout)
    if told.get("outcome") == "applied":
        return True
    failed = [one for one in told.get("steps", ()) if one.get("problem")]
    words = [str(one["problem"].get("message")) for one in failed] or [done.stderr.strip()[-400:]]
    outcome.problems.append(f"not installed: {told.get('outcome')}: {' '.join(words)}")
    return False


def _undone(copy: RootCopy, outcome: Outcome, before: list[str]) -> None:
    done = copy.run(
        *("clprobe", "install-plan", "--undo", "--yes", "--json"), seconds=INSTALL_SECONDS
    )
    told = _document(done.stdout).get("outcome")
    outcome.expect(told in ("undone", "nothing-to-undo"), f"undo: {told} {done.stderr[-300:]}")
    after = packages(copy)
    gone, new = sorted(set(before) - set(after)), sorted(set(after) - set(before))
    outcome.expect(before == after, f"after undo: lacks {gone[:5]}, has {new[:5]}")
    icds = copy.run("ls", "/etc/OpenCL/vendors", seconds=10).stdout.split()
    outcome.expect(not icds, f"after undo: {icds} are left")


def _document(text: str) -> dict:  # type: ignore[type-arg]
    try:
        return json.loads(text)
    except ValueError:
        return {"outcome": f"no JSON but {text[-200:]!r}"}
