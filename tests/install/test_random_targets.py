# SPDX-License-Identifier: MIT
"""Plans for targets drawn by chance, checked by route_checker.py, which knows no planner."""

import random

import pytest
from msgspec.structs import replace
from plain_tables import debian_order, fits, gpus, releases
from rejection_checker import wrong_rejections
from route_checker import Target as Checked
from route_checker import wrong_routes

from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
COUNT = 200
NAMES = ("HD 4600", "UHD 620", "Arc A770", "Haswell", "Gen9", "Xe2", "Iris Plus")
OTHERS = ("8086:fffe", "8086:0046", "10de:1eb8", "10de:2684", "1002:73bf", "1002:67df", "1af4:1050")
LINUXES = (None, None, None, "3.13", "4.4", "5.4", "5.15", "6.1", "6.8", "6.8.0-31-generic",
    "6.12.95", "6.17", "7.3-rc2", "6.6.87.2-microsoft-standard-WSL2")  # fmt: skip
PYTHONS = (None, None, "3.6", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
ARCHES = ("x86_64", "x86_64", "x86_64", "x86_64", "aarch64", "riscv64", None)
GOALS = ("opencl", "pytorch", "inference")


def drawn():
    """Return targets with goals; the same in every run."""
    chance = random.Random(20261121)  # noqa: S311 - the seed makes a failure come again
    by_generation = {}
    for pci_id, entry in gpus().items():
        by_generation.setdefault(entry["generation"], []).append(pci_id)
    kinds = [*by_generation.values(), NAMES, OTHERS, ("none",), (None,)]
    systems = [*releases(), "mageia-10", "solus-rolling", None]
    for _ in range(COUNT):
        gpu = chance.choice(chance.choice(kinds))
        os = chance.choice(systems)
        right = {
            "gpu": gpu,
            "os": os,
            "linux": chance.choice(LINUXES),
            "python": chance.choice(PYTHONS),
            "arch": chance.choice(ARCHES),
        }
        yield stated(**right), checked(**right), chance.choice(GOALS)


def stated(os, arch, **more):
    """Return what is stated of the machine; the release may be in no table."""
    known = os if os in releases() else None
    base = Stated(os=None if known else os)
    return replace(described(base, TABLES, os=known, **more), arch=arch)


def checked(gpu, os, linux, python, arch):
    return Checked(_with_ids(gpu), os, linux, python, arch)


def _with_ids(gpu):
    """Return a name with the ids that it stands for, which the checker does not look up."""
    if gpu not in NAMES:
        return gpu
    ids = ", ".join(pci_id for pci_id, _ in TABLES.find_gpus(gpu))
    return f"{gpu} ({ids})"


TARGETS = list(drawn())


@pytest.mark.parametrize("number", range(COUNT))
def test_every_route_satisfies_every_constraint_and_every_rejection_names_one(number):
    target, right, goal = TARGETS[number]
    made = plan(target, TABLES, goal)
    assert wrong_routes(made, right) == [], target
    assert wrong_rejections(made, right) == [], target
    assert plan(target, Tables.load() if number % 20 == 0 else TABLES, goal) == made


def test_the_targets_reach_every_kind_of_route_and_answer():
    routes = [route for target, _, goal in TARGETS for route in plan(target, TABLES, goal).routes]
    assert {r.backend for r in routes} >= {
        *("compute-runtime", "compute-runtime-legacy1", "rusticl", "beignet", "nvidia"),
        *("amd-rocm", "pocl", "intel-cpu", "cpu"),
    }
    assert {r.how for r in routes} >= {"package", "file", "container", "pip", "included"}
    assert {r.status for r in routes} == {"supported", "workaround", "unverified"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"gpu": "8086:e20b"}, "no chip of that name is driven"),
        ({"gpu": "none"}, "a GPU that is not there"),
        ({"os": "debian-11"}, "a package of debian-12 on debian-11"),
        ({"linux": "3.13"}, "Linux 3.13 is not in"),
        ({"arch": "aarch64"}, "no build for aarch64"),
    ],
)
def test_the_checker_sees_a_plan_for_another_machine(change, says):
    right = {"gpu": "8086:5916", "os": "debian-12", "linux": None, "python": None, "arch": "x86_64"}
    made = plan(stated(**right), TABLES)
    assert wrong_routes(made, Checked(**right)) == []
    assert says in " ".join(wrong_routes(made, Checked(**{**right, **change})))


def test_the_checker_sees_a_reason_that_does_not_hold():
    made = plan(described(Stated(), TABLES, gpu="8086:0416", os="ubuntu-24.04"), TABLES, "pytorch")
    other = Checked("8086:5916", "debian-12", None, None, None)
    assert len(wrong_rejections(made, other)) >= 4


def test_the_checkers_own_versions_are_in_order():
    assert debian_order("1.3.2-7build1", "1.3.2-8") < 0
    assert debian_order("22.3.6-1+deb12u2", "22.3.6-1") > 0
    assert debian_order("25.0.7-2~bpo12+1", "25.0.7-2") < 0
    assert debian_order("1:1.0", "2.0") > 0
    assert fits("6.8.0-31-generic", ">=6.8, <6.9", "linux")
    assert not fits("6.8-rc1", ">=6.8", "linux")
    assert not fits("3.9", ">=3.10, <3.14", "pep440")


def test_a_described_target_says_the_same_as_a_plain_one():
    wanted = described(Stated(), TABLES, gpu="HD 4600", os="debian-12")
    right = checked(wanted.target.gpu, "debian-12", None, None, "x86_64")
    assert right.chips
    assert wrong_routes(plan(wanted, TABLES), right) == []
