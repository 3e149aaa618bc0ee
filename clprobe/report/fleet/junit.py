# SPDX-License-Identifier: MIT
"""Many machines as JUnit XML: a test case per machine.

What is wrong fails its case, what could not be decided is skipped with the likeliest cause, and a
damaged snapshot is an error. Source: the schema junit-10.xsd of Jenkins' xUnit plugin.
"""

import xml.etree.ElementTree as ET

from clprobe.model.fleet import Fleet, Machine
from clprobe.report.junit import clean


def fleet_as_junit(fleet: Fleet, *, elapsed_ms: int) -> str:
    """Return the document."""
    damaged = [one for one in fleet.skipped if one.damaged]
    suite = ET.Element("testsuite", name="clprobe doctor")
    for machine in fleet.hosts:
        suite.append(_case(machine))
    for one in damaged:
        case = ET.SubElement(suite, "testcase", classname="clprobe.fleet", name=clean(one.name))
        ET.SubElement(case, "error", type="damaged", message=clean(one.why))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(fleet.hosts) + len(damaged)))
    suite.set("time", f"{elapsed_ms / 1000:.3f}")
    root = ET.Element("testsuites", name="clprobe")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _case(machine: Machine) -> ET.Element:
    case = ET.Element("testcase", classname="clprobe.fleet", name=clean(machine.name))
    told = clean(f"{machine.cause}: {machine.title}" if machine.cause else machine.status)
    if machine.worst == "error":
        failure = ET.SubElement(case, "failure", type="error", message=told)
        if machine.action is not None:
            failure.text = clean("\n".join(f"do: {step}" for step in machine.action.steps))
    elif machine.status == "undetermined":
        ET.SubElement(case, "skipped", type="undetermined", message=told)
    return case
