# SPDX-License-Identifier: MIT
"""Runs a printed script for real, in a copy of this system that is thrown away afterwards."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import distro
import pytest

# Everything is written to memory, on top of this system's files; the mounts end with the process.
_IN_A_COPY = """\
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/changed" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changed,workdir=$1/work" "$1/root"
for folder in proc sys dev; do mount --rbind "/$folder" "$1/root/$folder"; done
exec chroot "$1/root" sh -eu -c "$2"
"""
_UNPREPARED = 75
_PREPARE = f"""\
{{
    apt-get update && apt-get purge --yes pocl-opencl-icd libpocl2 && apt-get clean
}} >&2 || exit {_UNPREPARED}
test ! -e /etc/OpenCL/vendors/pocl.icd
"""


def in_a_copy(folder: Path, commands: str) -> str:
    """Return what the commands print, as root of a copy of this system."""
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", _IN_A_COPY, "sh", str(folder), commands],
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
        cwd="/",
        # clprobe as a user has it: on the PATH.
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    if done.returncode == _UNPREPARED:
        pytest.skip("apt cannot reach its archive")
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture
def folder(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root, to install packages in a copy of this system")
    if (distro.id(), distro.major_version()) != ("debian", "12"):
        pytest.skip("is about Debian 12")
    clprobe = Path(sys.executable).parent / "clprobe"
    if shutil.which("unshare") is None or not clprobe.exists():
        pytest.skip("needs unshare and an installed clprobe")
    probe = subprocess.run(
        ["unshare", "--mount", "sh", "-c", _IN_A_COPY, "sh", str(tmp_path), "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    if probe.returncode != 0:
        pytest.skip(f"no overlay here: {probe.stderr.strip()[-200:]}")
    return tmp_path


def icds_before_and_after(folder, backend):
    """Return the ICDs with devices before and after the script for `backend` ran twice."""
    answer = in_a_copy(
        folder,
        _PREPARE
        + "clprobe doctor --json --exit-zero\n"
        + f"clprobe install-plan --os debian-12 --backend {backend} --format sh > /plan.sh\n"
        + "sh /plan.sh >&2\n"
        + "sh /plan.sh >&2  # it may be run again\n"
        + "echo =====; clprobe doctor --json --exit-zero\n",
    )
    before, after = (json.loads(text)["devices"] for text in answer.split("====="))
    # By ICD file: a PoCL wheel in the virtual environment offers the same platform.
    return {d["icd"]: d["platform"] for d in before}, {d["icd"]: d["platform"] for d in after}


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "icd", "platform"),
    [
        ("pocl", "/etc/OpenCL/vendors/pocl.icd", "Portable Computing Language"),
        ("intel-cpu", "/etc/OpenCL/vendors/intel-cpu.icd", "Intel(R) OpenCL"),
    ],
)
def test_a_printed_script_really_makes_doctor_find_a_device(folder, backend, icd, platform):
    before, after = icds_before_and_after(folder, backend)
    assert icd not in before
    assert after.get(icd) == platform


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["compute-runtime", "rusticl"])
def test_the_scripts_for_gpus_run_through_twice_even_without_a_gpu(folder, backend):
    plan = "clprobe install-plan --gpu 'UHD 620' --os debian-12 --format sh --backend"
    answer = in_a_copy(
        folder,
        _PREPARE
        + f"{plan} {backend} > /plan.sh\n"
        + "sh /plan.sh >&2; sh /plan.sh >&2; id -nG root\n",
    )
    assert "render" in answer.split()


@pytest.mark.root
def test_without_root_the_script_stops_before_its_first_step(folder):
    answer = in_a_copy(
        folder,
        "clprobe install-plan --os debian-12 --backend pocl --format sh > /tmp/plan.sh\n"
        "if setpriv --reuid 65534 --clear-groups sh /tmp/plan.sh 2>&1; then exit 1; fi\n",
    )
    assert "run it as root" in answer
