# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - the code that checks rules takes longer to load than checked rules
"""The rules of the database, checked once and then kept."""

from pathlib import Path

from clprobe.derived import code_of, derived
from clprobe.resources import NO_RULES, rules_path
from clprobe.ruleset.rule import Rule

CHECKED_BY = ("ruleset", "facts", "compat", "commands", "knowledge", "model")
"""Where the code lies that makes rules of files; what it made is kept until that changes."""


def load_rules(root: Path | None = None) -> tuple[Rule, ...]:
    """Return every rule under `root`, by default the database, sorted by id.

    Raises: ClprobeError naming file and line of the first rule that is wrong.
    """
    if root is not None:
        return _checked_rules(root)
    return derived("rules", tuple[Rule, ...], made_from(), lambda: _checked_rules(rules_path()))


def made_from() -> tuple[Path, ...]:
    """Return what the rules of the database are made from, as `derived` takes it."""
    folders = (one for one in rules_path().glob("*/") if one.name not in NO_RULES)
    return (*folders, *code_of(*CHECKED_BY))


def _checked_rules(root: Path) -> tuple[Rule, ...]:
    from clprobe.ruleset.load import checked_rules

    return checked_rules(root)
