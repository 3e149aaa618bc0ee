# SPDX-License-Identifier: MIT
"""A finding is a consequence only of how to fix it."""

import pytest

from clprobe.ruleset.consequences import consequences_of
from clprobe.ruleset.rules import load_rules

RULES = {rule.id: rule for rule in load_rules()}


@pytest.mark.parametrize(
    ("cause", "own"),
    [
        ("no-loader", "no-gpu"),
        ("no-loader", "no-icd-registered"),
        ("only-private-loader", "no-icd-registered"),
        ("icd-library-missing", "no-gpu"),
        ("no-icd-registered", "no-gpu"),
    ],
)
def test_what_mends_the_cause_does_not_leave_the_consequence(cause: str, own: str) -> None:
    assert own not in consequences_of(cause, RULES)


def test_a_missing_gpu_follows_only_from_what_keeps_it_from_the_machine() -> None:
    behind = {name for name in RULES if "no-gpu" in consequences_of(name, RULES)}
    assert all(RULES[name].link in ("hardware", "linux-driver", "node") for name in behind), {
        name: RULES[name].link for name in behind
    }
