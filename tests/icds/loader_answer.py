# SPDX-License-Identifier: MIT
"""What the probe's child learns of all drivers that the system's loader shows."""

import subprocess
import sys
from collections.abc import Mapping

from clprobe.model.opencl import Answer
from clprobe.probe.host import ChildResult
from clprobe.probe.opencl import opencl_worker
from clprobe.probe.opencl.enumeration import answer_of
from clprobe.probe.opencl.reports import read_reports
from clprobe.probe.scratch import ReportMemory


def live_answer(environment: Mapping[str, str], limit_s: int = 60) -> Answer:
    """Return what the child learns under these variables, without running a kernel."""
    memory = ReportMemory()
    report = memory.descriptor
    worker = [sys.executable, "-I", "-S", opencl_worker.__file__]
    try:
        ended = subprocess.run(
            [*worker, "loader", str(report), "no-kernels", "libOpenCL.so.1"],
            env=environment, capture_output=True, timeout=limit_s, check=False,
            pass_fds=(report,),
        )  # fmt: skip
    finally:
        reports, damage = read_reports(memory.take())
    kind = "signal" if ended.returncode < 0 else "exit"
    result = ChildResult(ended=kind, status=abs(ended.returncode), reports=reports, damage=damage)
    return answer_of(result, limit_s)
