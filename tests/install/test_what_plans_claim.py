# SPDX-License-Identifier: MIT
"""What a plan says can be done: folders that are there, linkers that link, names that are known."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from clprobe.cli.install_plan import command
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon import explain
from clprobe.install.machine import Wishes
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described

KNOWLEDGE = Knowledge.load()
TABLES = KNOWLEDGE.tables


def run(*words):
    result = CliRunner().invoke(command, words, obj={"color": "never"}, standalone_mode=False)
    error = result.exception
    return result.return_value, result.stdout, f"{result.stderr}{error or ''}"


def planned(goal="opencl", os="debian-12", gpu="8086:0416", **wishes):
    target = described(Stated(), TABLES, gpu=gpu, os=os, linux=None, python="3.11")
    return plan(target, TABLES, goal, Wishes(**wishes))


def pocl_of_pip(**wishes):
    return next(
        route for route in planned(**wishes).routes if (route.backend, route.how) == ("pocl", "pip")
    )


@pytest.mark.parametrize("folder", ["absent", "empty"])
def test_a_folder_without_wheels_is_refused_before_anything_is_planned(
    folder, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    _, out, complaint = run("--offline-wheels", folder, "--apply", "--yes")
    assert out == ""
    assert folder in complaint


def test_a_folder_of_wheels_is_found_from_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("wheels").mkdir()
    Path("wheels/torch-2.15.0-py3-none-any.whl").touch()
    _, out, _ = run(
        "--offline-wheels", "wheels", "--json", "--gpu", "8086:0416", "--os", "debian-12"
    )
    made = json.loads(out)
    words = {w for r in made["routes"] for s in r["steps"] for w in s["argv"]}
    assert "wheels" not in words
    assert str(tmp_path.resolve() / "wheels") in words


def test_conda_is_no_way_where_wheels_must_do():
    made = planned(wheels="/srv/wheels")
    assert not [route for route in made.routes if route.how == "conda"]
    refused = [entry for entry in made.rejected if entry.how == "conda"]
    assert refused
    assert all("--offline-wheels" in entry.because for entry in refused)


def test_rejected_routes_to_one_backend_have_names_of_their_own():
    rejected = planned(root=False, third_party=False).rejected
    names = [(entry.backend, entry.stack, entry.how, entry.because) for entry in rejected]
    assert len({one[:3] for one in names if one[0] == "pocl"}) == len(
        [one for one in names if one[0] == "pocl"]
    )
    _, out, _ = run("--gpu", "8086:0416", "--os", "debian-12", "--no-third-party", "-v")
    assert "pocl (conda)" in out


def test_the_matrix_without_a_gpu_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "host.yaml").write_text("gpus: []\n")
    _, _, complaint = run("--matrix", "--from", str(tmp_path / "host.yaml"))
    assert "no GPU is known here" in complaint


def test_the_wheel_of_pocl_comes_with_what_it_links_with():
    steps = pocl_of_pip().steps
    linker = next(i for i, step in enumerate(steps) if "libc6-dev" in step.argv)
    assert "gcc" in steps[linker].argv
    assert linker < next(i for i, s in enumerate(steps) if any("pocl" in w for w in s.argv[3:]))


def test_without_root_a_plan_proves_that_there_is_a_linker_and_says_who_can_bring_one(tmp_path):
    route = pocl_of_pip(root=False)
    check = next(step for step in route.steps if "link" in step.title)
    assert not check.needs_root
    assert any("libc6-dev" in caveat and "root" in caveat for caveat in route.caveats)
    code = check.argv[2]
    lacking = subprocess.run(
        [sys.executable, "-c", code], env={"PATH": str(tmp_path)}, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert (lacking.returncode, lacking.stderr) == (1, "no C compiler\n")


@pytest.mark.parametrize("goal", ["opencl", "pytorch", "inference"])
@pytest.mark.parametrize("gpu", ["8086:0416", "8086:5916", "8086:64a0"])
def test_everything_that_a_plan_installs_is_explained(goal, gpu):
    for release in ("debian-12", "ubuntu-24.04", "arch-rolling", "alpine-3.20"):
        for route in planned(goal, release, gpu).routes:
            names = {component.name for component in route.components}
            for step in route.steps:
                added = [
                    *getattr(step.action, "packages", ()),
                    *getattr(step.action, "requirements", ()),
                ]
                names |= {word.partition("==")[0] for word in added if not word.startswith("./")}
            for name in names:
                assert explain(name, KNOWLEDGE).entries, name
