# SPDX-License-Identifier: MIT
"""No pattern is passed over that matches: the words are those of every match."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Not
from clprobe.ruleset.literals import can_match, words_of
from clprobe.ruleset.rules import load_rules


def _patterns(condition: Condition) -> set[str]:
    match condition:
        case Comparison():
            return {str(condition.operand)} if condition.operator == "matches" else set()
        case All() | AnyOf():
            return {one for part in condition.parts for one in _patterns(part)}
        case Not():
            return _patterns(condition.part)
        case _:
            return _patterns(condition.where)


PATTERNS = sorted({one for rule in load_rules() for one in _patterns(rule.when)})


@settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_what_a_pattern_of_a_rule_matches_is_searched(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(PATTERNS))
    text = data.draw(st.from_regex(pattern))
    for one in (text, text.upper(), text.lower()):
        assert can_match(words_of(pattern), one) or not re.search(pattern, one)


def test_nearly_every_pattern_of_the_rules_has_words() -> None:
    assert sum(words_of(one) is None for one in PATTERNS) < len(PATTERNS) / 10


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("No such file", {"no such file"}),
        ("(?i)segfault|Oops:", {"segfault", "oops:"}),
        ("no (such )?file", {"file"}),
        ("(?:abc)+x*", {"abc"}),
        ("(?:abc)*|xyz", None),
        ("(?!abc)de", None),
        (r"^\d+$", None),
        ("na\u00efve word", {"ve word"}),
    ],
)
def test_words_are_those_of_every_match(pattern: str, words: set[str] | None) -> None:
    assert words_of(pattern) == words


def test_letters_that_are_others_when_case_is_ignored_are_searched_for() -> None:
    pattern, text = "(?i)kernel", "\u212aernel"  # the sign of kelvin
    assert re.search(pattern, text)
    assert can_match(words_of(pattern), text)
