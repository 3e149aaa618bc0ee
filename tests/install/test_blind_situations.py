# SPDX-License-Identifier: MIT
"""Plans against answers written before anybody asked for them: blind_situations.yaml."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from clprobe.cli.main import cli

SITUATIONS = yaml.safe_load(
    Path(__file__).with_name("blind_situations.yaml").read_text(encoding="utf-8")
)
ON_A_SCREEN = 25


def asked(situation, *more):
    gpus = situation["gpu"] if isinstance(situation["gpu"], list) else [situation["gpu"]]
    words = [word for gpu in gpus for word in ("--gpu", gpu)]
    words += ["--os", situation["os"]]
    for option in ("linux", "python", "goal"):
        words += [f"--{option}", situation[option]] if option in situation else []
    for option in situation.get("options", ()):
        words += option.split()
    return CliRunner().invoke(cli, ["install-plan", *words, *more])


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: one["situation"])
def test_the_plan_is_what_was_expected(situation):
    assert situation["source"].startswith("https://")
    screen = asked(situation).stdout
    assert len(screen.splitlines()) <= ON_A_SCREEN
    told = asked(situation, "--json").stdout
    routes = json.loads(told)["routes"] if told else []
    wanted = [situation["instead"]] if "but" in situation else situation["first"]
    if not routes:
        assert {"asks", "refused", "none"} & set(wanted)
        return
    best = routes[0]
    assert {best["stack"], best["backend"]} & set(wanted), (best["stack"], best["backend"])
    if "but" in situation:
        return
    text = screen + json.dumps(best)
    commands = [line for line in screen.splitlines() if line.startswith("    ")]
    for command in situation.get("commands", ()):
        assert command in text
    for command in situation.get("no_commands", ()):
        assert not any(command in line for line in commands)
    for words in situation.get("says", ()):
        assert words.lower() in text.lower()
    offered = {name for route in routes for name in (route["stack"], route["backend"])}
    assert not offered & set(situation.get("never", ()))
