# SPDX-License-Identifier: MIT
"""Before clprobe's first line Python runs code of PYTHONPATH and the current folder, unless -I."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder with modules of somebody else that say when they are run."""
    for name in ("sitecustomize", "click"):
        (tmp_path / f"{name}.py").write_text(
            f"print('{name} of somebody else')\nraise SystemExit\n"
        )
    return tmp_path


def _version(folder: Path, *options: str, **variables: str) -> str:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, *options, "-m", "clprobe", "--version"],
        cwd=folder,
        env={**plain, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout


def test_without_isolation_code_of_others_runs_first(trap: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "sitecustomize of somebody else" in _version(elsewhere, PYTHONPATH=str(trap))
    assert "click of somebody else" in _version(trap)


def test_an_isolated_python_runs_clprobe_alone(trap: Path) -> None:
    said = _version(trap, "-I", PYTHONPATH=str(trap))
    assert "somebody else" not in said
    assert said.startswith("clprobe, version ")
