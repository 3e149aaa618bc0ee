# SPDX-License-Identifier: MIT
"""What is read from recorded outputs of clinfo equals what the probe learned from the drivers."""

import pytest
from clinfo_corpus import recordings
from clinfo_damage import (
    indented,
    quoted,
    with_colours,
    with_crlf,
    with_tabs,
    without_indentation,
    without_trailing_blanks,
    wrapped,
)
from clinfo_hosts import differences

from clprobe.paste.clinfo.reader import clinfo_runs

_RECORDINGS = [recording for recording in recordings() if recording.text]
_HARMLESS = (
    indented, quoted, with_colours, with_crlf, with_tabs, without_indentation,
    without_trailing_blanks, wrapped,
)  # fmt: skip
_COMMAND = "$ clinfo --raw -l\n"  # a list of platforms alone is any numbered list


def _only_run(text, form):
    runs = clinfo_runs((_COMMAND + text if form == "raw-tree" else text).split("\n"))
    assert len(runs) == 1
    return runs[0]


def test_the_recordings_hold_every_implementation_format_and_version():
    assert len({recording.name.split("/")[0] for recording in _RECORDINGS}) >= 17
    assert {recording.form for recording in _RECORDINGS} == {
        "human", "raw", "json", "tree", "raw-tree",
    }  # fmt: skip
    assert len({recording.name.split("/")[1].rsplit(".", 2)[0] for recording in _RECORDINGS}) >= 7


@pytest.mark.parametrize("recording", _RECORDINGS, ids=lambda recording: recording.name)
def test_a_recorded_output_gives_the_facts_of_the_live_probe(recording):
    if recording.form == "raw-tree" and recording.live.platforms == ():
        pytest.skip("clinfo prints nothing about no platforms here")
    run = _only_run(recording.text, recording.form)
    is_too_old = recording.form == "json" and run.form == "human"
    assert run.form == recording.form or is_too_old
    assert differences(recording.live, run.answer, run.form) == []
    assert run.unread == ()
    assert not isinstance(run.answer.printed, str)


@pytest.mark.parametrize("damage", _HARMLESS, ids=lambda damage: damage.__name__)
def test_a_changed_layout_changes_no_fact(damage):
    for recording in _RECORDINGS:
        run = _only_run(damage(recording.text), recording.form)
        found = differences(recording.live, run.answer, run.form)
        assert found == [], recording.name
        assert not isinstance(run.answer.printed, str), recording.name


@pytest.mark.parametrize("form", ["human", "raw", "json"])
def test_the_loader_is_told_where_clinfo_tells_it(form):
    for recording in _RECORDINGS:
        if recording.form == form:
            run = _only_run(recording.text, form)
            assert (run.kind, run.loader_version) == ("ocl-icd", "2.3.1"), recording.name
