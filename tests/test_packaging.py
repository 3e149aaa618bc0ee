# SPDX-License-Identifier: MIT
"""rules/ and kernels/ travel with the package, however it is installed."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from clprobe.resources import kernels_path, rules_path

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT],
        check=True,
        timeout=300,
    )
    return next(folder.glob("*.whl"))


def test_a_checkout_finds_its_rules_and_kernels() -> None:
    assert rules_path() == ROOT / "rules"
    assert kernels_path() == ROOT / "kernels"


def test_the_wheel_holds_every_rule_kernel_schema_and_data_file(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    wanted = {
        f"clprobe/_data/{path.relative_to(ROOT)}"
        for folder in ("rules", "kernels")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    wanted |= {f"clprobe/schemas/{path.name}" for path in (ROOT / "clprobe/schemas").iterdir()}
    assert wanted
    assert wanted <= names


def test_an_installed_wheel_answers_from_its_own_data(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)

    program = "from clprobe import resources; print(resources.rules_path())"
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert result.stdout.strip() == str(tmp_path / "clprobe" / "_data" / "rules")
