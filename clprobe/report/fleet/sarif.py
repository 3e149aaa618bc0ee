# SPDX-License-Identifier: MIT
"""Many machines as SARIF 2.1.0: a result per machine that has a cause, at its snapshot's file.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0, sections 3.13 to 3.58.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from clprobe.model.fleet import Fleet, Machine
from clprobe.report.escaping import safe
from clprobe.report.sarif import location, log_of
from clprobe.ruleset.rule import Rule


def fleet_as_sarif(fleet: Fleet, rules: Sequence[Rule], *, exit_status: int) -> str:
    """Return one SARIF log with one run: all rules, and a result per machine with a cause."""
    places = {rule.id: index for index, rule in enumerate(rules)}
    results = [_result(one, fleet.folder, places) for one in fleet.hosts if one.cause is not None]
    properties = {
        "machines": fleet.machines,
        "statuses": fleet.statuses,
        "skipped": [safe(one.name) for one in fleet.skipped],
    }
    return log_of(results, rules, exit_status=exit_status, properties=properties)


def _result(machine: Machine, folder: str, places: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": machine.cause,
        "kind": "open" if machine.suspected else "fail",
        "level": "none" if machine.suspected else machine.worst or "none",
        "message": {"text": safe(machine.title or machine.status)},
        "locations": [location(str(PurePosixPath(folder, machine.name)))],
        "properties": {
            "machine": safe(machine.name),
            "status": machine.status,
            "action": [safe(step) for step in machine.action.steps] if machine.action else [],
        },
    }
    if machine.cause in places:
        result["ruleIndex"] = places[machine.cause]
    return result
