# SPDX-License-Identifier: MIT
"""What plans print for people is pasted as they do it; pasting_table.py pastes all of it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from debian_roots import CACHE, SUITES, DebianRoots, UnavailableError, needs
from pasting import GOALS, GPUS, Desk, groups

from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
RELEASE = "12"
LACKING = needs()
needs_roots = pytest.mark.skipif(LACKING is not None, reason=str(LACKING))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    kept, temporary = os.environ.get(CACHE), tmp_path_factory.mktemp("roots")
    memory = tmp_path_factory.mktemp("memory")
    try:
        made = Desk(RELEASE, DebianRoots(Path(kept) if kept else temporary), memory)
    except UnavailableError as error:
        pytest.skip(str(error))
    with made:
        yield made
    shutil.rmtree(temporary)  # half a gigabyte


@pytest.mark.parametrize(("gpu", "how"), [("UHD 620", "package"), ("none", "pip")])
@pytest.mark.root
@pytest.mark.slow
@needs_roots
def test_an_ordinary_user_pastes_the_lines_and_the_check_passes(
    gpu: str, how: str, desk: Desk
) -> None:
    # Which implementation pip brings depends on the processor: PoCL's wheel knows no Zen 5.
    offered = groups(TABLES, [RELEASE], [gpu], ["opencl"])
    group = next(group for group in offered if group.cells[0].route.how == how)
    outcome = desk.paste(group)
    assert outcome.result == "passes", outcome.why
    assert outcome.lines_done == len(group.printed.lines)


def test_whatever_is_to_be_pasted_has_a_line_that_checks_it() -> None:
    found = groups(TABLES, SUITES, GPUS, GOALS)
    pasted = [group.printed for group in found if group.printed.lines]
    assert len(pasted) > 100
    assert not [printed for printed in pasted if printed.check is None]
