# SPDX-License-Identifier: MIT
"""Every row of netcl's FAQ that makes sense works here: what features.yaml says is run."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import page
import pytest
from built_once import each_source_built_once
from implementations import POCL
from on_implementation import only_or_skip

from clprobe.cli.main import main
from clprobe.tensor import DeviceError
from clprobe.tensor.binary_cache import SWITCH

ROWS = page.data()["rows"]
TIME_LIMIT_S = 300
NEEDS_TORCH = re.compile(r"\btorch\b|two_processes")

# Torch's own compiler leaves files open, and warns of what its next version drops.
pytestmark = pytest.mark.filterwarnings("ignore")


def rows_with(kind: str) -> list[Any]:
    """Return the rows that have one, as parameters."""
    return [pytest.param(row, id=f"row-{row['row']}") for row in ROWS if kind in row]


@pytest.fixture(autouse=True)
def can_run(request: pytest.FixtureRequest) -> None:
    row = getattr(request.node, "callspec", None) and request.node.callspec.params["row"]
    if not row:
        return
    needed = row.get("code", "") + row.get("command", "")
    if NEEDS_TORCH.search(needed) and find_spec("torch") is None:
        pytest.skip("torch is not installed")


@pytest.fixture(scope="module")
def before() -> Iterator[dict[str, Any]]:
    """What stands before each piece of Python, on a PoCL."""
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch, each_source_built_once():
        patch.setenv(SWITCH, "0")
        try:
            exec(page.data()["before"], names)  # noqa: S102 - our own
        except DeviceError as error:
            pytest.skip(error.message)
        yield names


@pytest.mark.parametrize("row", rows_with("code"))
def test_a_piece_of_python_works(
    row: dict[str, Any], before: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = dict(before)
    if NEEDS_TORCH.search(row["code"]):
        pytest.importorskip("torch")._dynamo.reset()
        backend = pytest.importorskip("clprobe.aten.compile")
        # There may be several PoCLs, of which the name means none.
        monkeypatch.setitem(backend._DEVICES, "Portable", names["device"])
        exec(page.data()["before_torch"], names)  # noqa: S102 - our own

    exec(row["code"], names)  # noqa: S102 - our own


@pytest.fixture(scope="module")
def pocl_alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return only_or_skip(POCL, tmp_path_factory.mktemp("pocl"))


@pytest.mark.parametrize("row", rows_with("command"))
def test_a_command_works(
    row: dict[str, Any], capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    program, *arguments = shlex.split(row["command"])
    if program == "clprobe":
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 0
        printed = capsys.readouterr().out
    else:
        environment = request.getfixturevalue("pocl_alone")
        printed = program_output(tuple(arguments), tuple(environment.items()))

    assert re.search(row["says"], printed)


@cache
def program_output(arguments: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> str:
    """Return what a program prints; several rows have one."""
    root = str(page.PAGE.parents[1])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": root} | dict(environment),
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_all_rows_are_there_and_each_can_be_run_or_says_why_not() -> None:
    assert sorted({row["row"] for row in ROWS}) == list(range(1, 49))
    for row in ROWS:
        if row["by"] == "nobody":
            assert row["why"]
        else:
            assert ("code" in row) != ("command" in row), row
            assert ("command" in row) == ("says" in row), row


def test_the_page_is_fresh() -> None:
    assert Path(page.PAGE).read_text("utf-8") == page.page(), "run python tests/netcl/page.py"
