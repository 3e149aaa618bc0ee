# SPDX-License-Identifier: MIT
"""Journals of the first format, written when steps had commands alone, are read as today's."""

import json
from pathlib import Path

import pytest

from clprobe.apply.journal import SCHEMA, decode, encode
from clprobe.apply.package_list import leaves_something, undo_command
from clprobe.commands.lines import commands_of
from clprobe.model.action import Command, WriteFile
from clprobe.model.errors import ClprobeError

JOURNALS = sorted((Path(__file__).parent / "first_journals").glob("*.json"))
_BY_COMMAND = ("group", "other", "repository")


@pytest.fixture(params=JOURNALS, ids=lambda path: path.stem)
def written(request):
    return request.param.read_bytes()


def test_each_step_is_the_action_that_its_command_does(written):
    kinds = [one["kind"] for one in json.loads(written)["steps"]]
    for step, kind in zip(decode(written, name="old").steps, kinds, strict=True):
        # Of a file that was written only the path is known; the command still holds its text.
        if not isinstance(step.action, WriteFile):
            commands = commands_of(step.action)
            assert (commands.argv, commands.needs_root) == (step.argv, step.needs_root)
        if isinstance(step.action, Command):
            assert kind == "other"


def test_its_plan_has_the_name_that_it_had(written):
    old = json.loads(written)
    journal = decode(written, name="old")
    assert (journal.plan_id, journal.started) == (old["plan_id"], old["started"])
    assert [list(one.argv) for one in journal.steps] == [one["argv"] for one in old["steps"]]


def test_what_took_it_back_still_does(written):
    for old, step in zip(
        json.loads(written)["steps"], decode(written, name="x").steps, strict=True
    ):
        undone = undo_command(step)
        is_made_group = old["argv"][0] == "groupadd"
        file = old["kind"] == "other" and old["undo"] and old["undo"][0] == "rm"
        if old["kind"] in _BY_COMMAND and step.attempts and not is_made_group and not file:
            assert list(undone or ()) == (old["undo"] or [])
        if undone is not None:
            assert leaves_something(step)


def test_it_is_written_anew_in_todays_format(written):
    journal = decode(written, name="old")
    again = encode(journal)
    assert json.loads(again)["schema"] == journal.schema == SCHEMA
    assert decode(again, name="new") == journal


@pytest.mark.parametrize("damage", [(b'"kind"', b'"sort"'), (b'"steps"', b'"stops"')])
def test_a_damaged_one_is_an_error_with_its_name(damage):
    with pytest.raises(ClprobeError) as raised:
        decode(JOURNALS[0].read_bytes().replace(*damage), name="/j.json")
    assert raised.value.reference == "journal-damaged"
    assert "/j.json" in raised.value.message
