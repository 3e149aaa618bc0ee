# SPDX-License-Identifier: MIT
"""`doctor --fix` and its faults, for real, in copies of this system: what it does is taken back."""

import json
import sys

import pytest
from implementations import wheels_pocl

pytestmark = [pytest.mark.root, pytest.mark.slow]
VENDORS = "/etc/OpenCL/vendors"
# A driver that works, and one whose library is gone, which no package owns.
_BROKEN = f"""\
apt-get install --yes pocl-opencl-icd >&2
echo /opt/nowhere/libnone.so > {VENDORS}/broken.icd
fix() {{ clprobe doctor --fix --yes "$@"; }}
undo_fix() {{ clprobe doctor --undo --yes "$@"; }}
state() {{
    find /etc/OpenCL /opt -path /opt/clprobe-source -prune -o -printf '%p %m %u %g %l\\n' | sort
    cat {VENDORS}/*
}}
state > /before
"""
_EQUAL = "state > /after; diff /before /after >&2; echo equal\n"


def report_of(answer):
    """Return the JSON document that begins the answer, and the words after it."""
    document, _, rest = answer.rpartition("\n}\n")
    return json.loads(document + "\n}"), rest.split()


def reports_of(answer):
    return [json.loads(part) for part in answer.split("=====\n")]


def test_a_driver_file_without_library_is_put_aside_and_comes_back(copy):
    answer = copy.run(
        _BROKEN + "clprobe doctor --check >/checked 2>&1 || echo $?; test ! -s /checked\n"
        "fix --json\n"
        f"test ! -e {VENDORS}/broken.icd; test -e {VENDORS}/broken.icd.disabled\n"
        "clprobe doctor --check >/checked 2>&1; echo $?; test ! -s /checked\n"
        "undo_fix >&2\n" + _EQUAL
    )
    first, document = answer.split("\n", 1)
    report, rest = report_of(document)
    assert (report["outcome"], first, rest) == ("applied", "1", ["0", "equal"])
    assert [one.split(":")[0] for one in report["before"]["errors"]] == ["icd-library-missing"]
    assert report["after"]["errors"] == []
    assert report["after"]["devices"] == report["before"]["devices"]


def test_a_driver_file_that_names_a_place_of_the_builder_is_pointed_right(copy):
    """As the package intel-opencl-rt leaves it: its rule knows where the library really lies."""
    answer = copy.run(
        _BROKEN + ""
        f"rm {VENDORS}/broken.icd\n"
        "mkdir -p /opt/intel/etc/OpenCL/vendors /opt/intel/lib\n"
        "cp /usr/lib/x86_64-linux-gnu/libpocl.so.2 /opt/intel/lib/libintelocl.so\n"
        "echo /croot/anaconda1anaconda2anaconda3/lib/libintelocl.so"
        " > /opt/intel/etc/OpenCL/vendors/intel.icd\n"
        "chmod 640 /opt/intel/etc/OpenCL/vendors/intel.icd; state > /before\n"
        "export OCL_ICD_VENDORS=/opt/intel/etc/OpenCL/vendors\n"
        "fix --json || echo $?\n"
        "cat /opt/intel/etc/OpenCL/vendors/intel.icd\n"
        "undo_fix >&2\n" + _EQUAL
    )
    report, rest = report_of(answer)
    assert report["outcome"] == "applied", report
    assert rest[-2:] == ["/opt/intel/lib/libintelocl.so", "equal"]


def test_blanks_and_carriage_returns_go_and_come_back(copy):
    answer = copy.run(
        _BROKEN + f"printf '# mine\\r\\n  libpocl.so.2 \\r\\n' > {VENDORS}/broken.icd\n"
        f"chmod 600 {VENDORS}/broken.icd; chmod 644 {VENDORS}/broken.icd; state > /before\n"
        f"fix --json >&2 || true\ncat {VENDORS}/broken.icd; ls {VENDORS}/broken*\n"
        "undo_fix >&2\n" + _EQUAL
    )
    assert answer.split() == ["libpocl.so.2", f"{VENDORS}/broken.icd", "equal"]


def test_a_closed_folder_is_opened_for_who_called_sudo_and_closed_again(copy):
    answer = copy.run(
        _BROKEN + f"useradd alice; rm {VENDORS}/broken.icd\n"
        "mkdir -p /opt/closed/lib\n"
        "cp /usr/lib/x86_64-linux-gnu/libpocl.so.2 /opt/closed/lib/\n"
        f"echo /opt/closed/lib/libpocl.so.2 > {VENDORS}/other.icd\n"
        "chmod 2750 /opt/closed; state > /before\n"
        "SUDO_USER=alice fix --json || echo $?\n"
        "stat -c %a /opt/closed; setpriv --reuid=alice --clear-groups test -r "
        "/opt/closed/lib/libpocl.so.2; undo_fix >&2\n" + _EQUAL
    )
    report, rest = report_of(answer)
    assert report["outcome"] == "applied"
    assert [step["argv"] for step in report["steps"]] == [["chmod", "a+x", "/opt/closed"]]
    assert any("icd-library-not-readable" in one for one in report["before"]["errors"])
    assert not any("icd-library-not-readable" in one for one in report["after"]["errors"])
    # Now there are two copies of PoCL, which no program survives: an error of its own.
    assert rest == ["1", "2751", "equal"]


