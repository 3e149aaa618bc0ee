# SPDX-License-Identifier: MIT
"""Steps that hang, fail, lie or find something in their way; each is really run."""

import os
import pwd
import sys
import time
from pathlib import Path

import pytest
from carried_out import Run, step
from open_folders import let_everybody_in

from clprobe.apply.journal import decode
from clprobe.apply.store import Store
from clprobe.install.steps import make_environment, write_file
from clprobe.model.action import Command, JoinGroup
from clprobe.model.errors import ClprobeError
from clprobe.model.placeholders import USER


@pytest.fixture
def run(tmp_path):
    def run(*steps):
        return Run(tmp_path / "journals", steps)

    return run


def test_a_step_that_hangs_is_ended_with_all_that_it_started(run, tmp_path):
    pid = tmp_path / "pid"
    # As apt does with dpkg, the child leads a session of its own.
    made = run(step("sh", "-c", f"setsid sleep 300 & echo $! > {pid}; echo waiting; wait"))
    started = time.monotonic()
    assert made.apply(steps={Command: 1.0}) == "failed"
    assert time.monotonic() - started < 30
    assert made.problem().reference == "step-hangs"
    assert "limit of 1 s" in made.problem().message
    assert "waiting" in made.problem().message
    state = Path(f"/proc/{pid.read_text().strip()}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_step_whose_proof_fails_is_not_done_and_the_next_is_not_run(run, tmp_path):
    made = run(
        step("true", verify=("test", "-e", f"{tmp_path}/never")),
        step("touch", f"{tmp_path}/second"),
    )
    assert made.apply() == "failed"
    assert made.problem().reference == "step-not-proved"
    assert f"test -e {tmp_path}/never" in made.problem().message
    assert made.states() == ["failed", "waiting"]
    assert not (tmp_path / "second").exists()


def test_a_failure_tells_the_commands_own_complaint_and_status(run):
    made = run(step("sh", "-c", "echo before; echo 'E: the moon is full' >&2; exit 7"))
    assert made.apply() == "failed"
    assert made.problem().message == "The command ended with status 7: E: the moon is full"
    assert "before" in made.journal.steps[0].printed


def test_a_command_that_is_not_there_is_a_failure_and_no_crash(run):
    made = run(step("no-such-command-anywhere"))
    assert made.apply() == "failed"
    assert "no-such-command-anywhere: No such file" in made.problem().message


def test_a_second_run_at_the_same_time_says_why_it_does_not_begin(tmp_path):
    first, second, said = Store(tmp_path / "journals"), Store(tmp_path / "journals"), []
    with (
        first.locked(1.0, said.append),
        pytest.raises(ClprobeError) as raised,
        second.locked(0.1, said.append),
    ):
        pass
    assert raised.value.reference == "another-run-at-work"
    assert [one.split(":")[0] for one in said] == ["Waiting up to 0.1 s for another run"]
    with second.locked(0.0, said.append):
        pass


def test_the_journal_on_the_disk_says_running_while_a_step_runs(run, tmp_path):
    made = run(step("sh", "-c", f"cp {tmp_path}/journals/*.json {tmp_path}/seen"))
    assert made.apply() == "applied"
    seen = decode((tmp_path / "seen").read_bytes(), name="seen")
    assert [one.state for one in seen.steps] == ["running"]
    assert made.states() == ["done"]
    on_disk = decode(made.path.read_bytes(), name="journal")
    assert on_disk == made.journal


def test_a_second_run_goes_on_behind_what_is_done(run, tmp_path):
    made = run(
        step("sh", "-c", f"echo one >> {tmp_path}/first"),
        step("test", "-e", f"{tmp_path}/mended"),
        step("touch", f"{tmp_path}/third"),
    )
    assert made.apply() == "failed"
    assert made.states() == ["done", "failed", "waiting"]
    (tmp_path / "mended").touch()
    assert made.apply() == "applied"
    assert (tmp_path / "first").read_text() == "one\n"
    assert (tmp_path / "third").exists()


def test_what_was_so_already_is_neither_run_nor_taken_back(run, tmp_path):
    there = tmp_path / "there"
    there.touch()
    made = run(
        step("touch", str(there), undo=("unlink", str(there)), verify=("test", "-e", str(there)))
    )
    assert made.apply() == "applied"
    assert made.journal.steps[0].was_so
    assert made.undo().outcome == "undone"
    assert there.exists()


def test_undo_runs_newest_first_and_only_what_was_done(run, tmp_path):
    log = tmp_path / "log"
    steps = [
        step("true", undo=("sh", "-c", f"echo {name} >> {log}")) for name in ("first", "second")
    ]
    made = run(*steps, step("false", undo=("sh", "-c", f"echo third >> {log}")), *steps)
    assert made.apply() == "failed"
    assert made.undo().outcome == "undone"
    # The third failed half-way, perhaps, so that it is taken back as well.
    assert log.read_text().split() == ["third", "second", "first"]


def test_a_file_gets_its_content_mode_and_owner_back(run, tmp_path):
    file = tmp_path / "vendors" / "x.icd"
    file.parent.mkdir()
    file.write_text("old")
    file.chmod(0o640)
    made = run(write_file("Write it", str(file), "new"))
    assert made.apply() == "applied"
    assert file.read_text() == "new"
    assert made.undo().outcome == "undone"
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("old", 0o640)


def test_a_new_file_goes_with_the_folders_made_for_it(run, tmp_path):
    file = tmp_path / "etc" / "OpenCL" / "vendors" / "x.icd"
    made = run(write_file("Write it", str(file), "new"))
    assert made.apply() == "applied"
    assert made.undo().outcome == "undone"
    assert not (tmp_path / "etc").exists()


def test_a_file_that_was_changed_since_is_left_and_named(run, tmp_path):
    file = tmp_path / "x.icd"
    made = run(write_file("Write it", str(file), "new"))
    assert made.apply() == "applied"
    file.write_text("mine")
    assert made.undo().left == (f"{file}, which was changed since",)
    assert file.read_text() == "mine"


def test_a_link_in_the_place_of_a_file_is_not_followed(run, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("precious")
    link = tmp_path / "x.icd"
    link.symlink_to(precious)
    made = run(write_file("Write it", str(link), "new"))
    assert made.apply() == "failed"
    assert made.problem().reference == "file-in-the-way"
    assert precious.read_text() == "precious"


def test_an_environment_goes_with_the_empty_folders_made_for_it(run, tmp_path):
    share = tmp_path / "share"
    share.mkdir()
    made = run(make_environment(str(share / "clprobe" / "venv"), sys.executable))
    assert made.apply() == "applied"
    assert made.undo().outcome == "undone"
    assert list(share.iterdir()) == []


def test_a_folder_above_an_environment_stays_if_it_holds_something_else(run, tmp_path):
    made = run(make_environment(str(tmp_path / "clprobe" / "venv"), sys.executable))
    assert made.apply() == "applied"
    (tmp_path / "clprobe" / "thesis").touch()
    assert made.undo().outcome == "undone"
    assert [one.name for one in (tmp_path / "clprobe").iterdir()] == ["thesis"]


def test_the_folders_of_journals_are_private_even_without_a_umask(tmp_path):
    before = os.umask(0)
    try:
        with Store(tmp_path / "clprobe" / "journals").locked(1.0, print):
            pass
    finally:
        os.umask(before)
    for folder in (tmp_path / "clprobe", tmp_path / "clprobe" / "journals"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_journals_below_a_folder_that_all_may_write_are_refused(tmp_path):
    folder = tmp_path / "clprobe" / "journals"
    folder.mkdir(mode=0o700, parents=True)
    folder.parent.chmod(0o777)
    with pytest.raises(ClprobeError) as raised, Store(folder).locked(1.0, print):
        pass
    assert raised.value.reference == "journal-folder-unsafe"
    assert "above" in raised.value.message


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path):
    folder, elsewhere = tmp_path / "journals", tmp_path / "elsewhere"
    folder.mkdir(mode=0o700)
    (folder / "lock").symlink_to(elsewhere)
    with pytest.raises(ClprobeError) as raised, Store(folder).locked(1.0, print):
        pass
    assert raised.value.reference == "journal-unwritable"
    assert not elsewhere.exists()


def test_an_environment_is_removed_and_a_folder_of_somebody_else_is_not(run, tmp_path):
    mine, other = tmp_path / "mine", tmp_path / "other"
    made = run(make_environment(str(mine), sys.executable))
    assert made.apply() == "applied"
    assert (mine / "bin/python").exists()
    assert made.undo().outcome == "undone"
    assert not mine.exists()
    other.mkdir()
    (other / "thesis").touch()
    made = run(make_environment(str(other), sys.executable))
    assert made.apply() == "failed"
    assert made.problem().reference == "file-in-the-way"
    assert made.undo().outcome == "undone"
    assert [one.name for one in other.iterdir()] == ["thesis"]


@pytest.mark.root
def test_what_needs_no_root_runs_as_whoever_called_sudo(run, tmp_path, monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("needs root, to become somebody else")
    nobody = pwd.getpwnam("nobody")
    monkeypatch.setenv("SUDO_USER", "nobody")
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    let_everybody_in(open_to_all)
    theirs, ours = open_to_all / "theirs", open_to_all / "ours"
    made = run(
        step("touch", str(theirs), undo=("rm", "-f", str(theirs)), needs_root=False),
        step("touch", str(ours), undo=("rm", "-f", str(ours))),
    )
    assert made.person.named_in(JoinGroup(user=USER, group="render")).user == "nobody"
    assert made.apply() == "applied"
    assert (theirs.stat().st_uid, ours.stat().st_uid) == (nobody.pw_uid, 0)
    assert made.undo().outcome == "undone"
    assert not theirs.exists()
    assert not ours.exists()


def test_commands_get_nothing_that_would_load_code_of_the_callers(run, tmp_path, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", "/nowhere.so")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    made = run(step("sh", "-c", f"env > {tmp_path}/env; pwd > {tmp_path}/pwd"))
    assert made.apply() == "applied"
    seen = dict(line.partition("=")[::2] for line in (tmp_path / "env").read_text().splitlines())
    assert not seen.keys() & {"LD_PRELOAD", "PYTHONPATH", "APT_CONFIG"}
    assert seen["http_proxy"] == "http://proxy.example:3128"
    assert (tmp_path / "pwd").read_text() == "/\n"
