# SPDX-License-Identifier: MIT
"""Sets the PoCL in pyopencl's wheel aside where it builds no kernel for this processor.

    .venv/bin/python .ci/wheel_pocl.py

Its LLVM 14 does not know AMD's processors from Zen 5 on. doctor calls that an error, rightly, and
tests that ask for a healthy machine fail; with Debian's PoCL installed nothing needs the other one.
What tests of README's command meet on such a processor they meet before, on a bare Debian.
"""

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

BUILD = """
import pyopencl as cl
(device,) = cl.get_platforms()[0].get_devices()
cl.Program(cl.Context([device]), "kernel void nothing() { }").build(cache_dir=False)
"""
TIMEOUT_S = 120


def main() -> None:
    """Look whether it builds, and rename its .icd file if not."""
    spec = find_spec("pyopencl")
    if spec is None or spec.origin is None:
        sys.exit("pyopencl is not installed")
    icd = Path(spec.origin).parent / ".libs" / "pocl.icd"
    if not icd.exists():
        return
    with tempfile.TemporaryDirectory() as vendors:
        Path(vendors, "pocl.icd").write_text(f"{icd.with_name(icd.read_text().strip())}\n")
        done = subprocess.run(
            [sys.executable, "-c", BUILD],
            env=os.environ | {"OCL_ICD_VENDORS": vendors},
            check=False,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
    if done.returncode:
        icd.rename(icd.with_suffix(".icd.aside"))
        said = done.stderr.strip().splitlines()[-1:]
        print(f"{icd.name} of the wheel set aside:", *said)  # noqa: T201 - for the log


if __name__ == "__main__":
    main()
