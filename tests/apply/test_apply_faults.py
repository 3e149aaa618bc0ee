# SPDX-License-Identifier: MIT
"""Real faults while a plan is carried out: clear words, nothing half-done, and a way on."""

import json
import sys

import pytest

pytestmark = [pytest.mark.root, pytest.mark.slow]
_EQUAL = "packages > /after; diff /before /after >&2; echo equal\n"


def report_of(answer):
    """Return the JSON document that begins the answer, and the words after it."""
    document, _, rest = answer.rpartition("\n}\n")
    return json.loads(document + "\n}"), rest.split()


def problem_of(report):
    assert report["problem"] is not None, report
    return report["problem"]["reference"], report["problem"]["message"]


def test_without_network_it_says_so_before_anything_is_changed(copy):
    report, rest = report_of(
        copy.run(
            f"debian; unshare --net {sys.executable} -m clprobe install-plan --apply --yes"
            " --backend pocl --json || echo $?\n" + _EQUAL
        )
    )
    reference, message = problem_of(report)
    assert reference == "no-network"
    assert "Temporary failure resolving" in message
    assert rest == ["3", "equal"]


def _with_limits(limits):
    """Return the commands that apply PoCL's route with other limits, through the same functions."""
    return (
        "cat > /limited.py <<'END'\n"
        "import sys\n"
        "from clprobe.apply.work import Limits\n"
        "from clprobe.cli import install_apply\n"
        f"install_apply.Asked.__new__.__defaults__ = (Limits({limits}),)\n"
        "from clprobe.cli.main import main\n"
        "main(sys.argv[1:])\n"
        "END\n"
        f"{sys.executable} /limited.py install-plan --apply --yes --backend pocl --json"
        " || echo $?\n"
    )


def test_the_holder_of_apts_lock_is_named(copy):
    report, rest = report_of(
        copy.run(
            'python3 -c \'import fcntl, time; f = open("/var/lib/dpkg/lock-frontend", "w");'
            " fcntl.lockf(f, fcntl.LOCK_EX); time.sleep(60)' & holder=$!; sleep 1\n"
            + _with_limits("lock_s=2.0")
            + "kill $holder\n"
            + _EQUAL
        )
    )
    reference, message = problem_of(report)
    assert reference == "package-lock-held"
    assert "python3 -c import fcntl" in message
    assert "waited 2 s" in message
    assert rest == ["3", "equal"]


def test_a_lock_that_is_given_back_in_time_is_waited_for(copy):
    report, rest = report_of(
        copy.run(
            'python3 -c \'import fcntl, time; f = open("/var/lib/dpkg/lock-frontend", "w");'
            " fcntl.lockf(f, fcntl.LOCK_EX); time.sleep(4)' & sleep 1\n"
            "apply --json; undo >&2\n" + _EQUAL
        )
    )
    assert report["outcome"] == "applied"
    assert rest == ["equal"]


def test_a_disk_without_room_is_told_before_anything_is_unpacked(copy):
    report, rest = report_of(
        copy.run(
            "mount -t tmpfs -o size=10m tmpfs /var/cache/apt/archives; mkdir -p "
            "/var/cache/apt/archives/partial\napply --json || echo $?\n" + _EQUAL
        )
    )
    reference, message = problem_of(report)
    assert reference == "disk-full"
    assert "/var/cache/apt/archives has " in message
    assert rest == ["3", "equal"]


def test_a_disk_that_fills_up_while_dpkg_unpacks_can_be_taken_back(copy):
    report, rest = report_of(
        copy.run(
            # PoCL's library is larger than this file system, which the check beforehand does not
            # see, because it asks for the room of /usr.
            "mkdir -p /usr/lib/x86_64-linux-gnu/pocl /usr/share/pocl\n"
            "mount -t tmpfs -o size=64k tmpfs /usr/share/pocl\n"
            "apply --json || echo $?\numount /usr/share/pocl; undo >&2\n" + _EQUAL
        )
    )
    reference, message = problem_of(report)
    assert reference == "disk-full"
    assert "No space left on device" in message
    assert rest == ["3", "equal"]


