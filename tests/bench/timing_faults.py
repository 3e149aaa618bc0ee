# SPDX-License-Identifier: MIT
"""Timing faults that lying_driver.c plants in a real driver, and what bench must say of each.

test_timing_faults.py plants a few, tests/benchmarks/plant_timing_faults.py all of them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("lying_driver.c")
_LIMIT_SECONDS = 120
_STALE = "results stay what they were"
_WRONG = "results are (wrong|not numbers)"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, the workloads that it is planted beside, and a pattern of the reason for refusing.

    `is_clock`: kernel times alone are refused, for nothing else goes by the device's clock.
    """

    name: str
    says: str
    workloads: tuple[str, ...] = ("copy", "matmul")
    is_clock: bool = False


def _clock(name: str, says: str) -> Fault:
    return Fault(name, says, ("launch",), is_clock=True)


FAULTS = (
    _clock("clock-times-10", r"kernel times are refused.*counts"),
    _clock("clock-tenth", r"kernel times are refused.*counts"),
    _clock("clock-in-us", r"kernel times are refused.*counts"),
    _clock("clock-constant", r"kernel times are refused.*counts"),
    _clock("clock-drifts", r"kernel times are refused.*(counts|drifts)"),
    _clock("clock-backwards", r"kernel times are refused.*ended .* before it began"),
    _clock("clock-swapped", r"kernel times are refused.*began .* before it was enqueued"),
    _clock("clock-from-queued", r"kernel times are refused.*waiting are counted as"),
    _clock("frequency-times-10", "states a clock of .* MHz, which no processor has"),
    Fault("finish-early", "clFinish says that a kernel has ended .* it had not"),
    Fault("wait-early", "clWaitForEvents says that a kernel has ended .* it had not"),
    Fault("complete-early", "the state of an event says .* it had not"),
    Fault("lazy", "clFinish says that a kernel has ended .* it had not"),
    Fault("read-early", "after a write .* the read brings what was there before"),
    Fault("read-stale", "after a write .* the read brings what was there before"),
    Fault("write-left-out", "the write was left out"),
    Fault("copy-left-out", "the copy was left out"),
    Fault("copy-cached", "the copy was left out"),
    Fault("half-copy", "after a copy .* 50%"),
    Fault("fill-left-out", "the fill was left out"),
    Fault("launch-left-out", "the driver left it out"),
    Fault("half-global", "the driver left it out, in part or whole"),
    Fault("launch-left-out-but-of-the-trial", _WRONG),
    Fault("launch-once", f"{_STALE}|{_WRONG}"),
    Fault("launch-later", f"{_STALE}|{_WRONG}"),
    Fault("every-second-later", f"{_STALE}|{_WRONG}"),
    Fault("half-later", f"{_STALE}|{_WRONG}", ("conv", "train-mlp")),
    Fault("copy-later", f"{_STALE}|{_WRONG}"),
    Fault("half-copy-later", f"{_STALE}|{_WRONG}"),
    Fault("write-later", f"{_STALE}|{_WRONG}", ("copy", "conv")),
    Fault("merged", "others each time: what was timed was not computed each time", ("matmul",)),
    Fault("steps-left-out-later", f"after many steps|{_WRONG}", ("train-cnn",)),
)


def built(library: str, folder: Path) -> str:
    """Return the path of a driver that lies in front of that library."""
    target = folder / "libliar.so"
    compiler = shutil.which("cc") or "cc"
    command = [compiler, "-shared", "-fPIC", "-O1", f'-DREAL="{library}"', "-o", str(target)]
    subprocess.run([*command, str(SOURCE), "-ldl"], check=True, timeout=_LIMIT_SECONDS)
    return str(target)


def refusal(document: dict, status: int, fault: Fault) -> str:
    """Return the reason in a report of bench with which it refuses the fault; "": it does not."""
    device = document["results"][0]["device"] if document["results"] else ""
    if fault.is_clock:
        said = [one["detail"] for one in document["contestants"]]
        figures = [one["kernel_ms"] for one in document["results"] if one["device"] == device]
        if "frequency" not in fault.name and any(one is not None for one in figures):
            return ""
    else:
        said = [
            one["detail"]
            for one in document["results"]
            if one["device"] == device and one["median"] is None
        ]
    return next((one for one in said if status and re.search(fault.says, one, re.DOTALL)), "")


def bench(
    driver: str, fault: str, workloads: tuple[str, ...], *, niceness: int = 0
) -> tuple[int, dict]:
    """Run the whole program on the first device of a driver; return its status and its report."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "only.icd").write_text(f"{driver}\n")
        environment = {**os.environ, "OCL_ICD_VENDORS": f"{folder}/", "TIMING_FAULT": fault}
        environment.pop("OCL_ICD_FILENAMES", None)
        options = ("--quick", "--json", "--device", "0", "--baseline", "numpy")
        done = subprocess.run(
            [sys.executable, "-m", "clprobe", "bench", *options]
            + [f"--workload={one}" for one in workloads],
            env=environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
            preexec_fn=lambda: os.nice(niceness),
        )
        return done.returncode, json.loads(done.stdout)
