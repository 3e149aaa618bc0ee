# SPDX-License-Identifier: MIT
"""`clprobe snapshot`, run as a program."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from asking import environment

from clprobe.model.codec import snapshot_from_text, snapshot_schema

_HEAVY = ("numpy", "pyopencl", "torch")


def _run(*arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "clprobe", "snapshot", *arguments],
        env=environment(),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_stdout_is_one_document_that_fits_the_schema() -> None:
    result = _run()
    assert result.returncode == 0
    jsonschema.validate(json.loads(result.stdout), snapshot_schema())
    assert result.stderr.count("\n") == 1


def test_yaml_and_json_files_hold_the_same(tmp_path: Path) -> None:
    first, second = "snapshot.yaml", "snapshot.json"
    assert _run("--output", first, folder=tmp_path).returncode == 0
    # Not taken twice: a host changes.
    assert _run("--from", first, "--output", second, folder=tmp_path).returncode == 0
    taken = [
        snapshot_from_text((tmp_path / name).read_text(), name=name) for name in (first, second)
    ]
    assert taken[0] == taken[1]
    assert {path.name for path in tmp_path.iterdir()} == {"snapshot.yaml", "snapshot.json"}


def test_the_schema_is_printed_without_asking_the_host() -> None:
    result = _run("--schema")
    assert json.loads(result.stdout)["$id"] == "clprobe.snapshot/1"


def test_a_folder_that_does_not_exist_is_a_usage_error() -> None:
    result = _run("--output", "/nonexistent/snapshot.json")
    assert (result.returncode, result.stdout) == (2, "")
    assert "does not exist" in result.stderr


@pytest.mark.parametrize("module", _HEAVY)
def test_collecting_imports_nothing_heavy(module: str) -> None:
    code = (
        "import sys; from clprobe.probe.collect import collect; collect();"
        f"sys.exit({module!r} in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True, timeout=60)
