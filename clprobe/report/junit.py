# SPDX-License-Identifier: MIT
"""A diagnosis as JUnit XML, for continuous integration: one test case per rule.

A present error fails its case; warnings and notes pass with their text as output; what could not
be decided is skipped with the reason; a check that crashed is an error.
Source: the schema junit-10.xsd of Jenkins' xUnit plugin.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from clprobe.model.finding import Diagnosis, Finding
from clprobe.model.shell_words import command_line
from clprobe.report.doctor_words import headline
from clprobe.report.escaping import safe
from clprobe.ruleset.rule import Rule

# What XML 1.0 cannot hold (section 2.2), beyond what `safe` has escaped already.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def diagnosis_as_junit(diagnosis: Diagnosis, rules: Sequence[Rule], *, elapsed_ms: int) -> str:
    """Return the document; a rule with several findings has one case that tells them all."""
    by_rule: dict[str, list[Finding]] = {rule.id: [] for rule in rules}
    for finding in diagnosis.findings:
        by_rule.setdefault(finding.id, []).append(finding)
    topics = {rule.id: rule.topic for rule in rules}
    suite = ET.Element("testsuite", name="clprobe doctor")
    # First of all, says the schema: a run without failures may still have met no GPU.
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", name="status", value=diagnosis.status)
    for rule_id, findings in by_rule.items():
        suite.append(_case(rule_id, topics.get(rule_id, "other"), findings))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(by_rule)))
    suite.set("time", f"{elapsed_ms / 1000:.3f}")
    root = ET.Element("testsuites", name="clprobe")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _case(rule_id: str, topic: str, findings: list[Finding]) -> ET.Element:
    case = ET.Element("testcase", classname=f"clprobe.{topic}", name=rule_id)
    crashed = [one for one in findings if one.check_failed]
    failed = [one for one in findings if _is_failure(one)]
    told = [one for one in findings if one.verdict == "present" and one not in failed]
    doubted = [one for one in findings if one.verdict != "present" and one not in crashed]
    for tag, some in (("failure", failed), ("error", crashed)):
        if some:
            _outcome(case, tag, some)
    if doubted and not failed and not crashed:
        _outcome(case, "skipped", doubted)
    if told:
        ET.SubElement(case, "system-out").text = _details(told)
    return case


def _is_failure(finding: Finding) -> bool:
    return finding.verdict == "present" and finding.severity == "error"


def _outcome(case: ET.Element, tag: str, findings: list[Finding]) -> None:
    kind = findings[0].severity if tag == "failure" else findings[0].verdict
    message = "; ".join(clean(headline(one)) for one in findings)
    ET.SubElement(case, tag, type=kind, message=message).text = _details(findings)


def _details(findings: list[Finding]) -> str:
    return "\n\n".join(clean("\n".join(_lines(one))) for one in findings)


def _lines(finding: Finding) -> list[str]:
    lines = [f"{finding.severity}: {headline(finding)}", f"subject: {finding.subject}"]
    if finding.because:
        lines.append(f"because: {finding.because}")
    if finding.caused_by:
        lines.append(f"caused by: {finding.caused_by}")
    for remedy in finding.remedies:
        command = f": {command_line(remedy.argv)}" if remedy.argv is not None else ""
        lines.append(f"{'then' if remedy.then else 'do'}: {remedy.title}{command}")
    return [*lines, f"more: clprobe explain {finding.id}"]


def clean(text: str) -> str:
    """Return text that XML can hold."""
    return _NOT_IN_XML.sub("\ufffd", safe(text))
