# SPDX-License-Identifier: MIT
"""What fixes change on paths: proved, taken back exactly, and never where others decide."""

import os
import stat
import subprocess
from pathlib import Path

import pytest
from carried_out import Run, of
from msgspec.structs import replace

from clprobe.apply.kinds import KINDS, can_be_carried_out, can_be_taken_back
from clprobe.apply.paths import as_it_is_here, why_not_here
from clprobe.apply.person import find_person
from clprobe.apply.store import tried_before
from clprobe.commands import mending
from clprobe.commands.lines import commands_of
from clprobe.model.action import (
    CleanIcdFile,
    LinkFile,
    LoadModule,
    Permit,
    PointIcdAt,
    PutAside,
)
from clprobe.model.mending import GiveToGroup, WriteSetting

NAMES = "# mine\r\n  libpocl.so.2 \r\n"


@pytest.fixture
def run(tmp_path):
    def run(*actions):
        return Run(tmp_path / "journals", [of(action) for action in actions])

    return run


@pytest.fixture
def vendors(tmp_path):
    folder = tmp_path / "vendors"
    folder.mkdir(mode=0o755)
    return folder


@pytest.fixture
def icd(vendors):
    path = vendors / "x.icd"
    path.write_text(NAMES)
    path.chmod(0o640)
    return path


def content(folder):
    """Return everything in a folder with modes and texts."""
    return {
        str(path): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else path.is_symlink(),
        )
        for path in (folder, *folder.rglob("*"))
    }


@pytest.mark.parametrize(
    ("action", "result"),
    [
        (lambda icd: PutAside(path=str(icd)), None),
        (lambda icd: CleanIcdFile(path=str(icd)), "libpocl.so.2\n"),
        (lambda icd: PointIcdAt(path=str(icd), library="libother.so"), "libother.so\n"),
        (lambda icd: Permit(path=str(icd), what="read", mode="0640"), NAMES),
        (lambda icd: LinkFile(target=str(icd), link=f"{icd.parent}/link.icd"), NAMES),
    ],
    ids=["aside", "clean", "point", "permit", "link"],
)
def test_it_is_done_proved_and_taken_back_exactly(run, vendors, icd, action, result):
    before = content(vendors)
    made = run(action(icd))
    assert made.apply() == "applied"
    assert content(vendors) != before
    assert (icd.read_bytes().decode() if icd.exists() else None) == result
    assert made.apply() == "applied"  # proved again, and not run again
    assert made.journal.steps[0].attempts == 1
    assert made.undo().outcome == "undone"
    assert content(vendors) == before


def test_a_folder_is_opened_and_gets_all_its_bits_back(run, vendors):
    vendors.chmod(0o2700)
    made = run(Permit(path=str(vendors), what="list", mode="2700"))
    assert made.apply() == "applied"
    assert stat.S_IMODE(vendors.stat().st_mode) == 0o2755
    assert made.undo().outcome == "undone"
    assert stat.S_IMODE(vendors.stat().st_mode) == 0o2700


@pytest.mark.parametrize(
    ("action", "spoil"),
    [
        (lambda icd: PutAside(path=str(icd)), lambda icd: icd.write_text("new")),
        (
            lambda icd: LinkFile(target=str(icd), link=f"{icd.parent}/link.icd"),
            lambda icd: (icd.parent / "link.icd").unlink(),
        ),
        (lambda icd: PointIcdAt(path=str(icd), library="x.so"), lambda icd: icd.write_text("new")),
    ],
    ids=["aside", "link", "point"],
)
def test_what_was_changed_since_is_left_and_named(run, vendors, icd, action, spoil):
    made = run(action(icd))
    assert made.apply() == "applied"
    spoil(icd)
    before = content(vendors)
    undone = made.undo()
    assert (undone.outcome, len(undone.left)) == ("undone", 1)
    assert content(vendors) == before


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("x.icd.disabled", lambda icd: PutAside(path=str(icd))),
        ("link.icd", lambda icd: LinkFile(target=str(icd), link=f"{icd.parent}/link.icd")),
    ],
)
def test_nothing_is_written_over(run, vendors, icd, name, action):
    (vendors / name).write_text("precious")
    before = content(vendors)
    made = run(action(icd))
    assert made.apply() == "failed"
    assert made.problem().reference == "file-in-the-way"
    assert content(vendors) == before


def test_a_setting_goes_with_its_folder_and_a_half_written_one_is_written_again(
    run, tmp_path, monkeypatch
):
    monkeypatch.setitem(mending.APPLIES, f"{tmp_path}/made.d/", f"touch {tmp_path}/taken-up")
    file = tmp_path / "made.d" / "x.conf"
    made = run(WriteSetting(path=str(file), line="/opt/rocm/lib"))
    (record,) = made.journal.steps
    # A full disk, say: the folder is made, the file begun, and clprobe gone.
    begin = 'mkdir "$1" && printf half > "$1/x.conf" && false'
    cut_off = replace(record, argv=("sh", "-c", begin, "sh", str(file.parent)))
    made.journal = replace(made.journal, steps=(cut_off,))
    assert made.apply() == "failed"
    assert file.read_text() == "half"
    (left,) = made.journal.steps
    made.journal = replace(made.journal, steps=(replace(left, argv=record.argv, state="running"),))
    assert made.apply() == "applied"
    assert file.read_text() == "/opt/rocm/lib\n"
    (tmp_path / "taken-up").unlink()
    assert made.undo().outcome == "undone"
    assert not file.parent.exists()
    assert (tmp_path / "taken-up").exists()


