# SPDX-License-Identifier: MIT
"""The Ansible collection, installed as a user would, on this machine, which it never changes."""

import json
import re
import runpy
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_runs import COLLECTION, ROOT, Ansible, program

from clprobe.version import __version__

needs_ansible = pytest.mark.skipif(program() is None, reason="needs ansible-core")
needs_yamllint = pytest.mark.skipif(program("yamllint") is None, reason="needs yamllint")
LINES = "{extends: default, rules: {line-length: {max: 110}}}"
PATIENCE_S = 40
"""Most of it is waited for nothing, but a machine under load takes a third of it to answer."""


@pytest.fixture(scope="module")
def ansible(tmp_path_factory: pytest.TempPathFactory) -> Ansible:
    return Ansible(tmp_path_factory.mktemp("ansible"))


@pytest.fixture(scope="module")
def single_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("single") / "clprobe.pyz"
    making = [sys.executable, ROOT / ".ci/single_file.py", "--here", file]
    subprocess.run(making, check=True, timeout=300, capture_output=True)
    yield file
    file.unlink()


def program_file(path: Path, text: str) -> str:
    """Write a program and return its path."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@needs_ansible
@pytest.mark.slow
def test_facts_come_from_who_answers_and_the_others_are_named(
    ansible: Ansible, single_file: Path, tmp_path: Path
) -> None:
    local = {"ansible_connection": "local"}
    sleeping = program_file(tmp_path / "python", "exec sleep 100")
    no_way = program_file(tmp_path / "ssh", "echo 'ssh: no route to host' >&2; exit 255")
    hosts: dict[str, dict[str, Any]] = {
        "one": {**local, "ansible_python_interpreter": sys.executable},
        "two": {**local, "ansible_python_interpreter": sys.executable},
        "hanging": {**local, "ansible_python_interpreter": sleeping},
        "off": {"ansible_connection": "ssh", "ansible_ssh_executable": no_way},
    }
    # One that answered earlier, and does not now.
    (tmp_path / "report/snapshots").mkdir(parents=True)
    (tmp_path / "report/snapshots/off.json").write_text("{}")
    given = (
        *(f"clprobe_file={single_file}", f"clprobe_folder={tmp_path}/report"),
        f"clprobe_patience={PATIENCE_S}",
    )

    played = ansible.play(
        "clprobe.opencl.fleet", hosts, *(word for one in given for word in ("-e", one))
    )

    assert played.status == 0, played.output
    assert {path.name for path in (tmp_path / "report/snapshots").iterdir()} == {
        *("one.json", "two.json"),
    }
    for path in (tmp_path / "report/snapshots").iterdir():
        assert json.loads(path.read_text())["schema"] == "clprobe.snapshot/1"
    assert "2 machines: " in played.output
    # In the words of Ansible 2.15 and 2.19.
    assert re.search(r'"hanging: .*(Timed out after|expected time frame)', played.output)
    assert re.search(r'"off: .*Failed to connect to the host', played.output)
    assert "<html" in (tmp_path / "report/report.html").read_text()


@needs_ansible
def test_a_file_that_is_not_there_and_one_that_is_none_are_said(
    ansible: Ansible, tmp_path: Path
) -> None:
    (tmp_path / "no-zip.pyz").write_text("raise SystemExit('no such program')\n")
    host = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    book = tmp_path / "book.yml"

    said = {}
    for name in ("absent.pyz", "no-zip.pyz"):
        task = {"clprobe.opencl.doctor": {"file": str(tmp_path / name)}}
        play = {"hosts": "all", "gather_facts": False, "tasks": [task]}
        book.write_text(yaml.safe_dump([play]))
        said[name] = ansible.play(book, {"one": host})

    assert "absent.pyz is not on this side" in said["absent.pyz"].output
    assert "clprobe snapshot ended with 1: no such program" in said["no-zip.pyz"].output
    assert [one.recap["one"]["failed"] for one in said.values()] == [1, 1]


@needs_ansible
@pytest.mark.parametrize("name", ["doctor", "fix"])
def test_ansible_doc_reads_each_module(name: str, ansible: Ansible) -> None:
    done = ansible.run("ansible-doc", "--json", f"clprobe.opencl.{name}")

    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)[f"clprobe.opencl.{name}"]
    assert read["doc"]["short_description"]
    assert set(read["return"]) >= {"doctor": {"snapshot", "report"}, "fix": {"runs"}}[name]
    assert read["examples"]


@needs_ansible
def test_the_role_and_the_play_books_are_read(ansible: Ansible) -> None:
    role = ansible.run("ansible-doc", "--json", "-t", "role", "clprobe.opencl.mend")
    options = json.loads(role.stdout)["clprobe.opencl.mend"]["entry_points"]["main"]["options"]
    defaults = yaml.safe_load((COLLECTION / "roles/mend/defaults/main.yml").read_text())

    assert {name: option["default"] for name, option in options.items()} == defaults
    for name in ("fleet", "mend"):
        done = ansible.run("ansible-playbook", "--syntax-check", f"clprobe.opencl.{name}")
        assert done.returncode == 0, done.stderr


@needs_yamllint
def test_its_yaml_is_clean() -> None:
    lint = program("yamllint")
    done = subprocess.run(
        [str(lint), "--strict", "-d", LINES, COLLECTION],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.stdout == ""


def test_it_has_the_version_of_clprobe() -> None:
    assert yaml.safe_load((COLLECTION / "galaxy.yml").read_text())["version"] == __version__


def test_a_python_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    read = runpy.run_path(str(COLLECTION / "plugins/module_utils/single_file.py"))
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr("platform.python_version", lambda: "3.9.2")

    with pytest.raises(read["SingleFileError"], match=r"needs Python 3\.10 or newer .* is 3\.9\.2"):
        read["SingleFile"]("clprobe.pyz", "/nowhere", 1)


def test_what_does_not_end_is_ended(tmp_path: Path) -> None:
    read = runpy.run_path(str(COLLECTION / "plugins/module_utils/single_file.py"))
    (tmp_path / "slow.pyz").write_text("import time; time.sleep(60)")

    with pytest.raises(read["SingleFileError"], match=r"doctor had not ended after 0\.5 s"):
        read["SingleFile"](str(tmp_path / "slow.pyz"), str(tmp_path), 0.5).run("doctor")
