# SPDX-License-Identifier: MIT
"""A finding is a consequence only of what mends it."""

import pytest

from clprobe.engine.load import consequences_of, load_rules

RULES = {rule.id: rule for rule in load_rules()}


@pytest.mark.parametrize(
    ("cause", "own"),
    [
        ("no-loader", "no-gpu"),
        ("icd-library-missing", "no-gpu"),
        ("no-icd-registered", "no-gpu"),
    ],
)
def test_no_driver_and_no_loader_brings_a_gpu(cause: str, own: str) -> None:
    assert own not in consequences_of(cause, RULES)


def test_a_missing_gpu_follows_only_from_what_keeps_it_from_the_machine() -> None:
    behind = {name for name in RULES if "no-gpu" in consequences_of(name, RULES)}
    assert all(RULES[name].link in ("hardware", "linux-driver", "node") for name in behind), {
        name: RULES[name].link for name in behind
    }
