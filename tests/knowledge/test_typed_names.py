# SPDX-License-Identifier: MIT
"""Each command gives the one answer to a name that was written down before any was asked."""

from functools import cache
from pathlib import Path

import pytest
import yaml

from clprobe.compat.support_table import support_table
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon import explain
from clprobe.facts.derive_gpus import judge_gpu
from clprobe.install.machine import look_up
from clprobe.install.stated_gpu import stated_gpu
from clprobe.install.target import Stated, described, of_snapshot
from clprobe.knowledge.named_gpu import resolve
from clprobe.model.errors import ClprobeError
from clprobe.model.hardware import Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import System
from clprobe.model.unknown import Unknown

KNOWLEDGE = Knowledge.load()
TABLES = KNOWLEDGE.tables
TYPED = yaml.safe_load((Path(__file__).parent / "typed_names.yaml").read_text(encoding="utf-8"))
GPUS = {row["typed"]: row["is"] for row in TYPED["gpus"]}
ALSO = {row["typed"]: {row["also"]} for row in TYPED["gpus"] if "also" in row}
SYSTEMS = {row["typed"]: row for row in TYPED["systems"]}
GENERATIONS = TABLES.generations()
WITH_TABLE = {name: row for name, row in SYSTEMS.items() if "-" in row["is"]}
LINUX = {name: row for name, row in WITH_TABLE.items() if not row["is"].startswith("windows")}


@cache
def _families() -> dict[str, str]:
    return {one.name: key for key, one in TABLES.families().items()}


def _planned(name: str) -> str:
    try:
        machine = look_up(Stated(gpu=stated_gpu(name, TABLES)), TABLES)
    except ClprobeError as error:
        return {"gpu-ambiguous": "several"}.get(error.reference, error.message)
    if not machine.has_gpu:
        return "none"
    if machine.generation is not None:
        return machine.generation.generation
    return machine.family.family if machine.family is not None else "unlisted"


def _explained(name: str) -> set[str]:
    try:
        entries = explain(name, KNOWLEDGE).entries
    except ClprobeError as error:
        return {"unlisted" if "No table lists" in error.message else error.message}
    said = set()
    for entry in entries:
        key = entry.title.partition(":")[0]
        if entry.kind == "GPU":
            said |= set(dict(entry.facts)["generation"].split(", "))
        elif entry.kind in ("generation", "family", "adapter"):
            said.add("none" if entry.kind == "adapter" else key)
    return said


def _diagnosed(name: str) -> str:
    is_id = TABLES.named_gpu(name).pci_id == name
    gpu = judge_gpu(Gpu(pci_id=name) if is_id else Gpu(name=name), (), System(), TABLES)
    if isinstance(gpu.generation, str):
        return gpu.generation
    return _families().get(str(gpu.family), "none" if gpu.computes is False else "open")


@pytest.mark.parametrize("name", GPUS)
def test_every_command_reads_the_name_of_a_gpu_alike(name: str) -> None:
    expected = GPUS[name]

    assert _planned(name) == expected
    said = _explained(name)
    assert (
        (len(said) > 1) if expected == "several" else (said - ALSO.get(name, set()) == {expected})
    )
    processor = resolve(name, TABLES).nothing_because is not None and TABLES.processor(name)
    if expected not in ("several", "unlisted") and not processor:
        assert _diagnosed(name) == expected


def test_a_plan_says_what_else_without_opencl_has_the_name() -> None:
    stated = described(Stated(), TABLES, gpu="6800 XT")

    assert any("GeForce before the 8 series" in note for note in stated.notes)


@pytest.mark.parametrize("name", ["Core 7 240H", "Core 9 270H"])
def test_a_processor_in_no_table_is_not_taken_for_a_radeon(name: str) -> None:
    assert not resolve(name, TABLES).is_known


def _in_matrix(name: str) -> tuple[set[str], str]:
    """Return the generations of the matrix's cells, or none and the hint."""
    try:
        cells = support_table(TABLES, [name], ["debian-12"], ["pocl"]).cells
    except ClprobeError as error:
        return set(), error.hint
    return {cell.generation for cell in cells}, ""


