# SPDX-License-Identifier: MIT
"""clinfo and the probe are asked about the same drivers at one time, and must agree."""

import shutil

import pytest
from clinfo_hosts import (
    FORMS,
    clinfo_output,
    differences,
    environment_of,
    implementations,
)
from loader_answer import live_answer

from clprobe.paste.clinfo.reader import clinfo_runs

_TRIES = 3


@pytest.mark.parametrize("name", implementations())
def test_what_clinfo_shows_now_is_what_the_probe_learns_now(name):
    if not shutil.which("clinfo"):
        pytest.skip("needs clinfo")
    if not implementations()[name][0]:
        pytest.skip(f"{name} is not installed")
    with environment_of(name) as environment:
        # A device may tell how much memory is free, which other programs change meanwhile.
        for _ in range(_TRIES):
            disagreeing = _forms_that_disagree(environment)
            if not disagreeing:
                break
    assert disagreeing == {}


def _forms_that_disagree(environment):
    """Return what differs from the probe's answer before and after, for each form of clinfo."""
    before = live_answer(environment)
    texts = {form: clinfo_output("clinfo", form, environment) for form in FORMS}
    after = live_answer(environment)
    found = {}
    for form, text in texts.items():
        if not before.platforms and form in ("tree", "raw-tree"):
            assert text == ""
            continue
        command = f"$ clinfo {' '.join(FORMS[form])}\n"
        (run,) = clinfo_runs((command + text).split("\n"))
        # The clock's frequency, for one, changes from call to call.
        both = [differences(live, run.answer, run.form) for live in (before, after)]
        if [] not in both:
            found[form] = both
    return found
