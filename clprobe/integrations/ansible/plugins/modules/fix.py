#!/usr/bin/python
# SPDX-License-Identifier: MIT
"""Does what a machine can about what clprobe finds wrong with OpenCL on a host."""

DOCUMENTATION = r"""
module: fix
short_description: Mend what a machine can about OpenCL, or take it back
description:
  - Copies the single file C(clprobe.pyz) to the host and runs C(clprobe doctor --fix --yes) there,
    which proves each step, keeps a journal on the host and looks again. It is run until it finds
    nothing more to do, so a second task changes nothing.
  - Where nothing can be mended, nothing is changed. What only a person can do is in RV(by_hand).
options:
  file:
    description:
      - C(clprobe.pyz) on the controller, looked for as M(ansible.builtin.copy) looks for its
        O(ignore:src).
    type: path
    required: true
  state:
    description:
      - V(fixed) does what can be done about the findings.
      - V(undone) takes back what C(clprobe doctor --fix) ever did here, if it can be.
    type: str
    choices: [fixed, undone]
    default: fixed
  limit:
    description: Seconds that each run may take, downloads and installations included.
    type: float
    default: 1800
attributes:
  check_mode:
    description: It says what it would do, and does nothing of it.
    support: partial
    details:
      - With O(state=fixed) the steps of the first run are listed in RV(said) and none is taken;
        where there are some, clprobe makes the empty folder of its journals. With O(state=undone)
        the task is skipped.
  diff_mode:
    description: There is no diff.
    support: none
requirements:
  - Python 3.10 or newer on the host, and nothing else
author:
  - The clprobe authors (!UNKNOWN)
notes:
  - Nearly all steps need root, so the task should say C(become).
"""

EXAMPLES = r"""
- name: Mend what a machine can
  clprobe.opencl.fix:
    file: clprobe.pyz
  become: true

- name: Take it back
  clprobe.opencl.fix:
    file: clprobe.pyz
    state: undone
  become: true
"""

RETURN = r"""
outcome:
  description: How it ended, such as V(applied), V(nothing-to-do) or V(undone).
  returned: success
  type: str
  sample: applied
steps:
  description: The steps with their commands and states.
  returned: success
  type: list
  elements: dict
  sample: [{"title": "Install pocl-opencl-icd", "state": "done"}]
errors:
  description: What clprobe finds at error level afterwards, by id and title.
  returned: success
  type: list
  elements: str
  sample: []
by_hand:
  description: What only a person can do about the findings.
  returned: success
  type: list
  elements: str
  sample: ["Log out and in again."]
said:
  description: What clprobe told meanwhile; in check mode, the steps that it would take.
  returned: success
  type: str
  sample: "Steps: ..."
runs:
  description: What each C(clprobe doctor --fix --json) prints, the journal's path among it.
  returned: success
  type: list
  elements: dict
  sample: [{"schema": "clprobe.apply/1", "outcome": "applied"}]
"""

import json
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.clprobe.opencl.plugins.module_utils.single_file import (
    Run,
    SingleFile,
    SingleFileError,
)

FINE = ("applied", "nothing-to-do", "undone", "nothing-to-undo")
CHANGED = ("applied", "undone")
MOST_RUNS = 20
"""Where each run finds something new to do, something is wrong with clprobe."""


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            "file": {"type": "path", "required": True},
            "state": {"type": "str", "choices": ["fixed", "undone"], "default": "fixed"},
            "limit": {"type": "float", "default": 1800.0},
        },
        supports_check_mode=True,
    )
    given = module.params
    if module.check_mode and given["state"] == "undone":
        module.exit_json(skipped=True, msg="what would be taken back is not known in check mode")
    try:
        clprobe = SingleFile(given["file"], module.tmpdir, given["limit"])
        runs = runs_of(clprobe, given["state"], is_check=module.check_mode)
    except SingleFileError as error:
        module.fail_json(msg=str(error))
    told = results(runs)
    outcome = told["outcome"]
    would_act = module.check_mode and outcome == "declined"
    changed = would_act or any(
        report["outcome"] in CHANGED or any(step["state"] == "done" for step in report["steps"])
        for report in told["runs"]
    )
    if would_act or outcome in FINE:
        module.exit_json(changed=changed, **told)
    module.fail_json(msg=reason(told["runs"][-1]), changed=changed, **told)


def runs_of(clprobe: SingleFile, state: str, *, is_check: bool) -> "list[Run]":
    """Return the runs of clprobe that it takes until there is nothing more to do.

    One that puts a broken driver aside leaves a host without any, for which the next one knows a
    remedy; an undo takes back one run.
    """
    act, last = ("--fix", "applied") if state == "fixed" else ("--undo", "undone")
    # Without --yes it asks, and nobody is there to answer.
    agreed = () if is_check else ("--yes",)
    runs: list[Run] = []
    while len(runs) < MOST_RUNS:
        runs.append(clprobe.run("doctor", act, *agreed, "--json"))
        report = report_of(runs[-1])
        is_mended = state == "fixed" and not (report["after"] or {}).get("errors")
        if report["outcome"] != last or is_mended:
            break
    return runs


def report_of(run: Run) -> "dict[str, Any]":
    """Return the document that a run printed.

    Raises: SingleFileError if it printed none.
    """
    try:
        report: dict[str, Any] = json.loads(run.output)
    except ValueError:
        raise SingleFileError(f"clprobe ended with {run.status}: {run.errors}") from None
    return report


def results(runs: "list[Run]") -> "dict[str, Any]":
    """Return what is told of them all; how it ended is what the last one says."""
    reports = [report_of(run) for run in runs]
    acted = [report for report in reports if report["outcome"] in CHANGED]
    ended = reports[-1]
    return {
        "outcome": (acted[-1] if acted and ended["outcome"] in FINE else ended)["outcome"],
        "steps": [step for report in reports for step in report["steps"]],
        "errors": (ended["after"] or {"errors": []})["errors"],
        "by_hand": ended["by_hand"],
        "said": "".join(run.errors for run in runs),
        "runs": reports,
    }


def reason(report: "dict[str, Any]") -> str:
    """Return why it did not end well."""
    if report["outcome"] == "needs-root":
        return "The steps need root: let the task say become."
    problem = report["problem"]
    if problem is None:
        return f"clprobe doctor ended as {report['outcome']}."
    return " ".join(part for part in (problem["message"], problem["hint"]) if part)


if __name__ == "__main__":
    main()
