# SPDX-License-Identifier: MIT
"""Runs printed scripts for real, in a copy of this system that is thrown away afterwards."""

import json

import pytest


def icds_before_and_after(copy, backend):
    """Return the ICDs with devices before and after the script for `backend` ran twice."""
    answer = copy.run(
        "clprobe doctor --json --exit-zero\n"
        f"clprobe install-plan --os debian-12 --backend {backend} --format sh > /plan.sh\n"
        "sh /plan.sh >&2\n"
        "sh /plan.sh >&2  # it may be run again\n"
        "echo =====; clprobe doctor --json --exit-zero\n",
        seconds=540,
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
def test_a_printed_script_really_makes_doctor_find_a_device(copy, backend, icd, platform):
    before, after = icds_before_and_after(copy, backend)
    assert icd not in before
    assert after.get(icd) == platform


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["compute-runtime", "rusticl"])
def test_the_scripts_for_gpus_run_through_twice_even_without_a_gpu(copy, backend):
    plan = "clprobe install-plan --gpu 'UHD 620' --os debian-12 --format sh --backend"
    answer = copy.run(
        f"{plan} {backend} > /plan.sh\nsh /plan.sh >&2; sh /plan.sh >&2; id -nG root\n",
        seconds=540,
    )
    assert "render" in answer.split()


@pytest.mark.root
def test_without_root_the_script_stops_before_its_first_step(copy):
    answer = copy.run(
        "clprobe install-plan --os debian-12 --backend pocl --format sh > /tmp/plan.sh\n"
        "if setpriv --reuid 65534 --clear-groups sh /tmp/plan.sh 2>&1; then exit 1; fi\n",
    )
    assert "run it as root" in answer


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "leaves"),
    [
        ("--backend pocl", "test -e /etc/OpenCL/vendors/pocl.icd"),
        ("--backend intel-cpu:pip", "test -e /etc/OpenCL/vendors/intel-cpu.icd"),
        (
            "--backend compute-runtime --gpu 'UHD 620'",
            "test -e /etc/OpenCL/vendors/intel.icd; id -nG person | grep -qw render",
        ),
        (
            "--backend rusticl --gpu 'UHD 620'",
            "test -e /etc/OpenCL/vendors/rusticl.icd; . /etc/profile.d/opencl-rusticl.sh; "
            'test "$RUSTICL_ENABLE" = iris',
        ),
    ],
)
def test_what_an_ordinary_user_pastes_does_the_steps(copy, options, leaves):
    copy.run(
        "set -e; debian; apt-get update; apt-get install --yes sudo\n"
        "useradd --create-home --shell /bin/bash person\n"
        "echo 'person ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/person\n"
        f"clprobe install-plan --os debian-12 {options} > /screen\n"
        # Notes follow the check, and their second lines are set in, too.
        "sed -n '/^  Check/q; s/^    //p' /screen > /pasted; grep -q '^sudo ' /pasted\n"
        # Asked whether to go on, a person says so.
        "yes | su - person -c 'bash -e /pasted'\n"
        f"{leaves}\n",
        seconds=540,
    )
