# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest

from clprobe.model.errors import ClprobeError
from clprobe.ruleset.load import load_rule
from clprobe.ruleset.rules import load_rules

RULE = """\
id: a-problem
title: "{gpu.label} is missing"
severity: error
link: hardware
for_each: {in: gpus, as: gpu}
when:
  gpu.vendor: {is: intel}
  gpu.generation: {is: Gen9}
because: It is.
remedy: [{manual: Plug it in.}]
sources: [{url: "https://example.org", checked: 2026-01-01}]
since: 0.1.0
"""


def _write(folder: Path, text: str, name: str = "a-problem") -> Path:
    path = folder / "topic" / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_rule_is_read_with_its_loop_and_sources(tmp_path: Path) -> None:
    rule = load_rule(_write(tmp_path, RULE))
    assert (rule.id, rule.topic, rule.loops[0].name) == ("a-problem", "topic", "gpu")
    assert rule.sources[0].checked == "2026-01-01"


@pytest.mark.parametrize(
    ("wrong", "right", "complaint"),
    [
        ("gpu.generaton:", "gpu.generation:", r":8: Gpu has no field 'generaton'.*'generation'"),
        ("severity: fatal", "severity: error", r":3: severity: Invalid enum value 'fatal'"),
        ("link: moon", "link: hardware", r":4: link: Invalid enum value 'moon'"),
        ("{gpu.lable}", "{gpu.label}", r":2: Gpu has no field 'lable'"),
        ("{if: {gpu.vendor: {is: amd}}}", "{manual: Plug it in.}", r":10: a remedy is one of"),
        ("{manual: a, install: b}", "{manual: Plug it in.}", r":10: a remedy is one of"),
        ("{plan: {goal: x, text: y}}", "{manual: Plug it in.}", r":10: .*enum value 'x'"),
        (
            "{mend: x}",
            "{manual: Plug it in.}",
            r":10: remedy.0: .*unknown field `mend`",
        ),
        ("id: b-problem", "id: a-problem", r":1: the id is 'b-problem'"),
        ("in: gpu,", "in: gpus,", r":5: The facts has no field 'gpu'|:5: Facts"),
        ("vendor: {is: intle}", "vendor: {is: intel}", r":7: .*never 'intle'; .*mean 'intel'\?"),
        ("vendor: {in: [amd, 5]}", "vendor: {is: intel}", r":7: .*never 5; it takes text"),
        ("vendor: {is: null}", "vendor: {is: intel}", r":7: .*never None; it takes text"),
        ("computes: {is: yes please}", "vendor: {is: intel}", r":7: .*takes true or false"),
        ("since: 0.1.0\nwhence: x", "since: 0.1.0", r":13: Object contains unknown field `whence`"),
        ("checkd:", "checked:", r":11: sources.0: Object contains unknown field `checkd`"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(
    tmp_path: Path, wrong: str, right: str, complaint: str
) -> None:
    path = _write(tmp_path, RULE.replace(right, wrong))
    with pytest.raises(ClprobeError, match=complaint):
        load_rule(path)


@pytest.mark.parametrize(
    ("remedy", "complaint", "hint"),
    [
        ("move_aside: {path: a, paht: b}", "remedy.0.move_aside: .*unknown field `paht`", "path"),
        ("find_owner: {pat: a}", "remedy.0.find_owner: .*unknown field `pat`", "path"),
        ("open_node: {path: a, what: use}", "remedy.0.open_node: .*unknown field `what`", "path"),
        ("open_node: {path: a}", "remedy.0.open_node: .*missing required field `mode`", "README"),
        (
            "open_node: {path: a, mode: null}",
            "open_node.mode: Expected `str`, got `null`",
            "README",
        ),
        ("hide_drivers: a", "remedy.0.hide_drivers: Expected `object", "README"),
        ("end_session: {text: a, keeper: tmx}", "Invalid enum value 'tmx'", "mean tmux"),
        ("ad_to_group: {user: a, group: b}", "unknown field `ad_to_group`", "add_to_group"),
    ],
)
def test_a_remedy_takes_what_its_action_takes_and_no_more(
    tmp_path: Path, remedy: str, complaint: str, hint: str
) -> None:
    path = _write(tmp_path, RULE.replace("manual: Plug it in.", remedy))
    with pytest.raises(ClprobeError, match=f":10: .*{complaint}") as raised:
        load_rule(path)
    assert hint in raised.value.hint


def test_an_action_with_one_argument_may_be_written_short(tmp_path: Path) -> None:
    short = "add_boot_parameter: x.y=1"
    long = "add_boot_parameter: {parameter: x.y=1}"
    one, other = (
        load_rule(_write(tmp_path, RULE.replace("manual: Plug it in.", written)))
        for written in (short, long)
    )
    assert one.actions == other.actions


def test_a_file_that_is_no_yaml_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ClprobeError, match=r"a-problem\.yaml:2: "):
        load_rule(_write(tmp_path, "id: x\n  y: [\n"))


def test_a_consequence_that_is_no_rule_is_refused(tmp_path: Path) -> None:
    _write(tmp_path, RULE + "explains: [nothing-known]\n")
    with pytest.raises(ClprobeError, match="explains 'nothing-known'"):
        load_rules(tmp_path)


def test_problems_that_explain_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    _write(tmp_path, RULE + "explains: [b-problem]\n")
    other = RULE.replace("id: a-problem", "id: b-problem") + "explains: [a-problem]\n"
    _write(tmp_path, other, "b-problem")
    with pytest.raises(ClprobeError, match="explains itself"):
        load_rules(tmp_path)
