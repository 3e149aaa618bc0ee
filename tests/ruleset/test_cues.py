# SPDX-License-Identifier: MIT
"""Cues: which texts they fit, and that those of all rules are well formed."""

import pytest

from clprobe.ruleset.cues import Told, fits, parse_cue
from clprobe.ruleset.rules import load_rules

REPORT = Told(
    [
        "GPU is gone after Resuming from  sleep",
        "",
        "I use darktable.",
        "nvidia-smi works",
        "one",
        "two",
        "reboot helps",
    ]
)


@pytest.mark.parametrize(
    ("cue", "expected"),
    [
        ("resum & nvidia", True),
        ("resum from sleep", False),
        ("resuming from sleep & nvidia|amd", True),
        ("suspend|hibernat|resum & nvidia & !reboot", False),
        ("resum & nvidia & !nouveau|amdgpu", True),
        ("/ resum & nvidia-smi", True),
        ("/ resum & reboot", False),
        ("sum & nvidia", False),
        ("-smi", True),
    ],
)
def test_a_cue_fits_where_all_its_groups_do(cue: str, expected: bool) -> None:
    assert fits(parse_cue(cue), REPORT) is expected


@pytest.mark.parametrize("written", ["an RX470 here", "an RX-470 here", "an RX 470 here"])
def test_a_model_fits_however_people_write_its_name(written: str) -> None:
    assert fits(parse_cue("rx 470|rx 480 & here"), Told([written]))


@pytest.mark.parametrize(
    ("line", "expected"),
    [("it ends with -11 there", True), ("error:-11 ", True), ("on 2015-11-11 it ran", False)],
)
def test_a_negative_number_is_no_part_of_a_date(line: str, *, expected: bool) -> None:
    assert fits(parse_cue("-11 "), Told([line])) is expected


@pytest.mark.parametrize("cue", ["", "a & ", "a||b", "!a", "! & a"])
def test_a_cue_that_says_nothing_is_refused(cue: str) -> None:
    with pytest.raises(ValueError, match=r"empty term|nothing that stands"):
        parse_cue(cue)


def test_every_cue_of_every_rule_is_well_formed_and_asks_for_more_than_one_short_word() -> None:
    for rule in load_rules():
        for text in rule.cues:
            wanted = [group for group in parse_cue(text).groups if not group.absent]
            shortest = min(len(term) for group in wanted for term in group.terms)
            assert len(wanted) > 1 or shortest > 2, (rule.id, text)
