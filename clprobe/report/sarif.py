# SPDX-License-Identifier: MIT
"""A diagnosis as SARIF 2.1.0, for tools that collect findings of many checkers.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0, sections 3.13 to 3.58.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from clprobe.model.finding import Diagnosis, Finding, Remedy
from clprobe.model.shell_words import command_line
from clprobe.report.as_json import json_text
from clprobe.report.doctor_words import headline
from clprobe.report.escaping import safe
from clprobe.ruleset.rule import Rule
from clprobe.version import __version__

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_COULD_NOT_FINISH = 3
_FACT = re.compile(r"\{([\w.]+)\}")
"""A fact in a rule's text; braces have a meaning of their own in SARIF (3.11.5)."""


def diagnosis_as_sarif(diagnosis: Diagnosis, rules: Sequence[Rule], *, exit_status: int) -> str:
    """Return one SARIF log with one run: all rules, and a result per finding."""
    places = {rule.id: index for index, rule in enumerate(rules)}
    return log_of(
        [_result(finding, places) for finding in diagnosis.findings],
        rules,
        exit_status=exit_status,
        properties={"status": diagnosis.status, "rootCause": diagnosis.root_cause},
    )


def log_of(
    results: Sequence[dict[str, Any]],
    rules: Sequence[Rule],
    *,
    exit_status: int,
    properties: dict[str, Any],
) -> str:
    """Return the log with one run that had these results."""
    run = {
        "tool": {
            "driver": {
                "name": "clprobe",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "invocations": [
            {"executionSuccessful": exit_status != _COULD_NOT_FINISH, "exitCode": exit_status}
        ],
        "results": list(results),
        "properties": properties,
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": _FACT.sub(r"<\1>", rule.because)},
        "help": {"text": f"clprobe explain {rule.id}"},
        "helpUri": next(
            (one.url for one in rule.sources if one.url.startswith("https:")),
            "https://registry.khronos.org/OpenCL/",
        ),
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"link": rule.link},
    }


def _result(finding: Finding, places: dict[str, int]) -> dict[str, Any]:
    is_present = finding.verdict == "present"
    result: dict[str, Any] = {
        "ruleId": finding.id,
        "kind": "fail" if is_present else "open",
        # The standard demands "none" for whatever is not a failure; the severity is a property.
        "level": finding.severity if is_present else "none",
        "message": {"text": _message(finding)},
        "locations": [location(finding.subject)],
        "properties": {
            "severity": finding.severity,
            "verdict": finding.verdict,
            "subject": safe(finding.subject),
            "causedBy": finding.caused_by,
            "evidence": [
                {"fact": one.fact, "value": one.value, "readFrom": one.read_from}
                for one in finding.evidence
            ],
            "remedies": [_remedy(remedy) for remedy in finding.remedies],
        },
    }
    if finding.id in places:
        result["ruleIndex"] = places[finding.id]
    return result


def _message(finding: Finding) -> str:
    return ". ".join(
        safe(text).rstrip(".") for text in (headline(finding), finding.because) if text
    )


def location(subject: str) -> dict[str, Any]:
    """Return the file that the finding is about; hardware and programs are logical locations."""
    if subject.startswith("/"):
        path = PurePosixPath(subject.encode("utf-8", "replace").decode("utf-8"))
        return {"physicalLocation": {"artifactLocation": {"uri": path.as_uri()}}}
    return {"logicalLocations": [{"fullyQualifiedName": safe(subject), "kind": "resource"}]}


def _remedy(remedy: Remedy) -> dict[str, Any]:
    return {
        "title": safe(remedy.title),
        "command": None if remedy.argv is None else safe(command_line(remedy.argv)),
        "needsRoot": remedy.needs_root,
        "takesEffect": remedy.takes_effect,
        "then": remedy.then,
    }
