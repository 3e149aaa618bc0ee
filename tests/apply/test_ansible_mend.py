# SPDX-License-Identifier: MIT
"""The Ansible role mends a copy of this system once, says so beforehand, and it is taken back."""

import re
import shlex
import sys

import pytest
from ansible_runs import program
from root_copy import SOURCE

pytestmark = [
    pytest.mark.root,
    pytest.mark.slow,
    pytest.mark.skipif(program() is None, reason="needs ansible-core"),
]
VENDORS = "/etc/OpenCL/vendors"
_PREPARE = f"""\
apt-get install --yes pocl-opencl-icd >&2
echo /opt/nowhere/libnone.so > {VENDORS}/broken.icd
{sys.executable} {SOURCE}/.ci/single_file.py --here /clprobe.pyz
export ANSIBLE_HOME=/ansible ANSIBLE_COLLECTIONS_PATH=/collections ANSIBLE_NOCOLOR=1
ansible-galaxy collection install --offline -p /collections \
    {SOURCE}/clprobe/integrations/ansible >&2
on_this() {{
    tool="$1"; shift
    "$tool" -i localhost, -c local -e ansible_python_interpreter={shlex.quote(sys.executable)} "$@"
}}
mend() {{
    on_this ansible-playbook clprobe.opencl.mend \
        -e clprobe_become=false -e clprobe_file=/clprobe.pyz "$@" > /told || cat /told >&2
    grep '^localhost .*: ok=' /told
}}
undo_mend() {{
    on_this ansible localhost -m clprobe.opencl.fix -a 'file=/clprobe.pyz state=undone' >&2
}}
"""


def test_it_says_what_it_would_do_does_it_once_and_takes_it_back(copy):
    told = copy.run(
        f"{_PREPARE} mend --check; ls {VENDORS}/broken.icd\n"
        f"mend; ls {VENDORS}/broken.icd.disabled; mend\n"
        f"undo_mend; ls {VENDORS}/broken.icd\n",
        seconds=540,
    )
    lines = told.splitlines()
    recaps = [dict(re.findall(r"(\w+)=(\d+)", line)) for line in lines if "ok=" in line]
    assert [(one["changed"], one["failed"]) for one in recaps] == [
        ("1", "0"),
        ("1", "0"),
        ("0", "0"),
    ]
    assert [line for line in lines if "ok=" not in line] == [
        *(f"{VENDORS}/broken.icd", f"{VENDORS}/broken.icd.disabled", f"{VENDORS}/broken.icd"),
    ]
