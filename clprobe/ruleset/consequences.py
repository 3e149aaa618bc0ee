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
