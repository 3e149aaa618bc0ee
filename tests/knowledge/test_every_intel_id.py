# SPDX-License-Identifier: MIT
"""Every PCI id of an Intel GPU resolves to its generation, and HD 4600 is never NEO's."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from clprobe.cli.main import cli
from clprobe.compat.coverage import tables_cover
from clprobe.compat.matrix import matrix
from clprobe.compat.support import support
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
LIST = Path(__file__).with_name("intel_ids.txt")
LISTED = 469
HD_4600 = ("8086:0412", "8086:0416")
NEO = ("compute-runtime", "compute-runtime-legacy1")
both = pytest.mark.parametrize("pci_id", HD_4600)


def listed() -> dict[str, str]:
    """Return the generation of each id, as the list beside this file has it."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    rows = [line.split(": ") for line in lines if not line.startswith("#")]
    return {f"8086:{device}": generation for generation, ids in rows for device in ids.split()}


def wrong_generations(expected: dict[str, str]) -> list[str]:
    """Return a line, with both values, for each id that the tables count elsewhere or lack."""
    found = {pci_id: TABLES.gpu(pci_id) for pci_id in expected}
    return [
        f"{pci_id}: {gpu.generation if gpu else 'unknown'} in the tables, {expected[pci_id]} listed"
        for pci_id, gpu in found.items()
        if gpu is None or gpu.generation != expected[pci_id]
    ]


def explained(name: str) -> dict[str, str]:
    """Return the facts of the one entry that `clprobe explain NAME --json` prints."""
    result = CliRunner().invoke(cli, ["explain", name, "--json"])
    assert result.exit_code == 0, result.output
    (entry,) = json.loads(result.stdout)["entries"]
    return dict(entry["facts"])


def test_every_id_of_the_list_resolves_to_its_generation() -> None:
    expected = listed()
    assert len(expected) == LISTED
    assert not wrong_generations(expected)


def test_an_id_that_is_lacking_or_elsewhere_is_told_with_both_values() -> None:
    assert wrong_generations({"8086:0416": "Gen8", "8086:ffff": "Gen9"}) == [
        "8086:0416: Gen7.5 in the tables, Gen8 listed",
        "8086:ffff: unknown in the tables, Gen9 listed",
    ]


def test_each_generation_of_the_list_is_explained_by_one_of_its_ids() -> None:
    first = {generation: pci_id for pci_id, generation in reversed(listed().items())}
    assert len(first) == 16
    told = {generation: explained(pci_id)["generation"] for generation, pci_id in first.items()}
    assert told == {generation: generation for generation in first}


@both
def test_explain_calls_hd_4600_gen7_5_with_opencl_1_2_on_beignet_alone(pci_id: str) -> None:
    facts = explained(pci_id)
    assert facts["generation"] == "Gen7.5"
    assert facts["OpenCL by"] == "beignet 1.0 or newer"
    assert facts["can do"].startswith("beignet: OpenCL 1.2")
    for key in NEO:
        assert f"{key}: " in facts["not driven by"]
        assert key not in facts["packaged in"]


@both
def test_no_version_of_compute_runtime_that_is_known_anywhere_drives_hd_4600(pci_id: str) -> None:
    packaged = {
        (key, row.version)
        for release in TABLES.distributions()
        for rows in release.packages.values()
        for row in rows
        for key in row.implementations
        if key in NEO
    }
    built = {(key, version) for key in NEO for version in TABLES.implementations()[key].built_with}
    asked = packaged | built | {(key, None) for key in NEO}
    assert len(asked) >= 30
    assert {
        (key, v) for key, v in asked if tables_cover(TABLES, key, v, pci_id) is not False
    } == set()


@both
def test_the_matrix_offers_hd_4600_no_compute_runtime(pci_id: str) -> None:
    gpu, haswell = TABLES.gpu(pci_id), TABLES.generation("Gen7.5")
    assert gpu is not None
    assert haswell is not None
    rows = [row for row in matrix((gpu,), haswell, TABLES) if row.implementation in NEO]
    assert len(rows) >= 30
    assert {row.drives for row in rows} == {"no"}


def test_no_release_supports_haswell_by_compute_runtime_and_some_do_by_beignet() -> None:
    haswell, implementations = TABLES.generation("Gen7.5"), TABLES.implementations()
    assert haswell is not None
    cells = {
        (key, release.key): support(haswell, release, implementations[key], TABLES)
        for release in TABLES.distributions()
        for key in (*NEO, "beignet")
    }
    neo = {cell.status for (key, _), cell in cells.items() if key in NEO}
    beignet = {release for (key, release), cell in cells.items() if key == "beignet"
               and cell.status == "supported"}  # fmt: skip
    assert neo == {"not_supported"}
    assert {"ubuntu-18.04", "debian-11", "ubuntu-20.04"} <= beignet
    # From elsewhere it comes with a Linux on which nobody saw it work.
    assert not {"debian-12", "ubuntu-24.04"} & beignet
