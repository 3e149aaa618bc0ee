# SPDX-License-Identifier: MIT
"""Whether an implementation builds any kernel for this processor; for .ci/wheel_pocl.py, too."""

import os
import subprocess
import sys
from collections.abc import Mapping

_TIMEOUT_S = 120
_BUILD = """
import pyopencl as cl
(device,) = cl.get_platforms()[0].get_devices()
cl.Program(cl.Context([device]), "kernel void nothing() { }").build(cache_dir=False)
"""


def why_nothing_builds(variables: Mapping[str, str]) -> str:
    """Return why the only device under these variables builds no kernel; "" if it builds one.

    In a process of its own, in which nobody names the processor as clprobe does.
    """
    done = subprocess.run(
        [sys.executable, "-c", _BUILD],
        env=os.environ | variables,
        check=False,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
    )
    return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else ""
