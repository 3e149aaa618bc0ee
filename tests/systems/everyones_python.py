# SPDX-License-Identifier: MIT
"""Finds a Python with clprobe that any user of this machine may run.

The one of the tests often lies in a folder that is closed to others. `.ci/run` makes another.
"""

import os
import subprocess
import sys
from functools import cache

AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
             "env", "-u", "XDG_CACHE_HOME")  # fmt: skip
"""What runs a command as a stranger: env looks for the program after root's rights are gone,
which setpriv itself does before. The folder for caches of these tests is closed to strangers."""


@cache
def everyones_python() -> str | None:
    """Return its path; None without one, or if the tests do not run as root."""
    if os.geteuid() != 0:
        return None
    places = (sys.executable, os.environ.get("CLPROBE_PYTHON_FOR_ALL", ""), "/usr/bin/python3")
    for python in filter(None, places):
        command = [*AS_NOBODY, python, "-c", "import clprobe.probe.collect"]
        done = subprocess.run(command, cwd="/", capture_output=True, check=False, timeout=30)
        if done.returncode == 0:
            return python
    return None
