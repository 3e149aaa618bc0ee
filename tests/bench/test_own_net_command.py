# SPDX-License-Identifier: MIT
"""`clprobe bench --workload module:Class`: mistakes and limits end at once and say what to do."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from clprobe.bench.protocol import Target

FOLDER = Path(__file__).parent
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
# As an interpreter in which torch cannot be found.
WITHOUT_TORCH = "import sys; sys.modules['torch'] = None; from clprobe.cli.main import main; main()"


def bench(
    *options: str,
    program: tuple[str, ...] = ("-m", "clprobe"),
    folder: Path = FOLDER,
    **more: str,
):
    return subprocess.run(
        [sys.executable, *program, "bench", "--quick", *options],
        cwd=folder,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_without_torch_a_net_is_a_usage_error_that_says_how_to_get_it() -> None:
    done = bench("--workload", "own_nets:Plain", program=("-c", WITHOUT_TORCH))

    assert done.returncode == 2
    assert "needs torch" in done.stderr
    assert "pip install torch" in done.stderr
    assert "looking for devices" not in done.stderr


def test_an_old_torch_is_a_usage_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").touch()
    (tmp_path / "torch-2.3.1.dist-info").mkdir()
    (tmp_path / "torch-2.3.1.dist-info" / "METADATA").write_text("Name: torch\nVersion: 2.3.1\n")
    first = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])

    done = bench("--workload", "own_nets:Plain", PYTHONPATH=first)

    assert done.returncode == 2
    assert "torch 2.4 or newer, and this Python has 2.3.1" in " ".join(done.stderr.split())
    assert "looking for devices" not in done.stderr


@needs_torch
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--workload", "own_nets:Sized"), "cannot be made without arguments: it needs classes"),
        (("--workload", "own_nets:Plain", "--baseline", "numpy"), "Leave --baseline out"),
    ],
)
def test_a_mistake_is_told_before_any_device_is_opened(
    options: tuple[str, ...], words: str
) -> None:
    done = bench(*options, "--json")

    assert done.returncode == 2
    assert words in done.stderr
    assert "looking for devices" not in done.stderr
    assert done.stdout == ""


@needs_torch
def test_what_clprobe_does_not_support_decides_nothing_about_the_device(
    pocl: Target, tmp_path: Path
) -> None:
    (tmp_path / "only.icd").write_text(f"{pocl.library}\n")

    options = ("--device", "0", "--workload", "own_nets:Unsupported")
    done = bench(*options, "--json", OCL_ICD_VENDORS=f"{tmp_path}/")

    assert done.returncode == 3, done.stderr
    document = json.loads(done.stdout)
    assert {one["status"] for one in document["results"]} == {"unsupported"}
    assert {one["decision"] for one in document["verdicts"]} == {"unclear"}
    assert "Do not use" not in done.stdout
    assert document["contestants"]
    assert all("xpu" not in one["name"] for one in document["contestants"])


@needs_torch
def test_the_module_that_is_named_is_run_with_the_users_rights(tmp_path: Path) -> None:
    (tmp_path / "mynet.py").write_text("open('was-here', 'w').close()\n")

    done = bench("--workload", "mynet:Net", folder=tmp_path)

    assert done.returncode == 2
    assert (tmp_path / "was-here").exists()
