# SPDX-License-Identifier: MIT
"""Real drivers on GPUs that are not there list them and compute nothing: no such GPU is healthy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from debian_archive import Archive, SuiteUnreachableError
from emulated_neo import at_home_in, installed
from mesa_shims import ShimmedMesa

pytestmark = pytest.mark.reality
_SECONDS = 60


@pytest.fixture(scope="module")
def trixie(archive: Archive) -> ShimmedMesa:
    try:
        return ShimmedMesa(archive, "trixie", with_clprobe=True)
    except SuiteUnreachableError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("chip", ["polaris10", "navi21"])
def test_doctor_finds_that_mesa_computes_nothing_on_a_gpu_of_amd(
    trixie: ShimmedMesa, chip: str
) -> None:
    report = trixie.doctor("amdgpu", {"AMDGPU_GPU_ID": chip, "RUSTICL_ENABLE": "radeonsi"})
    kernels = {one["platform"]: one["kernel"] for one in report["devices"]}
    assert kernels == {"Clover": "wrong", "rusticl": "wrong"}
    assert (report["status"], report["root_cause"]) == ("problems", "device-computes-wrong")


def test_doctor_finds_that_intels_driver_computes_nothing_without_a_gpu(tmp_path: Path) -> None:
    driver = installed()
    if driver is None:
        pytest.skip("needs Debian's intel-opencl-icd")
    (tmp_path / "intel.icd").write_text(f"{driver.library}\n")
    emulation = {
        "NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1", "ProductFamilyOverride": "skl",
    }  # fmt: skip
    variables = {**os.environ, **at_home_in(tmp_path), **emulation}
    # The second run meets the build of the first one: it computes as little.
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-m", "clprobe", "doctor", "--json", "--timeout", str(_SECONDS)],
            env={**variables, "OCL_ICD_VENDORS": f"{tmp_path}/"},
            capture_output=True, text=True, timeout=2 * _SECONDS, check=False,
        )  # fmt: skip
        report = json.loads(done.stdout)
        icd = str(tmp_path / "intel.icd")
        assert [one["kernel"] for one in report["devices"] if one["icd"] == icd] == ["wrong"]
        assert report["status"] == "problems"
