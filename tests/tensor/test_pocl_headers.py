# SPDX-License-Identifier: MIT
"""What PoCL makes of a kernel behind a few declarations is what it makes behind all of them."""

import os
import subprocess
import sys
from pathlib import Path

import devices
import pytest
from pocl_headers import folder_of

# In a process of its own: PoCL learns only as it starts where it may keep code.
PROGRAM = """
import sys
import pyopencl as cl
from pocl_headers import GUARD, with_declarations
from clprobe.tensor.pocl_target import name_target_cpu
from clprobe.tensor.program import read_with_includes
from clprobe.resources import kernels_path

index, is_quick, file = int(sys.argv[1]), sys.argv[2] == "quick", sys.argv[3]
device = [one for platform in cl.get_platforms() for one in platform.get_devices()][index]
name_target_cpu(device)
source = read_with_includes(kernels_path(), file)
options = ["-cl-std=CL1.2", *sys.argv[4:]]
if is_quick:
    source, options = with_declarations(device, source, options), [*options, GUARD]
built = cl.Program(cl.Context([device]), source).build(options, cache_dir=False)
built.get_info(cl.program_info.BINARIES)
"""
"""Asked for binaries, PoCL compiles every kernel of the program and keeps the machine code."""
POCL = [index for index, one in enumerate(devices.visible()) if folder_of(one) is not None]
FILES = ("softmax/softmax.cl",)


def machine_code(index: int, how: str, file: str, folder: Path) -> dict[str, bytes]:
    """Return the code of each kernel, by its name."""
    here = Path(__file__).resolve().parents[1]
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(index), how, file],
        env=os.environ | {"POCL_CACHE_DIR": str(folder), "PYTHONPATH": f"{here}/icds"},
        check=True,
        timeout=300,
    )
    made = {}
    for library in folder.rglob("*.so"):
        code = library.with_suffix(".text")
        command = ["objcopy", "--only-section=.text", "--output-target=binary", library, code]
        subprocess.run(command, check=True, timeout=60)
        made[f"{library.parent.name}/{library.stem}"] = code.read_bytes()
    return made


@pytest.mark.parametrize("index", POCL)
@pytest.mark.parametrize("file", FILES)
def test_the_machine_code_is_the_same(index: int, file: str, tmp_path: Path) -> None:
    quick, full = (machine_code(index, how, file, tmp_path / how) for how in ("quick", "full"))
    assert quick
    assert quick == full
