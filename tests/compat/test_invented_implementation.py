# SPDX-License-Identifier: MIT
"""An OpenCL implementation that is added as data alone is known everywhere."""

import json
import shutil
from pathlib import Path

import pytest

from clprobe.compat.known_gpu import gpu_of_id
from clprobe.compat.matrix import matrix
from clprobe.compat.support import support_of
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon_hardware import gpu_entry
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_from_text
from clprobe.resources import rules_path

BATTLEMAGE = "8086:e20b"
NEWCL = """\
implementation: newcl
name: NewCL
status: invented
maintained: true
device_types: [gpu]
version_scheme: dotted
sources:
  own: {url: "https://newcl.example/", checked: 2026-11-20}
recognise:
  files: ["newcl.icd"]
  libraries: ["libnewcl.so*"]
  platform_names: ["NewCL"]
device_nodes: ["/dev/dri/renderD*"]
kernel_drivers: [xe]
platform_without_device: false
packages: {debian: [newcl-icd]}
"""
BARE_MACHINE = {
    "schema": "clprobe.snapshot/1",
    "system": {
        "distribution": {"id": "debian", "version": "13", "like": []},
        "linux": {"release": "6.12.117"},
    },
    "gpus": [{"pci_address": "0000:03:00.0", "pci_id": BATTLEMAGE, "kernel_driver": "xe"}],
    "icds": [],
    "loaders": [],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the rules database with NewCL 2.1 on Debian 13: three files touched."""
    copy = tmp_path_factory.mktemp("rules") / "rules"
    shutil.copytree(rules_path(), copy)
    tables = copy / "tables"
    (tables / "implementations/newcl.yaml").write_text(NEWCL)
    _insert(
        tables / "generations/xe2.yaml", "  rusticl: {versions:", '  newcl: {versions: ">=2.0"}\n'
    )
    row = '    - {pocket: release, version: "2.1-3", implementations: [newcl], sources: A}\n'
    _insert(tables / "distributions/debian-13.yaml", "  libze1:\n", f"  newcl-icd:\n{row}")
    return copy


def _insert(path: Path, before: str, text: str) -> None:
    content = path.read_text()
    assert content.count(before) == 1, path
    path.write_text(content.replace(before, text + before))


@pytest.fixture(scope="module")
def tables(root: Path) -> Tables:
    return Tables.load(root / "tables")


def test_the_matrix_has_it(tables: Tables) -> None:
    newcl = tables.implementations()["newcl"]
    releases = {release.key: release for release in tables.distributions()}
    gpu = gpu_of_id(BATTLEMAGE, tables)
    packaged = support_of((gpu,), releases["debian-13"], newcl, tables)
    assert (packaged.status, packaged.version, packaged.package) == (
        "supported", "2.1-3", "newcl-icd",
    )  # fmt: skip
    # No table says it of other releases, which is no denial.
    elsewhere = support_of((gpu,), releases["fedora-43"], newcl, tables)
    assert (elsewhere.status, elsewhere.package) == ("unverified", None)
    assert elsewhere.next_step == "Ask the package search of Fedora 43 for NewCL."
    other = support_of((gpu_of_id("8086:5916", tables),), releases["debian-13"], newcl, tables)
    assert other.status == "not_supported"
    assert gpu.entry is not None
    assert gpu.generation is not None
    rows = [one for one in matrix((gpu.entry,), gpu.generation, tables)
            if one.implementation == "newcl"]  # fmt: skip
    assert [(row.distribution, row.drives) for row in rows] == [("debian-13", "yes")]


def test_a_plan_installs_it(tables: Tables) -> None:
    target = described(Stated(), tables, gpu=BATTLEMAGE, os="debian-13")
    route = next(one for one in plan(target, tables).routes if one.backend == "newcl")
    assert route.status == "supported"
    assert any("newcl-icd" in step.argv for step in route.steps)
    rejected = plan(described(Stated(), tables, gpu="8086:5916", os="debian-13"), tables).rejected
    assert [one.because for one in rejected if one.backend == "newcl"]


def test_the_page_of_the_gpu_names_it(tables: Tables) -> None:
    entry = tables.gpu(BATTLEMAGE)
    assert entry is not None
    facts = dict(gpu_entry(BATTLEMAGE, entry, tables).facts)
    assert "newcl 2.0 or newer" in facts["OpenCL by"]
    assert "newcl: debian-13 2.1-3" in facts["packaged in"]


def test_doctor_installs_it(root: Path) -> None:
    snapshot = snapshot_from_text(json.dumps(BARE_MACHINE), name="invented")
    diagnosis = diagnose(snapshot, Knowledge.load(root))
    commands = [
        remedy.argv
        for finding in diagnosis.findings
        for remedy in finding.remedies
        if remedy.argv is not None
    ]
    assert any("newcl-icd" in command for command in commands), diagnosis.findings