@pytest.mark.parametrize("name", GPUS)
def test_the_matrix_reads_the_name_of_a_gpu_as_plans_do(name: str) -> None:
    expected = GPUS[name]
    generations, hint = _in_matrix(name)

    assert generations == ({expected} & set(GENERATIONS))
    if not generations and expected not in ("several", "unlisted"):
        assert "the matrix is about" in hint


def _stated(name: str) -> Stated | str:
    try:
        return described(Stated(), TABLES, os=name)
    except ClprobeError as error:
        return {"os-without-plan": "none", "os-unknown": "unlisted"}[error.reference]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_plan_reads_the_name_of_a_system_so(name: str) -> None:
    expected = SYSTEMS[name]["is"]
    stated = _stated(name)
    if isinstance(stated, str):
        assert stated == expected
        return
    key = stated.release.key if stated.release is not None else stated.os
    assert (key == expected) or (expected == "other" and stated.release is None)
    assert stated.wsl is SYSTEMS[name].get("wsl", False)
    assert stated.windows is expected.startswith("windows")


@pytest.mark.parametrize("name", LINUX)
def test_the_matrix_and_explain_read_the_name_of_a_release_as_plans_do(name: str) -> None:
    expected = SYSTEMS[name]["is"]
    cells = support_table(TABLES, ["Gen9"], [name], ["pocl"]).cells
    assert expected in {cell.distribution for cell in cells}
    if SYSTEMS[name].get("wsl"):
        return
    entries = [one for one in explain(name, KNOWLEDGE).entries if one.kind == "distribution"]
    said = {
        dict(one.facts).get("built on", one.title).partition(",")[0].partition(":")[0]
        for one in entries
    }
    assert expected in said


@pytest.mark.parametrize(
    ("system_id", "version", "release"),
    [
        ("linuxmint", "22.1", "ubuntu-24.04"),
        ("pop", "22.04", "ubuntu-22.04"),
        ("zorin", "17", "ubuntu-22.04"),
        ("elementary", "8", "ubuntu-24.04"),
        ("kali", "2026.2", "debian-forky"),
        ("devuan", "5", "debian-12"),
        ("raspbian", "12", "debian-12"),
        ("nobara", "43", "fedora-43"),
        ("sles", "15.6", "opensuse-leap-15.6"),
        ("ol", "9.4", "rhel-9"),
        ("endeavouros", None, "arch-rolling"),
        ("cachyos", None, "arch-rolling"),
        ("manjaro", None, "arch-rolling"),
        ("steamos", "3.7", "arch-rolling"),
    ],
)
def test_a_snapshot_of_what_is_built_on_a_release_is_planned_as_that(
    system_id: str, version: str | None, release: str
) -> None:
    version_fact = version if version is not None else Unknown(unknown="not stated")
    distribution = System().distribution.__class__(id=system_id, version=version_fact)
    stated = of_snapshot(Snapshot(system=System(distribution=distribution)), TABLES)

    assert stated.release is not None
    assert stated.release.key == release
    assert stated.os == (f"{system_id}-{version}" if version else f"{system_id}-rolling")


def test_every_name_has_a_source() -> None:
    rows = [*TYPED["gpus"], *TYPED["systems"]]
    assert len(rows) >= 230
    assert {row["source"] for row in rows} <= set(TYPED["sources"])


@pytest.mark.parametrize(
    ("name", "near"), [("RTX 3061", "RTX 3060"), ("HD 4606", "HD 4600"), ("Haswel", "Haswell")]
)
def test_what_is_suggested_is_near(name: str, near: str) -> None:
    assert near in TABLES.nearest_gpu_names(name)


@pytest.mark.parametrize("name", ["graphics thing", "Voodoo Banshee 5", "zzz", "42"])
def test_nothing_is_suggested_where_nothing_is_near(name: str) -> None:
    assert "Did you mean" not in TABLES.nearest_gpu_names(name)