def test_a_link_in_the_place_of_a_driver_file_is_not_followed(run, vendors, icd):
    link = vendors / "link.icd"
    link.symlink_to(icd)
    for action in (CleanIcdFile(path=str(link)), PointIcdAt(path=str(link), library="x.so")):
        made = run(action)
        assert made.apply() == "failed"
        assert made.problem().reference == "path-not-safe"
    assert icd.read_bytes().decode() == NAMES


@pytest.mark.parametrize("target", ["/nowhere/x.icd", "dangling.icd"])
def test_a_link_that_leads_nowhere_or_to_itself_is_put_aside_as_it_is(run, vendors, target):
    link = vendors / "dangling.icd"
    link.symlink_to(target)
    made = run(PutAside(path=str(link)))
    assert made.apply() == "applied"
    assert not link.is_symlink()
    assert made.undo().outcome == "undone"
    assert str(link.readlink()) == target


def test_a_folder_that_others_can_write_to_is_left_alone(run, vendors, icd):
    made = run(PutAside(path=str(icd)))
    vendors.chmod(0o777)
    before = content(vendors)
    assert made.apply() == "failed"
    assert made.problem().message == f"Not run: others can write to {vendors}."
    assert content(vendors) == before


def test_undo_too_refuses_where_others_can_write_by_now(run, vendors, icd):
    made = run(PutAside(path=str(icd)))
    assert made.apply() == "applied"
    vendors.chmod(0o777)
    assert made.undo().outcome == "partly-undone"
    assert made.problem().reference == "path-not-safe"
    vendors.chmod(0o755)
    assert made.undo().outcome == "undone"
    assert icd.exists()


def test_a_link_to_what_others_can_exchange_is_not_made(vendors, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    link = LinkFile(target=f"{shared}/x.icd", link=f"{vendors}/x.icd")
    assert why_not_here(link) == f"others can write to {shared}"
    point = PointIcdAt(path=f"{vendors}/x.icd", library=f"{shared}/libx.so")
    assert why_not_here(point) == f"others can write to {shared}"


@pytest.mark.parametrize("path", ["x.icd", "-rf", "../x.icd", ""])
def test_what_is_no_full_path_is_left_alone(path):
    assert why_not_here(PutAside(path=path)) == f"{path} is no full path"


def test_the_mode_to_restore_is_the_one_of_now(icd):
    step = as_it_is_here(of(Permit(path=str(icd), what="read", mode="0600")), find_person())
    assert step.undo == ("chmod", "0640", str(icd))
    given = GiveToGroup(path=str(icd), group="root", former="video", mode="0600")
    step = as_it_is_here(of(given), find_person())
    assert step.undo[-2:] == (str(os.getgid()), "0640")


def test_whose_file_it_is_decides_who_must_act():
    step = as_it_is_here(of(Permit(path="/", what="pass", mode=None)), find_person())
    assert step.needs_root == (os.getuid() != 0)


@pytest.mark.parametrize(
    ("action", "status"),
    [
        (Permit(path="/", what="pass", mode=None), 0),
        (Permit(path="/etc/passwd", what="use", mode=None), 1),
        (GiveToGroup(path="/dev/null", group="root", former="", mode=""), 1),
        (LoadModule(module="no-such-module"), 1),
        (PutAside(path="/etc/passwd"), 1),
        (PointIcdAt(path="/etc/passwd", library="x.so"), 1),
        (CleanIcdFile(path="/etc/passwd"), 1),
        (LinkFile(target="/x", link="/etc/passwd"), 1),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_proof_says_whether_it_is_so(action, status):
    verify = commands_of(action).verify
    done = subprocess.run(verify, check=False, timeout=10, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (status, "")


def test_what_is_undone_by_a_command_has_one_and_all_else_is_kept_or_told():
    for action in (
        PutAside(path="/x"),
        Permit(path="/x", what="read", mode="0600"),
        CleanIcdFile(path="/x"),
        LoadModule(module="xe"),
    ):
        assert can_be_carried_out(action)
        assert can_be_taken_back(action)
    assert not can_be_taken_back(Permit(path="/x", what="read", mode=None))
    assert all(kind.limit_s > 0 for kind in KINDS.values())


def test_no_plan_counts_as_a_fix_that_was_tried(run, icd):
    made = run(PutAside(path=str(icd)))
    assert made.apply() == "applied"
    with made.store.locked(1.0, print):
        assert tried_before(made.store.entries()) == frozenset()
    assert Path(f"{icd}.disabled").exists()