def test_who_called_sudo_joins_the_group_of_the_node_and_leaves_it(copy):
    answer = copy.run(
        _BROKEN + f"rm {VENDORS}/broken.icd; useradd alice; groupadd --force --system render\n"
        "mkdir -p /dev/dri; mknod /dev/dri/renderD128 c 226 128\n"
        "chgrp render /dev/dri/renderD128; chmod 660 /dev/dri/renderD128; id alice > /id\n"
        "SUDO_USER=alice fix --json || echo $?\n"
        "id -nG alice; undo_fix >&2; id alice | diff /id -\n"
    )
    report, rest = report_of(answer)
    assert report["outcome"] == "applied"
    assert [step["argv"] for step in report["steps"]] == [["usermod", "-aG", "render", "alice"]]
    # Behind the node is no GPU, which no fix changes, and the status says so.
    assert [one.split(":")[0] for one in report["after"]["errors"]] == ["device-node-dead"]
    assert rest == ["1", "alice", "render"]


def test_a_fix_that_did_not_help_is_not_done_again(copy):
    """PoCL's .icd is a file of settings to dpkg, which it keeps as it is."""
    answer = copy.run(
        _BROKEN + f"rm {VENDORS}/broken.icd; echo /opt/gone.so > {VENDORS}/pocl.icd\n"
        "fix --json || test $? = 1; echo =====; fix --json || test $? = 1\n"
    )
    first, second = reports_of(answer)
    assert first["steps"][-1]["argv"][-2:] == ["--reinstall", "pocl-opencl-icd"]
    # Where the PoCL of pyopencl's wheel is registered as well, it has a device.
    beside = wheels_pocl()
    is_alone = beside is None or not beside.with_name("pocl.icd").exists()
    errors, left = (
        [error.split(":")[0] for error in one["after"]["errors"]] for one in (first, second)
    )
    assert errors == ["icd-library-missing", *(["no-opencl-device"] if is_alone else [])]
    assert [step["argv"][0] for step in second["steps"]] == ["mv"]
    assert left[-1:] == ["no-opencl-device"] if is_alone else left == []
    assert "icd-library-missing" not in left


@pytest.mark.parametrize("answered", ["echo n", "true"])
def test_who_says_no_or_nothing_finds_nothing_changed(copy, answered):
    answer = copy.run(
        _BROKEN + f"{answered} | clprobe doctor --fix --json 2>/said || echo $?\n"
        "cat /said >&2; grep -q 'mv /etc/OpenCL/vendors/broken.icd' /said\n"
        "ls /var/lib/clprobe/journals\n" + _EQUAL
    )
    report, rest = report_of(answer)
    assert report["outcome"] == "declined"
    assert rest == ["3", "lock", "equal"]


def test_what_cannot_be_undone_is_said_before_the_question(copy):
    answer = copy.run(
        _BROKEN + f"echo /opt/gone.so > {VENDORS}/pocl.icd\n"
        "echo n | clprobe doctor --fix 2>&1 >/dev/null || true\n"
    )
    listed, asked, _ = answer.partition("Run these steps?")
    assert asked, answer
    steps = [line for line in listed.splitlines() if line.strip()[:2] in ("1.", "2.", "3.")]
    assert [line.endswith("; cannot be undone") for line in steps] == [False, False, True]
    assert steps[-1].split(". ")[1].startswith("Install the package pocl-opencl-icd again")


def test_a_step_that_fails_ends_the_run_and_the_next_one_goes_on(copy):
    answer = copy.run(
        _BROKEN + f"mount --bind {VENDORS} {VENDORS}; mount -o remount,bind,ro {VENDORS}\n"
        f"fix --json || echo $?; echo =====; umount {VENDORS}\n"
        "fix --json; ls /var/lib/clprobe/journals/*.json | wc -l >&2; undo_fix >&2\n" + _EQUAL
    )
    failed, again = answer.split("=====\n")
    report, rest = report_of(failed)
    assert (report["outcome"], report["problem"]["reference"]) == ("failed", "no-permission")
    assert "Read-only file system" in report["problem"]["message"]
    assert report["command"][-2:] == ["doctor", "--undo"]
    assert rest == ["3"]
    report, rest = report_of(again)
    assert (report["outcome"], rest) == ("applied", ["equal"])


