# SPDX-License-Identifier: MIT
"""Plans applied for real in a bare Debian 12, and taken back.

Only what tests/apply/test_printed_scripts.py does not install; debian_table.py does all releases
and routes. A folder named by CLPROBE_DEBIAN_ROOTS keeps the bare system from run to run.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from debian_cells import cell_of, cells, packages, run
from debian_roots import CACHE, DebianRoots, UnavailableError, needs
from opencl_looks import GPUS

from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
RELEASE = "12"
LACKING = needs()
needs_roots = pytest.mark.skipif(LACKING is not None, reason=str(LACKING))


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebianRoots]:
    kept, temporary = os.environ.get(CACHE), tmp_path_factory.mktemp("roots")
    yield DebianRoots(Path(kept) if kept else temporary)
    shutil.rmtree(temporary)  # half a gigabyte


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("backend", "generations"),
    [
        ("beignet", ["Gen7.5"]),
        ("compute-runtime", ["Gen8", "Gen9", "Gen9.5", "Gen11", "Gen12/Xe-LP"]),
    ],
)
@pytest.mark.root
@pytest.mark.slow
@needs_roots
def test_a_route_is_installed_shows_its_device_and_is_taken_back(
    backend: str, generations: list[str], roots: DebianRoots, memory: Path
) -> None:
    alike = [cell_of(RELEASE, generation, backend, TABLES) for generation in generations]
    assert len({cell.install for cell in alike}) == 1
    try:
        outcomes = run(alike, roots, memory)
    except UnavailableError as error:
        pytest.skip(str(error))
    for generation, outcome in zip(generations, outcomes, strict=True):
        print(f"{generation}: {'; '.join(outcome.seen)}")  # noqa: T201 - for -rP
        assert not outcome.problems
        assert len(outcome.seen) >= 2


@pytest.mark.root
@pytest.mark.slow
@needs_roots
def test_what_a_copy_changes_is_not_in_the_next_one(roots: DebianRoots, memory: Path) -> None:
    try:
        copy = roots.copy(RELEASE, memory)
    except UnavailableError as error:
        pytest.skip(str(error))
    with copy:
        before = packages(copy)
        with copy.another_layer():
            copy.expect("apt-get", "install", "--yes", "clinfo", seconds=300)
            assert packages(copy) != before
        assert packages(copy) == before
        copy.write("/etc/OpenCL/vendors/left.icd", "libleft.so\n")
    assert not list(memory.iterdir())
    with roots.copy(RELEASE, memory) as another:
        assert another.run("ls", "/etc/OpenCL", seconds=10).returncode != 0


def test_the_table_has_a_cell_for_each_release_generation_and_place() -> None:
    made = cells(TABLES, ("11", "12", "13", "sid"))
    assert len({(cell.release, cell.generation, cell.on_gpu) for cell in made}) == 80
    for cell in made:
        assert cell.route is not None or (cell.on_gpu and cell.why_none)
        gpu = TABLES.gpu(GPUS[cell.generation])
        assert gpu is not None
        assert gpu.generation == cell.generation


def test_every_system_has_a_route_to_the_cpu_that_is_packaged() -> None:
    for cell in (one for one in cells(TABLES, ("11", "12", "13", "sid")) if not one.on_gpu):
        assert cell.route is not None
        assert cell.route.backend == "pocl"
