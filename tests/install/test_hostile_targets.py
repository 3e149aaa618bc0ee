# SPDX-License-Identifier: MIT
"""Whatever a snapshot says, no word of a command comes from it."""

import json
import subprocess

import pytest

from clprobe.install.machine import Wishes
from clprobe.install.planner import plan
from clprobe.install.target import of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_from_text
from clprobe.report.plan_answer import answer
from clprobe.report.plan_html import plan_as_html
from clprobe.report.plan_markdown import plan_as_markdown
from clprobe.report.plan_script import script

TABLES = Tables.load()
MARK = "PWNED"
NASTY = (
    f"$(touch {MARK})",
    f"'; touch {MARK}; '",
    f'"; touch {MARK}; "',
    f"`touch {MARK}`",
    f"x\ntouch {MARK}\n",
    f"\x1b]0;{MARK}\x07",
    f"--option={MARK}",
    f"../../{MARK}",
    f"{MARK}" * 2000,
    f"GTX 1080 {MARK}",
)
GOALS = ("opencl", "pytorch", "inference")


def hostile(text):
    return {
        "system": {
            "distribution": {"id": text, "version": text, "codename": text},
            "linux": {"release": text},
            "cpu": {"architecture": text},
        },
        "gpus": [{"pci_id": text, "name": text}, {"pci_id": "10de:1b80", "name": text}],
    }


def planned(system, goal):
    target = of_snapshot(snapshot_from_text(json.dumps(system), name="test"), TABLES)
    return plan(target, TABLES, goal, Wishes())


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("text", NASTY)
def test_no_word_of_a_command_comes_from_a_snapshot(text, goal):
    for system in (hostile(text), {**hostile(text), "gpus": [{"pci_id": "8086:5916"}]}):
        made = planned(system, goal)
        for route in made.routes:
            for step in route.steps:
                words = (*step.argv, *(step.undo or ()), *(step.verify or ()))
                assert not any(MARK in word for word in words)


@pytest.mark.parametrize("text", NASTY)
def test_no_report_lets_a_snapshots_text_out_of_its_place(text, tmp_path):
    system = hostile(text)
    system["system"]["distribution"] = {"id": "debian", "version": "12"}
    made = planned(system, "opencl")
    # Every line of the script that a shell would run is a step's, or the script's own.
    printed = script(made, made.routes[0])
    checked = subprocess.run(
        ["sh", "-n"], input=printed, capture_output=True, text=True, check=False, timeout=20
    )
    assert checked.returncode == 0, checked.stderr
    run = [line for line in printed.splitlines() if MARK in line and not line.startswith("#")]
    assert run == []
    said = answer(made, made.routes[0], TABLES)
    assert not any(MARK in line for line in said.commands)
    assert "\x1b" not in plan_as_markdown(made, said) + plan_as_html(made, said) + printed
    assert list(tmp_path.iterdir()) == []
