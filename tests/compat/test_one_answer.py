# SPDX-License-Identifier: MIT
"""Matrix, explain and plan say the same of every GPU, release and implementation of the tables."""

import re
from collections.abc import Iterator

import pytest

from clprobe.compat.known_gpu import KnownGpu, alike, gpu_of_id
from clprobe.compat.support import Support, support_of
from clprobe.explain.lexicon_hardware import gpu_entry
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables
from clprobe.model.plan import InstallPlan, Route

TABLES = Tables.load()
RELEASES = [one for one in TABLES.distributions() if one.id != "conda-forge"]
"""conda-forge is no system that a plan could be for."""
GROUPS = alike(
    [
        gpu_of_id(pci_id, TABLES)
        for pci_id, entry in TABLES.gpus().items()
        if TABLES.generation(entry.generation) is not None
    ]
)
_INSIDE = ("container", "source", "conda")
"""Ways that bring a driver to programs inside something, or that no release has a part in."""


def disagreements(gpu: KnownGpu, release_key: str, found: InstallPlan) -> Iterator[str]:
    """Yield what the plan and the matrix say of a GPU on a release where they differ."""
    release = next(one for one in RELEASES if one.key == release_key)
    for key, implementation in TABLES.implementations().items():
        cell = support_of((gpu,), release, implementation, TABLES)
        routes = [r for r in found.routes if r.backend == key and r.how not in _INSIDE]
        refused = [one.because for one in found.rejected if one.backend == key]
        where = f"{gpu.pci_id} on {release_key} by {key}"
        if implementation.not_planned is not None:
            if not any(implementation.not_planned[1:20] in text for text in refused):
                yield f"{where}: absent from the plan without a reason"
        elif cell.status == "not_supported" or cell.package is None:
            if routes and cell.device == "gpu":
                yield f"{where}: the plan has a route, the matrix says: {cell.reason}"
            if not routes and not refused:
                yield f"{where}: absent from the plan without a reason"
        else:
            yield from (f"{where}: {text}" for text in _differs(cell, routes))


def _differs(cell: Support, routes: list[Route]) -> Iterator[str]:
    same = [route for route in routes if route.components[0].version == cell.version]
    if not same:
        yield f"the matrix has {cell.version} of {cell.origin}, the plan no route with it"
    elif not {route.status for route in same} & {cell.status, "workaround"}:
        yield f"the matrix says {cell.status}, the plan {same[0].status}"


def test_the_plan_of_every_gpu_on_every_release_says_what_the_matrix_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = 0
    wrong: list[str] = []
    for group in GROUPS:
        for release in RELEASES:
            # All of a group have the same facts in the tables, and so the same answers.
            target = described(Stated(), TABLES, gpu=group[0].pci_id, os=release.key)
            wrong += disagreements(group[0], release.key, plan(target, TABLES))
            cells += len(group) * len(TABLES.implementations())
    with capsys.disabled():
        count = f"{cells} cells of {sum(map(len, GROUPS))} ids"
        print(f"\n{count}, {len(wrong)} disagreements")  # noqa: T201 - a figure to be read
    assert not wrong, "\n".join(wrong[:20])
    assert cells > 250_000


def test_the_page_of_every_gpu_says_what_the_matrix_says() -> None:
    wrong: list[str] = []
    for group in GROUPS:
        for gpu in group:
            wrong += list(_page_differs(gpu, group[0]))
    assert not wrong, "\n".join(wrong[:20])


def _page_differs(gpu: KnownGpu, first: KnownGpu) -> Iterator[str]:
    assert gpu.entry is not None
    assert gpu.pci_id is not None
    facts = dict(gpu_entry(gpu.pci_id, gpu.entry, TABLES).facts)
    said: dict[tuple[str, str], set[str]] = {}
    for line in facts.get("packaged in", "").splitlines():
        match = re.fullmatch(r"([\w-]+)(, unverified)?: (.*)", line)
        assert match is not None, line
        status = "unverified" if match[2] else "supported"
        said[match[1], status] = set(match[3].split(", "))
    expected = _expected(first)
    if said != expected:
        yield f"{gpu.pci_id}: {said} on its page, {expected} in the matrix"
    drivers = {text.split(" ")[0] for text in facts["OpenCL by"].split(", ")} - {"nothing:"}
    if not {key for key, _ in said} <= drivers:
        yield f"{gpu.pci_id}: packaged are {sorted(said)}, OpenCL by {facts['OpenCL by']}"


_EXPECTED: dict[str, dict[tuple[str, str], set[str]]] = {}


def _expected(gpu: KnownGpu) -> dict[tuple[str, str], set[str]]:
    """Return the releases that the matrix names, by implementation and status."""
    assert gpu.pci_id is not None
    if gpu.pci_id not in _EXPECTED:
        found: dict[tuple[str, str], set[str]] = {}
        for key, implementation in TABLES.implementations().items():
            for release in TABLES.distributions():
                cell = support_of((gpu,), release, implementation, TABLES)
                if cell.device == "gpu" and cell.status != "not_supported" and cell.version:
                    named = f"{release.key} {cell.version}"
                    found.setdefault((key, cell.status), set()).add(named)
        _EXPECTED[gpu.pci_id] = found
    return _EXPECTED[gpu.pci_id]


def test_a_name_is_answered_as_the_sum_of_its_ids() -> None:
    wrong = []
    for generation in TABLES.generations().values():
        gpus = [gpu_of_id(one.pci_id, TABLES) for one in TABLES.chips(generation.generation)]
        firsts = [group[0] for group in alike(gpus)] if gpus else []
        for release in RELEASES:
            for implementation in TABLES.implementations().values():
                if not gpus:
                    continue
                whole = support_of(gpus, release, implementation, TABLES).status
                of_ids = {
                    support_of((one,), release, implementation, TABLES).status for one in firsts
                }
                if whole not in of_ids or (whole == "not_supported") is not (
                    of_ids == {"not_supported"}
                ):
                    wrong.append((generation.generation, release.key, implementation.name, whole))
    assert not wrong
