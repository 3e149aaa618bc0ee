# SPDX-License-Identifier: MIT
"""Users' nets: right devices are called right, and every fault of a kernel is caught."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from conftest import library_of_pocl
from net_faults import IN_NETS, Fault
from net_proofs import checked, user_net
from test_seeded_faults import pocl_device, skip_unless_run, spoiled

from clprobe.tensor import Device, Limits

pytestmark = pytest.mark.usefixtures("built_once")
PROGRAM = Path(__file__).with_name("prove_nets.py")


def test_pocl_computes_ordinary_nets_rightly(tmp_path: Path) -> None:
    assert wrong_on(library_of_pocl(), tmp_path, "Portable", "", "1,8,64") == "0 wrong"


def test_a_large_batch_with_many_close_decisions_is_no_fault(tmp_path: Path) -> None:
    library = library_of_pocl()

    said = wrong_on(library, tmp_path, "Portable", "normalised,pooled,perceptron", "512")

    assert said == "0 wrong"


@pytest.mark.parametrize(
    ("library", "platform"),
    [
        (Path(sys.prefix) / "lib" / "libintelocl.so", "Intel"),
        (Path("/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1"), "rusticl"),
    ],
    ids=["Intel", "llvmpipe"],
)
def test_other_right_devices_are_called_right(library: Path, platform: str, tmp_path: Path) -> None:
    if not library.exists():
        pytest.skip(f"{library} is not installed")

    said = wrong_on(library, tmp_path, platform, "normalised,pooled,residual", "8,64")

    assert said == "0 wrong"


@pytest.mark.parametrize("fault", IN_NETS, ids=lambda fault: f"{fault.file} {fault.wrong}")
def test_a_fault_is_caught_in_a_users_net_too(fault: Fault, tmp_path: Path) -> None:
    skip_unless_run(fault.file)
    cl_device = pocl_device()
    device = Device.open(
        cl_device,
        # As a GPU, a CPU runs the kernels of GPUs, which take long to build.
        limits=replace(Limits.of(cl_device), is_cpu=fault.is_cpu),
        kernels=spoiled(tmp_path, fault.file, fault.right, fault.wrong),
    )
    batches = (4, 16) if fault.is_cpu else (4,)

    proofs = [checked(device, user_net(fault.net), batch).proof for batch in batches]

    assert [one.holds for one in proofs] == [False] * len(proofs), proofs


def wrong_on(library: Path, folder: Path, platform: str, nets: str, batches: str) -> str:
    """Return the last line of prove_nets.py with one implementation."""
    (folder / "only.icd").write_text(f"{library}\n")
    done = subprocess.run(
        [sys.executable, PROGRAM, platform, nets, batches],
        env={
            **os.environ,
            "OCL_ICD_VENDORS": f"{folder}/",
            "RUSTICL_ENABLE": "llvmpipe",
            "PYTHONPATH": str(PROGRAM.parents[1] / "icds"),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.stderr.endswith("no such device\n"):
        pytest.skip(f"{library} shows no device here")
    lines = done.stdout.splitlines()
    return lines[-1] if lines[-1:] == ["0 wrong"] else f"{done.stdout}{done.stderr}"
