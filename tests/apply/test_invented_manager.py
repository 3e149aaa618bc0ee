# SPDX-License-Identifier: MIT
"""A package manager and a distribution that are added as data alone are known everywhere."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from clprobe.apply.journal import Package
from clprobe.apply.package_list import parse_list
from clprobe.commands.lines import commands_of
from clprobe.commands.packages import manager_of
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon import explain
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge import package_managers as known
from clprobe.model.action import Install
from clprobe.model.codec import snapshot_from_text
from clprobe.resources import rules_path

CONDUIT = """\
manager: conduit
name: Conduit
database: conduit
distributions: [newos]
sources:
  own: {url: "https://newos.example/conduit", checked: 2026-11-23}
program: conduit
by_hand:
  {install: [conduit, fetch], remove: [conduit, drop], reinstall: [conduit, fetch, --again],
   repair: [conduit, mend], owner: [conduit, whose]}
unattended:
  install: [conduit, fetch, --quiet]
  remove: [conduit, drop, --quiet]
  reinstall: [conduit, fetch, --again, --quiet]
  refresh: [conduit, sync]
query: [conduit, has]
listing: [conduit, list]
simulate: {add: --pretend}
erase: [conduit, drop, --quiet]
try_erase: [conduit, drop, --pretend]
locks: [/var/lib/conduit/lock]
"""
NEWOS = """\
id: newos
release: "1"
name: "NewOS 1"
python: "3.13"
glibc: "2.41"
linux: {default: "6.12"}
node_group: render
index_date: 2026-11-23
sources:
  A: {url: "https://newos.example/packages", checked: 2026-11-23}
packages:
  icd-loader:
    - {pocket: main, version: "2.3.3", role: loader, sources: A}
  intel-gpu-opencl:
    - {pocket: main, version: "26.05.37020.3", implementations: [compute-runtime], sources: A}
"""
MACHINE = {
    "schema": "clprobe.snapshot/1",
    "system": {
        "distribution": {"id": "newos", "version": "1", "like": []},
        "linux": {"release": "6.12"},
    },
    "gpus": [{"pci_address": "0000:00:02.0", "pci_id": "8086:9a49", "kernel_driver": "i915"}],
    "icds": [],
    "loaders": [],
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a copy of the rules database that has both: two files are added."""
    copy = tmp_path / "rules"
    shutil.copytree(rules_path(), copy)
    (copy / "tables/package_managers/conduit.yaml").write_text(CONDUIT)
    (copy / "tables/distributions/newos-1.yaml").write_text(NEWOS)
    monkeypatch.setattr("clprobe.knowledge.tables.rules_path", lambda: copy)
    known.package_managers.cache_clear()
    yield copy
    known.package_managers.cache_clear()


def test_a_plan_and_its_steps_use_it(root: Path) -> None:
    tables = Knowledge.load(root).tables
    target = described(Stated(), tables, gpu="8086:9a49", os="newos-1")
    route = next(one for one in plan(target, tables).routes if one.backend == "compute-runtime")
    install = next(step for step in route.steps if "intel-gpu-opencl" in step.argv)
    assert install.argv[:3] == ("conduit", "fetch", "--quiet")
    assert install.undo == ("conduit", "drop", "--quiet", *install.argv[3:])
    assert install.verify == ("conduit", "has", *install.argv[3:])
    assert route.steps[0].argv == ("conduit", "sync")


@pytest.mark.usefixtures("root")
def test_apply_knows_its_commands() -> None:
    action = Install(manager="conduit", packages=("intel-gpu-opencl",))
    manager = manager_of(action)
    assert manager is not None
    command = commands_of(action).argv
    assert command == ("conduit", "fetch", "--quiet", "intel-gpu-opencl")
    assert manager.simulating(command) == ("conduit", "--pretend", *command[1:])
    listed = parse_list(manager, "intel-gpu-opencl\t26.05\tii\n", "", "")
    assert listed == (Package("intel-gpu-opencl", "26.05", "ii"),)


def test_doctor_and_explain_name_it(root: Path) -> None:
    knowledge = Knowledge.load(root)
    snapshot = snapshot_from_text(json.dumps(MACHINE), name="invented")
    commands = [
        remedy.argv
        for finding in diagnose(snapshot, knowledge).findings
        for remedy in finding.remedies
        if remedy.argv is not None
    ]
    assert ("conduit", "fetch", "intel-gpu-opencl") in commands
    assert [entry.kind for entry in explain("conduit", knowledge).entries] == ["package manager"]
