# SPDX-License-Identifier: MIT
"""The step that brings the linker which PoCL's wheel calls, or proves that there is one."""

from clprobe.commands.commands import step
from clprobe.compat.packages import tool_chain
from clprobe.install.machine import Machine
from clprobe.install.steps import install
from clprobe.model.action import Check
from clprobe.model.plan import Step

_LINKS = (
    "import shutil, subprocess, sys, tempfile; "
    'shutil.which("cc") or sys.exit("no C compiler"); folder = tempfile.TemporaryDirectory(); '
    'out = folder.name + "/a.so"; '
    'sys.exit(subprocess.call(["cc", "-shared", "-x", "c", "-o", out, "/dev/null"]))'
)


def brings_linker(machine: Machine) -> bool:
    """Whether a plan may and can install a C tool chain there."""
    known = machine.distribution is not None and bool(tool_chain(machine.distribution.id))
    return known and machine.wishes.root


def linker(machine: Machine) -> Step:
    """Return the step that brings what PoCL's wheel links kernels with, or checks for it."""
    if machine.distribution is not None and brings_linker(machine):
        title = "Install the linker that PoCL calls"
        return install(machine.distribution, title, tool_chain(machine.distribution.id))
    return step("Check that a C compiler can link", Check(argv=("python3", "-c", _LINKS)))
