# SPDX-License-Identifier: MIT
"""What a reporter's own words hold of rules: their cues, and what they want programs to have said.

A rule's condition sees what the reader takes for output of programs. Here all that was written
counts, also what stands in a sentence: it ranks the rule and decides nothing.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Quantified
from clprobe.ruleset.cues import Cue, Told, fits, parse_cue
from clprobe.ruleset.literals import can_match
from clprobe.ruleset.rule import Rule


class Worded(msgspec.Struct, frozen=True):
    """Cues and patterns of all rules, ready to be looked for; plain data, to be kept."""

    cues: tuple[tuple[str, Cue], ...]
    patterns: tuple[tuple[str, Comparison], ...]

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> "Worded":
        """Return those of rules."""
        return cls(
            cues=tuple((rule.id, parse_cue(text)) for rule in rules for text in rule.cues),
            patterns=tuple((rule.id, test) for rule in rules for test in _wanted(rule.when)),
        )

    def cues_in(self, told: Told) -> dict[str, int]:
        """Return by rule how many of its cues fit, of those of which any does."""
        found = dict[str, int]()
        for rule_id, cue in self.cues:
            if fits(cue, told):
                found[rule_id] = found.get(rule_id, 0) + 1
        return found

    def quoted_in(self, lines: Sequence[str]) -> frozenset[str]:
        """Return the rules of which a wanted pattern stands in the lines."""
        text = "\n".join(lines)
        return frozenset(
            rule_id
            for rule_id, test in self.patterns
            if can_match(test.words, text) and re.search(str(test.operand), text)
        )


def _wanted(condition: Condition) -> Iterator[Comparison]:
    """Give each test that something said matches; what must not be said is left out."""
    match condition:
        case Comparison(path="said", operator="matches", operand=str()):
            yield condition
        case All() | AnyOf():
            for part in condition.parts:
                yield from _wanted(part)
        case Quantified() if condition.kind != "none":
            yield from _wanted(condition.where)
        case _:
            pass
