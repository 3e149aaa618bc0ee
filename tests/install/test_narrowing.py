# SPDX-License-Identifier: MIT
import subprocess

import pytest

from clprobe.install.machine import Wishes
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables
from clprobe.model.action import MakeEnvironment
from clprobe.probe.leftovers import ENVIRONMENTS

TABLES = Tables.load()
PAIRS = [("8086:0416", "ubuntu-24.04"), ("8086:5916", "debian-13"), ("8086:e20b", "ubuntu-24.04")]


def planned(gpu, os, goal="opencl", **wishes):
    target = described(Stated(), TABLES, gpu=gpu, os=os)
    return plan(target, TABLES, goal, Wishes(**wishes))


def reasons(made, option):
    return [r.because for r in made.rejected if f"arrowed by {option}" in r.because]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("goal", ["opencl", "pytorch", "inference"])
@pytest.mark.parametrize(
    ("wishes", "option", "holds"),
    [
        ({"want": "gpu"}, "--want gpu", lambda route: route.uses_gpu),
        ({"want": "cpu"}, "--want cpu", lambda route: not route.uses_gpu),
        (
            {"root": False},
            "--no-root",
            lambda route: not any(step.needs_root for step in route.steps),
        ),
        (
            {"third_party": False},
            "--no-third-party",
            lambda route: route.how not in ("repository", "conda"),
        ),
    ],
)
def test_a_wish_keeps_what_fits_it_and_names_itself_for_the_rest(pair, goal, wishes, option, holds):
    everything = planned(*pair, goal)
    narrowed = planned(*pair, goal, **wishes)
    assert all(holds(route) for route in narrowed.routes)
    lost = len(everything.routes) - len(narrowed.routes)
    # Without root, some routes are made in another way instead of being left out.
    assert len(reasons(narrowed, option)) == lost or option == "--no-root"
    assert all(r.sources for r in narrowed.rejected)


def test_files_of_the_same_vendor_are_no_third_party():
    def hows(os):
        return {r.how for r in planned("8086:0416", os, third_party=False).routes}

    assert "file" in hows("debian-12")
    assert "file" not in hows("ubuntu-24.04")


def test_a_linux_of_the_backports_is_no_third_party():
    stated = described(Stated(), TABLES, gpu="HD 620", os="debian-13", linux="3.13")
    made = plan(stated, TABLES, "opencl", Wishes(third_party=False))
    files = next(r for r in made.routes if r.how == "file")
    assert [c.origin for c in files.components][-1] == "backports"


def test_without_root_a_container_still_reaches_the_gpu():
    routes = planned("8086:0416", "ubuntu-24.04", root=False).routes
    best = next(route for route in routes if route.uses_gpu)
    assert (best.backend, best.how) == ("beignet", "container")
    assert ("test", "-w", "/dev/dri/renderD128") in [step.argv for step in best.steps]


def test_without_root_an_environment_lies_in_the_home_folder():
    best = planned("8086:0416", "ubuntu-24.04", "pytorch", root=False).routes[0]
    assert best.stack == "pytorch-cpu"
    assert any("~/pytorch-venv" in step.argv for step in best.steps)


def steps_of_torch(**wishes):
    best = planned("8086:0416", "ubuntu-24.04", "pytorch", **wishes).routes[0]
    assert best.stack == "pytorch-cpu"
    return best.steps


def test_with_a_folder_of_wheels_pip_asks_no_index():
    pip = [step.argv for step in steps_of_torch(wheels="/srv/wheels") if "install" in step.argv]
    pip = [argv for argv in pip if "pip" in argv]
    assert pip
    for argv in pip:
        assert "--no-index" in argv
        assert argv[argv.index("--find-links") + 1] == "/srv/wheels"


def test_the_wheels_that_a_folder_must_hold_are_named_and_looked_for(tmp_path):
    folder = tmp_path / "wheels; touch gone"
    folder.mkdir()
    check = next(s for s in steps_of_torch(wheels=str(folder)) if "holds" in s.title)
    assert "torch-2.15.0-*.whl" in check.title

    def checked():
        return subprocess.run(
            check.argv, capture_output=True, text=True, check=False, timeout=20, cwd=tmp_path
        )

    lacking = checked()
    assert lacking.returncode == 1
    assert "lacks torch-2.15.0-*.whl" in lacking.stderr
    (folder / "torch-2.15.0-cp312-cp312-manylinux_2_28_x86_64.whl").touch()
    assert checked().returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


@pytest.mark.parametrize("engine", ["podman", "docker", "distrobox"])
def test_each_engine_has_its_own_commands(engine):
    routes = planned("8086:0416", "ubuntu-24.04", engine=engine).routes
    steps = next(r for r in routes if r.how == "container").steps
    used = {step.argv[0] for step in steps} - {"env", "apt-get", "groupadd", "usermod"}
    assert used == {engine}
    started = next(s for s in steps if "debian:11" in s.argv)
    assert started.undo == (engine, "rm", "--force", "clprobe-beignet")


@pytest.mark.parametrize("goal", ["opencl", "pytorch", "inference"])
def test_every_environment_that_a_plan_makes_is_listed_by_clprobe_cache(goal):
    made = {
        step.action.path
        for gpu in ("8086:0416", "8086:56a0", "RTX 4060", "RX 7900 XTX", "none")
        for route in planned(gpu, "ubuntu-24.04", goal).routes
        for step in route.steps
        if isinstance(step.action, MakeEnvironment) and step.action.path.startswith("~/")
    }
    assert made
    assert made <= {f"~/{name}-venv" for name in ENVIRONMENTS}
