# SPDX-License-Identifier: MIT
"""Sets the PoCL in pyopencl's wheel aside where it builds no kernel for this processor.

    .venv/bin/python .ci/wheel_pocl.py

Its LLVM 14 does not know AMD's processors from Zen 5 on. doctor calls that an error, rightly, and
tests that ask for a healthy machine fail; with Debian's PoCL installed nothing needs the other one.
What tests of README's command meet on such a processor they meet before, on a bare Debian.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "icds"))

from building import why_nothing_builds
from implementations import only, wheels_pocl


def main() -> None:
    """Look whether it builds, and rename its .icd file if not."""
    pocl = wheels_pocl()
    if pocl is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        why = why_nothing_builds(only(pocl, Path(folder)))
    icd = pocl.with_name("pocl.icd")
    if why and icd.exists():
        icd.rename(icd.with_suffix(".icd.aside"))
        print(f"{icd} set aside: {why}")  # noqa: T201 - for the log


if __name__ == "__main__":
    main()
