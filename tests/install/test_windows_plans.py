# SPDX-License-Identifier: MIT
"""Plans for Windows and WSL2, where Windows' own driver reaches the GPU."""

import pytest

from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables
from clprobe.report.plan_answer import answer
from clprobe.report.plan_words import target_line

TABLES = Tables.load()
WSL = "6.6.87.2-microsoft-standard-WSL2"


def on_windows(gpu, goal="pytorch", python="3.12"):
    asked = {"gpu": gpu, "os": "Windows 11", "linux": None, "python": python}
    return plan(described(Stated(), TABLES, **asked), TABLES, goal)


def under_wsl(gpu, goal="opencl", python=None):
    target = described(Stated(), TABLES, gpu=gpu, os="ubuntu-24.04", linux=WSL, python=python)
    return plan(target, TABLES, goal)


def test_directml_is_a_route_on_windows_with_its_torch():
    # Its last release is of 2024, so PyTorch on the CPU comes first.
    first, best = on_windows("UHD 620").routes[:2]
    assert (first.stack, first.backend) == ("pytorch-cpu", "cpu")
    assert (best.stack, best.backend, best.uses_gpu) == ("torch-directml", "direct3d12", True)
    assert {c.name: c.version for c in best.components} == {
        "torch-directml": "0.2.5.dev240914",
        "torch": "2.4.1",
        "python": "3.12",
    }
    assert any("unmaintained" in caveat for caveat in best.caveats)
    assert not any(step.needs_root for step in best.steps)
    assert best.steps[0].argv[:2] == ("py", "-3.12")


@pytest.mark.parametrize(
    ("gpu", "python", "says"),
    [
        ("UHD 620", "3.13", "builds are for Python"),
        ("HD 4600", "3.12", "15.40.44.5107"),
    ],
)
def test_directml_is_refused_on_windows_with_the_reason(gpu, python, says):
    made = on_windows(gpu, python=python)
    refused = [r.because for r in made.rejected if r.stack == "torch-directml"]
    assert len(refused) == 1
    assert says in refused[0]
    assert made.routes[0].stack == "pytorch-cpu"


def test_drivers_for_linux_are_refused_on_windows_whose_own_brings_opencl():
    made = on_windows("UHD 620", "opencl")
    [own] = made.routes
    assert (own.backend, own.how, own.steps) == ("windows-driver", "by-hand", ())
    assert any("intel.com" in line for line in own.by_hand)
    assert all("is for Linux" in r.because for r in made.rejected)


def test_sandy_bridge_has_no_opencl_on_windows():
    assert on_windows("HD 3000", "opencl").routes == ()


def test_xpu_is_the_route_for_arc_on_windows():
    best = on_windows("Arc A770").routes[0]
    assert (best.stack, best.backend, best.status) == ("pytorch-xpu", "windows-driver", "supported")


def test_under_wsl2_the_driver_that_knows_it_is_the_only_one_on_the_gpu():
    made = under_wsl("8086:9a49")
    on_gpu = [r for r in made.routes if r.uses_gpu]
    assert {r.backend for r in on_gpu} == {"compute-runtime"}
    assert not any("usermod" in step.argv for r in on_gpu for step in r.steps)
    refused = {r.backend: r.because for r in made.rejected}
    assert "/dev/dxg" in refused["rusticl"]


def test_plans_say_that_they_are_for_wsl2():
    made = under_wsl("8086:9a49")
    heading = answer(made, made.routes[0], TABLES).heading
    assert heading.endswith(" on Ubuntu 24.04 under WSL2, for OpenCL")
    assert ", ubuntu-24.04, under WSL2, " in target_line(made.target)


def test_kaby_lake_gets_no_opencl_under_wsl2_but_directml():
    assert not any(r.uses_gpu for r in under_wsl("8086:5916").routes)
    on_gpu = [r for r in under_wsl("8086:5916", "pytorch", "3.12").routes if r.uses_gpu]
    assert [(r.stack, r.backend) for r in on_gpu] == [("torch-directml", "direct3d12")]


def test_directml_is_no_route_on_linux_itself():
    target = described(
        Stated(), TABLES, gpu="8086:5916", os="ubuntu-24.04", linux="6.8", python="3.12"
    )
    made = plan(target, TABLES, "pytorch")
    assert any(r.stack == "torch-directml" and "WSL2" in r.because for r in made.rejected)