def test_a_name_that_is_taken_is_never_overwritten(copy):
    answer = copy.run(
        _BROKEN + f"echo mine > {VENDORS}/broken.icd.disabled; state > /before\n"
        "fix --json || echo $?\n" + _EQUAL
    )
    report, rest = report_of(answer)
    assert report["problem"]["reference"] == "file-in-the-way"
    assert "broken.icd.disabled is there already" in report["problem"]["message"]
    assert rest == ["3", "equal"]


def test_what_somebody_put_back_meanwhile_is_left(copy):
    answer = copy.run(
        _BROKEN + f"fix >&2; echo libpocl.so.2 > {VENDORS}/broken.icd\n"
        f"undo_fix --json; cat {VENDORS}/broken.icd\n"
    )
    report, rest = report_of(answer)
    assert report["outcome"] == "undone"
    assert any("no longer in effect" in one for one in report["left"])
    assert rest == ["libpocl.so.2"]


@pytest.mark.parametrize(
    ("spoil", "reference"),
    [
        ("mkdir -p /var/lib/clprobe; touch /var/lib/clprobe/journals", "journal-unwritable"),
        ("mkdir -p -m 777 /var/lib/clprobe/journals", "journal-folder-unsafe"),
        (
            "mkdir -p /var/lib/clprobe/journals; mount -t tmpfs -o size=8k,mode=700 tmpfs "
            "/var/lib/clprobe/journals; head -c 8k /dev/zero > /var/lib/clprobe/journals/full "
            "|| true",
            "journal-unwritable",
        ),
    ],
)
def test_without_a_journal_nothing_is_begun(copy, spoil, reference):
    umask = "umask 000; " if "777" in spoil else ""
    answer = copy.run(_BROKEN + f"({umask}{spoil})\nfix --json || echo $?\n" + _EQUAL)
    report, rest = report_of(answer)
    assert report["problem"]["reference"] == reference
    assert rest == ["3", "equal"]


def test_a_damaged_journal_is_named_and_nothing_is_done(copy):
    answer = copy.run(
        _BROKEN + "fix >&2; truncate --size 300 /var/lib/clprobe/journals/*.json\n"
        f"echo /opt/none.so > {VENDORS}/second.icd; state > /before\n"
        "fix --json || echo $?; echo =====; undo_fix --json || echo $?\n" + _EQUAL
    )
    for part, words in zip(answer.split("=====\n"), (["3"], ["3", "equal"]), strict=True):
        report, rest = report_of(part)
        assert report["problem"]["reference"] == "journal-damaged"
        assert rest == words


def test_a_plans_undo_and_doctors_do_not_mix(copy):
    answer = copy.run(
        _BROKEN + "fix >&2\nclprobe install-plan --undo --yes --json; echo =====; undo_fix --json\n"
    )
    plans, doctors = reports_of(answer)
    assert (plans["outcome"], doctors["outcome"]) == ("nothing-to-undo", "undone")


def test_without_root_the_exact_command_is_said_and_nothing_is_changed(copy):
    answer = copy.run(
        _BROKEN + "mkdir -m 777 /home/nobody-else\n"
        "HOME=/home/nobody-else setpriv --reuid=65534 --regid=65534 --clear-groups "
        f"env -u XDG_CACHE_HOME {sys.executable} -m clprobe doctor --fix --yes --json || echo $?\n"
        'test -z "$(ls -A /home/nobody-else)"\n' + _EQUAL
    )
    report, rest = report_of(answer)
    assert report["outcome"] == "needs-root"
    assert report["command"][0] == "sudo"
    assert sorted(report["command"][-4:]) == ["--fix", "--json", "--yes", "doctor"]
    assert rest == ["3", "equal"]


def test_in_a_folder_of_ones_own_no_root_is_needed(copy):
    answer = copy.run(
        _BROKEN + f"rm {VENDORS}/broken.icd; useradd --create-home alice; umask 022\n"
        "mkdir -p /home/alice/icds; echo /opt/none.so > /home/alice/icds/own.icd\n"
        "chown -R alice /home/alice; ls -lAR /home/alice/icds > /before\n"
        "as_alice() { setpriv --reuid=alice --regid=alice --clear-groups env -u XDG_CACHE_HOME "
        "-u XDG_STATE_HOME HOME=/home/alice OCL_ICD_VENDORS=/home/alice/icds "
        f'{sys.executable} -m clprobe doctor --yes --json "$@"; }}\n'
        "as_alice --fix || echo $?\n echo =====\n"
        "ls /home/alice/icds; ls /home/alice/.local/state/clprobe/*.json | wc -l\n"
        "as_alice --undo >&2; ls -lAR /home/alice/icds | diff /before - >&2\n"
        # root does nothing where alice could exchange what lies there
        "SUDO_USER=alice OCL_ICD_VENDORS=/home/alice/icds fix --json || true\n"
    )
    own, rest = answer.split("=====\n")
    report, _ = report_of(own)
    assert report["outcome"] == "applied", report
    assert [step["argv"] for step in report["steps"]] == [
        ["mv", "/home/alice/icds/own.icd", "/home/alice/icds/own.icd.disabled"]
    ]
    name, count, document = rest.split("\n", 2)
    assert (name, count) == ("own.icd.disabled", "1")
    refused, _ = report_of(document)
    assert refused["outcome"] == "nothing-to-do"
    assert any("belongs to user" in one for one in refused["by_hand"]), refused["by_hand"]


