# SPDX-License-Identifier: MIT
"""What must hold of every log, whatever is broken: it and the diagnosis give one answer."""

from typing import Any

from clprobe.ruleset.rules import load_rules

_LINKS = {rule.id: rule.link for rule in load_rules()}


def ends_at_the_root_cause(report: dict[str, Any]) -> bool:
    """Tell whether the first "no" is the link of the root cause, and nothing before it fails.

    Where the report names no root cause, the log may end anywhere, but names none either.
    """
    log, cause = report["log"], report["root_cause"]
    first = next((step for step in log["steps"] if step["verdict"] == "no"), None)
    assert log["first_no"] == (first["id"] if first else None)
    if cause is None:
        return log["root_cause"] is None
    assert first is not None, cause
    assert cause in first["findings"], (cause, first)
    assert log["root_cause"] == cause
    return bool(first["link"] == _LINKS[cause])
