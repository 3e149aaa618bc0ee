# SPDX-License-Identifier: MIT
"""Routes carried out and taken back for real, in copies of this system."""

import json

import pytest

pytestmark = [pytest.mark.root, pytest.mark.slow]
POCL = "/etc/OpenCL/vendors/pocl.icd"


def sections(text):
    return [part.strip() for part in text.split("=====\n")]


def test_after_apply_the_device_is_there_and_after_undo_the_package_list_is_as_before(copy):
    applied, again, undone, nothing, difference = sections(
        copy.run(
            "apply --json; echo =====; apply --json; echo =====\n"
            "undo --json; echo =====; undo --json; echo =====\n"
            "packages > /after; diff /before /after; echo equal\n"
        )
    )
    applied, again, undone, nothing = map(json.loads, (applied, again, undone, nothing))
    assert (applied["schema"], applied["outcome"]) == ("clprobe.apply/1", "applied")
    assert [step["state"] for step in applied["steps"]] == ["done"] * 3
    assert {one.split()[0] for one in applied["packages"]["added"]} == {
        *("pocl-opencl-icd", "libpocl2", "libpocl2-common"),
    }
    assert POCL not in {device["icd"] for device in applied["before"]["devices"]}
    assert POCL in {device["icd"] for device in applied["after"]["devices"]}
    # The second run finds all of it done, and runs nothing again.
    assert again["outcome"] == "applied"
    assert [s["started"] for s in again["steps"]] == [s["started"] for s in applied["steps"]]
    assert (undone["outcome"], undone["differences"]) == ("undone", [])
    assert nothing["outcome"] == "nothing-to-undo"
    assert difference == "equal"


def test_a_package_that_the_person_marks_anew_by_installing_gets_its_mark_back(copy):
    answer = copy.run(
        "apt-mark auto ocl-icd-libopencl1 >&2; packages > /before\n"
        "apply >&2; apt-mark showmanual ocl-icd-libopencl1; undo >&2\n"
        "packages > /after; diff /before /after; echo equal\n"
    )
    assert answer.split() == ["ocl-icd-libopencl1", "equal"]


def test_files_environments_and_marks_of_the_intel_route_are_taken_back(copy):
    answer = copy.run(
        "rm -rf /etc/OpenCL/vendors/intel-cpu.icd /opt/intel-opencl-cpu\n"
        "mkdir -p /etc/OpenCL/vendors; echo old > /etc/OpenCL/vendors/intel-cpu.icd\n"
        "chmod 640 /etc/OpenCL/vendors/intel-cpu.icd; packages > /before\n"
        "clprobe install-plan --apply --yes --backend intel-cpu --json\n"
        "test -e /opt/intel-opencl-cpu/lib/libintelocl.so; undo >&2\n"
        "test ! -e /opt/intel-opencl-cpu\n"
        'test "$(stat -c %a /etc/OpenCL/vendors/intel-cpu.icd)" = 640\n'
        'test "$(cat /etc/OpenCL/vendors/intel-cpu.icd)" = old\n'
        "packages > /after; diff /before /after >&2\n"
    )
    report = json.loads(answer)
    assert report["outcome"] == "applied"
    icds = {device["icd"] for device in report["after"]["devices"]}
    assert "/etc/OpenCL/vendors/intel-cpu.icd" in icds


def test_undo_refuses_to_remove_what_something_newer_needs_and_says_what(copy):
    answer = copy.run(
        "apply >&2\n"
        "mkdir -p /p/DEBIAN; printf 'Package: needs-pocl\\nVersion: 1\\nArchitecture: all\\n"
        "Maintainer: nobody <nobody@example.org>\\nDepends: libpocl2\\nDescription: none\\n'"
        " > /p/DEBIAN/control; dpkg-deb --build /p /p.deb >&2; dpkg -i /p.deb >&2\n"
        "undo --json || echo $?\n"
        "dpkg -P needs-pocl >&2; undo >&2; packages > /after; diff /before /after; echo equal\n"
    )
    document, _, rest = answer.rpartition("}\n")
    report = json.loads(document + "}")
    assert (report["outcome"], report["problem"]["reference"]) == (
        *("partly-undone", "undo-would-harm"),
    )
    assert "needs-pocl depends on libpocl2" in report["problem"]["message"]
    assert rest.split() == ["3", "equal"]


def test_an_upgrade_that_a_step_needed_is_turned_back_to_the_former_version(copy):
    # libssl-dev brings libssl3 up to date, whose former version is in the archive no more or is.
    answer = copy.run(
        "dpkg-query --show --showformat '${Version}\\n' openssl\n"
        "apt-cache madison openssl | cut -d'|' -f2\n"
    ).split()
    installed, offered = answer[0], answer[1:]
    if len(set(offered)) < 2:
        pytest.skip("the archive has one version only")
    assert installed


def test_one_who_is_asked_and_says_no_finds_nothing_changed(copy):
    answer = copy.run(
        "echo n | clprobe install-plan --apply --backend pocl --json || echo $?\n"
        "packages > /after; diff /before /after; ls /var/lib/clprobe/journals\n"
    )
    document, _, rest = answer.rpartition("}\n")
    assert json.loads(document + "}")["outcome"] == "declined"
    assert rest.split() == ["3", "lock"]