def test_a_folder_in_which_others_may_write_is_left_to_the_person(copy):
    answer = copy.run(
        _BROKEN + f"rm {VENDORS}/broken.icd; mkdir -p -m 1777 /opt/open\n"
        "echo /opt/nowhere/libnone.so > /opt/open/evil.icd; state > /before\n"
        "OCL_ICD_VENDORS=/opt/open fix --json || echo $?\n" + _EQUAL
    )
    report, rest = report_of(answer)
    assert report["outcome"] == "nothing-to-do"
    assert any("others can write to /opt/open" in one for one in report["by_hand"])
    assert rest == ["1", "equal"]


def test_names_and_contents_of_hostile_files_never_become_commands(copy):
    answer = copy.run(
        _BROKEN + f"rm {VENDORS}/broken.icd; cd {VENDORS}\n"
        "printf '%s' '$(touch /was-here).so' > 'a; touch ${HOME%root}was-here; .icd'\n"
        "printf '%s' '`touch /was-here`' > '$(touch ${HOME%root}was-here).icd'\n"
        "printf '%s' '/x; touch /was-here' > '-rf.icd'\n"
        "printf '%s' '/x\\033]0;was-here' > \"$(printf 'b\\nc\\033[2J.icd')\"\n"
        "cd /; fix --json || echo $?; test ! -e /was-here\n"
        f"ls {VENDORS}/*.icd | wc -l; undo_fix >&2; ls {VENDORS}/*.icd | wc -l\n"
    )
    report, _ = report_of(answer)
    assert report["outcome"] == "applied"
    assert all(step["argv"][0] == "mv" for step in report["steps"])
    assert "\x1b" not in answer


# Cuts a run off as soon as its log says that a command begins.
_KILLER = """\
import signal, subprocess, sys, time
from pathlib import Path
from clprobe.apply.runner import Tree
how, text = sys.argv[1:]
folder = Path("/var/lib/clprobe/journals")
command = [sys.executable, "-m", "clprobe", "doctor", "--fix", "--yes"]
process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sys.stderr)
def new():
    return "".join(path.read_text() for path in folder.glob("*.log"))
while text not in new() and process.poll() is None:
    time.sleep(0.002)
if how == "tree":
    Tree(process.pid).signal(signal.SIGKILL)
else:
    process.kill()
print(process.wait(120))
"""
# The first program on the path of steps: a disk so slow that the kill surely comes in between.
_SLOW = """\
echo /opt/nowhere/libnone.so > /etc/OpenCL/vendors/zweiter.icd; state > /before
printf '#!/bin/sh\\nsleep 1; /bin/mv "$@"; sleep 1\\n' > /usr/local/sbin/mv
chmod 755 /usr/local/sbin/mv
"""


@pytest.mark.parametrize("goes_on", [True, False])
@pytest.mark.parametrize("how", ["tree", "alone"])
@pytest.mark.parametrize(
    "moment", ["mv /etc/OpenCL/vendors/broken.icd", "mv /etc/OpenCL/vendors/zw"]
)
def test_a_killed_fix_goes_on_or_is_taken_back(copy, how, moment, goes_on):
    answer = copy.run(
        _BROKEN + _SLOW + f"cat > /killer.py <<'END'\n{_KILLER}END\n"
        f"{sys.executable} /killer.py {how} '{moment}'\n"
        + ("fix --json\n" if goes_on else "")
        + "ls /var/lib/clprobe/journals/*.json | wc -l >&2\n"
        "undo_fix >&2\n" + _EQUAL
    )
    ended, rest = answer.split("\n", 1)
    assert ended == "-9"
    if not goes_on:
        assert rest == "equal\n"
        return
    report, rest = report_of(rest)
    assert report["outcome"] == "applied"
    assert [step["state"] for step in report["steps"]] == ["done", "done"]
    assert report["after"]["errors"] == []
    assert rest == ["equal"]
