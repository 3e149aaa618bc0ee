# SPDX-License-Identifier: MIT
"""What follows from a problem, by what rules say that they explain."""

from collections.abc import Mapping

from clprobe.ruleset.rule import Rule


def consequences_of(rule_id: str, by_id: Mapping[str, Rule]) -> frozenset[str]:
    """Return the ids of everything that the rule explains, directly or through others."""
    found: set[str] = set()
    waiting = list(by_id[rule_id].explains)
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += by_id[current].explains
    return frozenset(found)


class Reach(dict[str, frozenset[str]]):
    """By rule, all that it explains; worked out for those alone that somebody asks for."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, rule_id: str) -> frozenset[str]:
        """Return it, and keep it."""
        self[rule_id] = consequences_of(rule_id, self._rules)
        return self[rule_id]