def test_a_package_that_vanished_from_the_index_is_named(copy):
    report, rest = report_of(
        copy.run(
            "printf 'Package: pocl-opencl-icd\\nPin: release *\\nPin-Priority: -1\\n'"
            " > /etc/apt/preferences.d/gone\napply --json || echo $?\n" + _EQUAL
        )
    )
    reference, message = problem_of(report)
    assert reference == "package-vanished"
    assert "pocl-opencl-icd" in message
    assert rest == ["3", "equal"]


def test_a_step_that_would_remove_a_package_is_refused_with_its_name(copy):
    report, rest = report_of(
        copy.run(
            "mkdir -p /p/DEBIAN; printf 'Package: no-pocl\\nVersion: 1\\nArchitecture: all\\n"
            "Maintainer: nobody <nobody@example.org>\\nConflicts: libpocl2\\nDescription: none\\n'"
            " > /p/DEBIAN/control; dpkg-deb --build /p /p.deb >&2; dpkg -i /p.deb >&2\n"
            "packages > /before; apply --json || echo $?\n" + _EQUAL
        )
    )
    reference, message = problem_of(report)
    assert reference == "step-would-harm"
    assert "no-pocl" in message
    assert rest == ["3", "equal"]


def test_a_held_package_is_not_touched(copy):
    report, rest = report_of(
        copy.run(
            "apt-get install --yes pocl-opencl-icd >&2; apt-mark hold libpocl2 >&2\n"
            "dpkg --force-depends --force-hold --purge pocl-opencl-icd >&2; packages > /before\n"
            "apply --json; undo >&2\n" + _EQUAL
        )
    )
    assert report["outcome"] == "applied"
    assert [one.split()[0] for one in report["packages"]["added"]] == ["pocl-opencl-icd"]
    assert rest == ["equal"]


@pytest.mark.parametrize(
    ("spoil", "reference"),
    [
        ("mkdir -p /var/lib/clprobe; touch /var/lib/clprobe/journals", "journal-unwritable"),
        ("mkdir -p -m 777 /var/lib/clprobe/journals", "journal-folder-unsafe"),
        (
            "mkdir -p /var/lib/clprobe/journals; mount -t tmpfs -o size=8k,mode=700 tmpfs "
            "/var/lib/clprobe/journals",
            "journal-unwritable",
        ),
    ],
)
def test_without_a_journal_nothing_is_begun(copy, spoil, reference):
    umask = "umask 000; " if "777" in spoil else ""
    report, rest = report_of(copy.run(f"({umask}{spoil})\napply --json || echo $?\n{_EQUAL}"))
    assert problem_of(report)[0] == reference
    assert rest == ["3", "equal"]


@pytest.mark.parametrize(
    ("damage", "reference"),
    [
        ("truncate --size 1000", "journal-damaged"),
        ("sed -i s,apply-journal/2,apply-journal/3,", "journal-version"),
        ("sed -i 1,2d", "journal-damaged"),
    ],
)
def test_a_damaged_or_newer_journal_is_named_and_left_alone(copy, damage, reference):
    answer = copy.run(
        "apply >&2\n"
        f"{damage} /var/lib/clprobe/journals/*.json; cat /var/lib/clprobe/journals/*.json > /kept\n"
        "packages > /before\n"
        "undo --json || echo $?\n echo =====\napply --json || echo $?\n"
        "diff /kept /var/lib/clprobe/journals/*.json >&2\n" + _EQUAL
    )
    for part, words in zip(answer.split("=====\n"), (["3"], ["3", "equal"]), strict=True):
        report, rest = report_of(part)
        assert problem_of(report)[0] == reference
        assert "/var/lib/clprobe/journals/" in report["problem"]["message"]
        assert rest == words


def test_after_a_failure_the_undo_is_offered_and_done_if_wanted(copy):
    answer = copy.run(
        "mkdir -p /usr/share/pocl; mount -t tmpfs -o size=64k tmpfs /usr/share/pocl\n"
        "printf 'y\\ny\\n' | clprobe install-plan --apply --backend pocl 2>&1 || echo status $?\n"
        "umount /usr/share/pocl\n" + _EQUAL
    )
    assert "Run these steps?" in answer
    assert "A step failed, and nothing after it was run." in answer
    assert "Take back what was done?" in answer
    assert "The package list is what it was before." in answer
    assert answer.split()[-3:] == ["status", "3", "equal"]
