# SPDX-License-Identifier: MIT
"""A plan's first screen: short, unwrapped where it is to be pasted, and with nothing left out."""

import itertools
import shlex
import subprocess

import pytest

from clprobe.commands.lines import typed
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.package_managers import manager_named
from clprobe.knowledge.tables import Tables
from clprobe.model import action as actions
from clprobe.report.plan_answer import answer
from clprobe.report.plan_text import show_answer
from clprobe.report.plan_words import title
from clprobe.report.terminal import make_console

TABLES = Tables.load()
GPUS = (
    *("HD 4600", "HD 5500", "UHD 620", "8086:9a49", "Arc A770", "Arc B580", "Gen6"),
    *("RX 580", "RX 7900 XTX", "Vega 64", "RTX 4060", "GTX 1060", "RTX 5090"),
)
SYSTEMS = (
    *("ubuntu-22.04", "ubuntu-24.04", "ubuntu-26.04", "debian-11", "debian-12", "debian-13"),
    *("fedora-44", "arch-rolling", "opensuse-tumbleweed", "alpine-3.22", "nixos-unstable"),
    "windows-11",
)
GOALS = ("opencl", "pytorch", "inference")
PLANS = [
    (gpu, system, GOALS[number % 3])  # each machine with one of the goals in turn
    for number, (gpu, system) in enumerate(itertools.product(GPUS, SYSTEMS))
] + [("Arc B580", "ubuntu-24.04", "pytorch"), ("Arc B580", "ubuntu-24.04", "inference")]


@pytest.fixture
def screen(capsys):
    def screen(gpu, system, goal):
        made = plan(described(Stated(), TABLES, gpu=gpu, os=system), TABLES, goal)
        route = made.routes[0] if made.routes else None
        said = answer(made, route, TABLES)
        show_answer(make_console("never"), said)
        return made, route, said, capsys.readouterr().out.splitlines()

    return screen


@pytest.mark.parametrize(("gpu", "system", "goal"), PLANS)
def test_the_answer_fits_a_screen_and_its_commands_are_whole_lines(screen, gpu, system, goal):
    made, route, said, lines = screen(gpu, system, goal)
    assert len(lines) <= 25
    check = [f"  Check  {said.check}"] if said.check is not None else []
    pasted = [*(f"    {command}" for command in said.commands), *check]
    assert [line for line in lines if line in pasted] == pasted
    assert not [line for line in lines if len(line) > 80 and line not in pasted]
    assert lines[1].startswith("→ Use " if route is not None else "→ There is no way")
    assert "-v" in lines[-1]
    assert ("--backend" in lines[-1]) is (len(made.routes) > 1)


@pytest.mark.parametrize(("gpu", "system", "goal"), PLANS)
def test_every_step_is_in_the_lines_that_are_pasted(screen, gpu, system, goal):
    _, route, said, _ = screen(gpu, system, goal)
    lines = [*said.commands, *([said.check] if said.check is not None else [])]
    commands = [part.split() for line in lines for part in line.split(" && ")]
    checked = subprocess.run(
        ["sh", "-n"], input="\n".join(lines), text=True, check=False, timeout=9
    )
    assert checked.returncode == 0
    for step in route.steps if route is not None else ():
        assert is_done_by(commands, lines, step.action), step


def is_done_by(commands, lines, action):  # noqa: PLR0911 - a case a kind
    """Whether the printed commands have the effect of the action; a look has none."""
    if isinstance(action, actions.Install | actions.InstallFiles):
        words = ["sudo", *manager_named(action.manager).by_hand.install]
        asked = typed(action).argv[len(words) - 1 :]
        return any(c[: len(words)] == words and set(asked) <= set(c) for c in commands)
    if isinstance(action, actions.Refresh):
        return ["sudo", *typed(action).argv] in commands
    if isinstance(action, actions.WriteFile):
        text = " ".join(map(shlex.quote, action.text.splitlines()))
        return any(f"printf '%s\\n' {text} | sudo tee {action.path}" in line for line in lines)
    if isinstance(action, actions.FetchKey):
        return any(all(part in line for part in (
            f"sudo curl -fsSL -o {action.path} {shlex.quote(action.url)}",
            f'= {shlex.quote(" ".join(action.fingerprints))} || sudo rm -f {action.path}',
        )) for line in lines)  # fmt: skip
    if isinstance(action, actions.CheckHashes):
        checked = next(line for line in lines if line.endswith("| sha256sum --check"))
        return all(f"{digest} {file}" in checked for file, digest in action.files)
    if isinstance(action, actions.JoinGroup):
        return ["sudo", "usermod", "-aG", action.group, '"$USER"'] in commands
    argv = typed(action).argv
    if isinstance(action, actions.Look) or (
        isinstance(action, actions.Check) and argv[0] == "test"
    ):
        return True
    plain = [word.strip("'\"") for word in argv]
    flat = [" ".join(line.split()).replace("'", "").replace('"', "") for line in lines]
    return any(" ".join(plain).replace("'", "").replace('"', "") in line for line in flat)


@pytest.mark.parametrize(("gpu", "system", "goal"), PLANS)
def test_the_other_ways_fit_and_lose_nothing_either(screen, capsys, gpu, system, goal):
    made, *_ = screen(gpu, system, goal)
    for route in made.routes[1:]:
        said = answer(made, route, TABLES)
        show_answer(make_console("never"), said)
        assert len(capsys.readouterr().out.splitlines()) <= 25
        lines = [*said.commands, *([said.check] if said.check is not None else [])]
        commands = [part.split() for line in lines for part in line.split(" && ")]
        for step in route.steps:
            assert is_done_by(commands, lines, step.action), step


@pytest.mark.parametrize(("gpu", "system", "goal"), PLANS)
def test_no_two_routes_have_one_name(screen, gpu, system, goal):
    made, *_ = screen(gpu, system, goal)
    names = [title(route, made.target) for route in made.routes]
    assert len(set(names)) == len(names)


def test_fifteen_steps_become_seven_lines(screen):
    _, route, said, _ = screen("Arc B580", "ubuntu-24.04", "pytorch")
    assert len(route.steps) >= 10
    assert len(said.commands) <= 8
    assert sum("apt install" in line for line in said.commands) == 2
    assert any("restart" in note for note in said.notes)
    assert any(note.startswith("Log out and in again") for note in said.notes)


def test_names_say_how_each_comes(screen):
    made, *_ = screen("HD 4600", "ubuntu-24.04", "opencl")
    names = [title(route, made.target) for route in made.routes]
    assert names[0] == "pocl (apt)"
    assert {"beignet (container)", "beignet (Debian 11 .deb)", "pocl (pip)"} <= set(names)
