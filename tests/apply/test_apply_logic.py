# SPDX-License-Identifier: MIT
"""The pure parts of applying a plan: what steps are, journals, what complaints mean."""

import subprocess

import pytest
from carried_out import TARGET
from many_routes import many_routes

from clprobe.apply.journal import (
    Journal,
    StepRecord,
    decode,
    encode,
    has_begun,
    is_applied,
    is_taken_back,
    plan_id,
)
from clprobe.apply.kinds import KINDS
from clprobe.apply.package_list import undo_command
from clprobe.apply.questions import sizes
from clprobe.apply.simulation import index_problem, meaning
from clprobe.commands.lines import commands_of
from clprobe.install.steps import join_group
from clprobe.model.action import Command, JoinGroup, MakeGroup
from clprobe.model.errors import ClprobeError
from clprobe.model.placeholders import USER


def test_every_step_that_plans_hold_is_of_a_type_that_can_be_carried_out():
    kinds = {type(step.action) for _, route in many_routes() for step in route.steps}
    assert kinds <= KINDS.keys()
    assert Command not in kinds


def test_what_is_typed_is_what_the_action_says():
    for _, route in many_routes():
        for step in route.steps:
            commands = commands_of(step.action)
            made = (commands.argv, commands.undo, commands.verify, commands.needs_root)
            assert made == (step.argv, step.undo, step.verify, step.needs_root)


@pytest.mark.parametrize(("user", "group", "status"), [("root", "root", 0), ("root", "tty", 1)])
def test_the_proof_of_a_group_is_that_the_user_is_in_it(user, group, status):
    verify = [word.replace(USER, user) for word in join_group(group)[-1].verify]
    done = subprocess.run(verify, check=False, timeout=10, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (status, "")


def record(action, **fields):
    commands = commands_of(action)
    return StepRecord(
        title="t",
        action=action,
        argv=commands.argv,
        needs_root=commands.needs_root,
        undo=commands.undo,
        **fields,
    )


def command(*argv):
    return Command(argv=argv, needs_root=True)


def test_a_group_is_left_and_removed_only_if_the_step_made_it():
    join, make = JoinGroup(group="render", user="me"), MakeGroup(group="render")
    assert undo_command(record(join)) is None  # it never ran
    assert undo_command(record(join, attempts=1)) == ("gpasswd", "-d", "me", "render")
    assert undo_command(record(make, attempts=1)) == ("groupdel", "render")
    assert undo_command(record(make, attempts=1, was_so=True)) is None


def journal(*states):
    return Journal(
        clprobe="0",
        plan_id="x",
        goal="opencl",
        backend="pocl",
        stack=None,
        target=TARGET,
        user="me",
        started="2026-11-21T00:00:00+00:00",
        steps=tuple(record(command("true"), state=state) for state in states),
    )


def test_a_journal_tells_whether_anything_is_left():
    assert not has_begun(journal("waiting", "waiting"))
    assert not is_taken_back(journal("waiting", "waiting"))
    assert is_taken_back(journal("undone", "waiting"))
    assert not is_taken_back(journal("done", "undone"))
    assert is_applied(journal("done", "done"))
    assert not is_applied(journal("done", "running"))


def test_a_journal_survives_being_written_and_read():
    one = journal("done", "failed")
    assert decode(encode(one), name="x") == one


@pytest.mark.parametrize(
    ("data", "reference"),
    [
        (b"", "journal-damaged"),
        (b"[]", "journal-damaged"),
        (b"\xff\xfe", "journal-damaged"),
        (b"{}", "journal-damaged"),
        (b"[" * 100000, "journal-damaged"),
        (encode(journal("done"))[:-40], "journal-damaged"),
        (encode(journal("done")).replace(b'"done"', b'"dreaming"'), "journal-damaged"),
        (encode(journal()), "journal-damaged"),
        (encode(journal("done")).replace(b"journal/2", b"journal/9"), "journal-version"),
    ],
)
def test_a_damaged_journal_is_an_error_with_a_name(data, reference):
    with pytest.raises(ClprobeError) as error:
        decode(data, name="/var/lib/x.json")
    assert error.value.reference == reference
    assert "/var/lib/x.json" in error.value.message


def test_plans_with_other_commands_have_other_names():
    one, other = (record(command("a", "b")),), (record(command("a b")),)
    assert plan_id("opencl", "pocl", None, one) == plan_id("opencl", "pocl", None, one)
    assert plan_id("opencl", "pocl", None, one) != plan_id("opencl", "pocl", None, other)


@pytest.mark.parametrize(
    ("printed", "reference"),
    [
        ("E: Unable to locate package nope\n", "package-vanished"),
        ("E: Package 'x' has no installation candidate\n", "package-vanished"),
        ("ERROR: No matching distribution found for torch==9\n", "package-vanished"),
        ("Err:1 http://x\n  Temporary failure resolving 'x'\n", "no-network"),
        (
            "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by x\n",
            "package-lock-held",
        ),
        ("dpkg: error: failed to write (No space left on device)\n", "disk-full"),
        ("E: dpkg was interrupted, you must manually run\n", "package-manager-interrupted"),
        ("E: Unmet dependencies\n a : Depends: b\nE: unmet dependencies.\n", "packages-do-not-fit"),
        ("W: The repository 'x' is not signed.\n", "not-authenticated"),
        ("something else\n", "step-failed"),
        ("", "step-failed"),
    ],
)
def test_known_complaints_get_a_name_and_a_way_on(printed, reference):
    problem = meaning(printed, "with status 100")
    assert problem.reference == reference
    assert problem.hint


def test_an_index_of_which_a_part_came_is_a_warning_and_none_at_all_a_failure():
    failed = "Err:1 http://a x\n  Temporary failure resolving 'a'\nW: Failed to fetch http://a/x\n"
    problem, _ = index_problem(failed)
    assert problem is not None
    assert problem.reference == "no-network"
    problem, warnings = index_problem("Hit:2 http://b x\n" + failed)
    assert problem is None
    assert warnings == ("W: Failed to fetch http://a/x",)


def test_sizes_are_summed_in_bytes():
    text = "Package: a\nInstalled-Size: 10\nSize: 2000\n\nPackage: b\nInstalled-Size: 5\nSize: 30\n"
    assert sizes(text) == (2030, 15 * 1024)
