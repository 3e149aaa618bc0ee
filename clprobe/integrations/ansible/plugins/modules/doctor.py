#!/usr/bin/python
# SPDX-License-Identifier: MIT
"""Returns the facts about OpenCL on a host, and what clprobe finds wrong."""

DOCUMENTATION = r"""
module: doctor
short_description: Say why OpenCL devices are missing, and return the facts
description:
  - Copies the single file C(clprobe.pyz) to the host, runs it there and returns the snapshot, which
    holds facts only, and what C(clprobe doctor) makes of it.
  - It changes nothing. The file, what it unpacks and the kernels that drivers compile lie in
    Ansible's temporary folder and go with it.
  - Problems with OpenCL are no failure of the task; see RV(report) for them.
  - Each driver is asked in a process of its own with a time limit, so one that crashes or hangs is
    a finding. Where the host itself hangs, only the task's keyword C(timeout) helps.
options:
  file:
    description:
      - C(clprobe.pyz) on the controller, looked for as M(ansible.builtin.copy) looks for its
        O(ignore:src).
    type: path
    required: true
  kernels:
    description: Build and run a small kernel on each device.
    type: bool
    default: true
  limit:
    description: Seconds that each of the two runs of clprobe may take.
    type: float
    default: 120
attributes:
  check_mode:
    description: It does the same in check mode.
    support: full
  diff_mode:
    description: There is nothing to compare.
    support: none
requirements:
  - Python 3.10 or newer on the host, and nothing else
author:
  - The clprobe authors (!UNKNOWN)
notes:
  - Permissions are those of the user that the task becomes; root finds every node open.
"""

EXAMPLES = r"""
- name: Ask what is wrong with OpenCL
  clprobe.opencl.doctor:
    file: clprobe.pyz
  register: opencl
  timeout: 180

- name: Stop where no device works
  ansible.builtin.assert:
    that: opencl.report.status in ["healthy", "cpu-only"]
    fail_msg: "{{ opencl.report.root_cause }}"
"""

RETURN = r"""
snapshot:
  description: The facts, scrubbed of names and addresses; C(clprobe doctor FOLDER) sums up many.
  returned: success
  type: dict
  sample: {"schema": "clprobe.snapshot/1"}
report:
  description:
    - What C(clprobe doctor --json) prints, among it RV(ignore:status), RV(ignore:root_cause),
      RV(ignore:findings), RV(ignore:drivers) and RV(ignore:devices).
  returned: success
  type: dict
  sample: {"schema": "clprobe.doctor/1", "status": "problems", "root_cause": "icd-library-missing"}
"""

import json
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.clprobe.opencl.plugins.module_utils.single_file import (
    SingleFile,
    SingleFileError,
)


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            "file": {"type": "path", "required": True},
            "kernels": {"type": "bool", "default": True},
            "limit": {"type": "float", "default": 120.0},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(changed=False, **looked_at(module))
    except SingleFileError as error:
        module.fail_json(msg=str(error))


def looked_at(module: AnsibleModule) -> "dict[str, Any]":
    """Return the snapshot and what doctor finds in it."""
    given = module.params
    clprobe = SingleFile(given["file"], module.tmpdir, given["limit"])
    taken = clprobe.run("snapshot", *(() if given["kernels"] else ("--no-kernel",)))
    if taken.status != 0:
        raise SingleFileError(f"clprobe snapshot ended with {taken.status}: {taken.errors}")
    kept = Path(module.tmpdir, "snapshot.json")
    kept.write_text(taken.output, encoding="utf-8")
    found = clprobe.run("doctor", "--json", "--exit-zero", "--from", str(kept))
    if found.status != 0:
        raise SingleFileError(f"clprobe doctor ended with {found.status}: {found.errors}")
    return {"snapshot": json.loads(taken.output), "report": json.loads(found.output)}


if __name__ == "__main__":
    main()
