# SPDX-License-Identifier: MIT
"""Routes carried out and taken back for real, in copies of this system."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.root, pytest.mark.slow]
POCL = "/etc/OpenCL/vendors/pocl.icd"


def sections(text):
    return [part.strip() for part in text.split("=====\n")]


def test_after_apply_the_device_is_there_and_after_undo_the_package_list_is_as_before(copy):
    applied, again, undone, nothing, difference = sections(
        copy.run(
            "debian; apply --json; echo =====; apply --json; echo =====\n"
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


_ARCHIVE = """\
build() {
    mkdir -p /archive-of-apps /p/DEBIAN
    printf 'Package: %s\\nVersion: %s\\nArchitecture: all\\nDepends: %s\\nDescription: none\\n' \
        "$1" "$2" "$3" > /p/DEBIAN/control
    echo 'Maintainer: nobody <nobody@example.org>' >> /p/DEBIAN/control
    dpkg-deb --build /p "/archive-of-apps/$1_$2.deb" >&2
}
build clp-lib 1 libc6; build clp-lib 2 libc6; build clp-app 1 'clp-lib (>= 2)'
(cd /archive-of-apps && dpkg-scanpackages --multiversion . > Packages)
echo 'deb [trusted=yes] file:/archive-of-apps ./' > /etc/apt/sources.list.d/archive.list
apt-get update >&2
"""
_OWN_STEPS = """\
import sys
from pathlib import Path
from carried_out import Run, of
from clprobe.model.action import Install
run = Run(Path("/journals"), [of(Install(manager="apt", packages=("clp-app",)))])
print(run.apply(), *[(u.before, u.after) for u in run.journal.steps[0].changes.upgraded])
undone = run.undo()
print(undone.outcome, *undone.differences, *undone.left)
"""


@pytest.mark.parametrize("mark", ["auto", "manual"])
def test_a_package_that_a_step_upgraded_gets_its_former_version_and_mark_back(copy, mark):
    if shutil.which("dpkg-scanpackages") is None:
        pytest.skip("needs dpkg-dev, to make a small archive")
    answer = copy.run(
        _ARCHIVE + f"apt-get install --yes clp-lib=1 >&2; apt-mark {mark} clp-lib >&2\n"
        f"packages > /before; cat > /own.py <<'END'\n{_OWN_STEPS}END\n"
        f'PYTHONPATH="$PYTHONPATH:{Path(__file__).parent}" {sys.executable} /own.py\n'
        "packages > /after; diff /before /after; echo equal\n"
    )
    assert answer.splitlines() == ["applied ('1', '2')", "undone", "equal"]


def test_a_former_version_that_is_nowhere_any_more_is_named(copy):
    if shutil.which("dpkg-scanpackages") is None:
        pytest.skip("needs dpkg-dev, to make a small archive")
    answer = copy.run(
        _ARCHIVE + "apt-get install --yes clp-lib=1 >&2; rm /archive-of-apps/clp-lib_1.deb\n"
        "(cd /archive-of-apps && dpkg-scanpackages --multiversion . > Packages)\n"
        "rm -rf /var/lib/apt/lists/*_archive-of-apps_*; apt-get update >&2\n"
        f"cat > /own.py <<'END'\n{_OWN_STEPS}END\n"
        f'PYTHONPATH="$PYTHONPATH:{Path(__file__).parent}" {sys.executable} /own.py\n'
        "dpkg-query --show clp-app 2>&1 || true\n"
    )
    applied, undone, gone = answer.splitlines()
    assert applied == "applied ('1', '2')"
    assert undone == (
        "undone clp-lib is 2, was 1 clp-lib, whose former version 1 is not in the index any more"
    )
    assert "no packages found" in gone


def test_one_who_is_asked_and_says_no_finds_nothing_changed(copy):
    answer = copy.run(
        "echo n | clprobe install-plan --apply --backend pocl --json || echo $?\n"
        "packages > /after; diff /before /after; ls /var/lib/clprobe/journals\n"
    )
    document, _, rest = answer.rpartition("}\n")
    assert json.loads(document + "}")["outcome"] == "declined"
    assert rest.split() == ["3", "lock"]


def test_number_and_size_of_what_apt_brings_are_said_before_the_question(copy):
    answer = copy.run(
        "echo n | clprobe install-plan --apply --backend pocl 2>&1 >/dev/null || true\n"
        "packages > /after; diff /before /after\n"
    )
    said, asked, _ = answer.partition("Run these steps?")
    assert asked, answer
    brought = re.search(r"brings (\d+) packages: (\d+) MB to fetch, (\d+) MB on disk", said)
    assert brought is not None, said
    count, fetched, installed = map(int, brought.groups())
    assert count >= 3
    assert 0 < fetched < installed
