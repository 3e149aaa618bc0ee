# SPDX-License-Identifier: MIT
"""The support matrix on a screen: it fits, its signs are words, its errors name what is near."""

import json
import os
import subprocess
import sys

import jsonschema
import pytest

from clprobe.report.schemas import published
from clprobe.report.support_text import short_version

SECONDS = 60


def matrix(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "clprobe", "rules", "matrix", *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "TERM": "dumb", "NO_COLOR": "1"},
    )


@pytest.mark.parametrize("generation", ["Gen6", "Gen9", "Xe2"])
def test_the_table_of_all_releases_fits_80_columns(generation: str) -> None:
    printed = matrix("--generation", generation).stdout

    assert max(map(len, printed.splitlines())) <= 80
    assert "\x1b" not in printed
    assert "…" not in printed
    for release in ("debian-13", "ubuntu-24.04", "opensuse-tumbleweed", "conda-forge-rolling"):
        assert any(line.startswith(f"{release} ") for line in printed.splitlines())


@pytest.mark.parametrize("name", ["compute-runtime", "rusticl", "beignet"])
def test_of_one_driver_there_is_one_table_of_releases_by_generation(name: str) -> None:
    printed = matrix("--implementation", name).stdout.splitlines()

    assert printed[0] == f"OpenCL by {name}, on x86-64"
    assert max(map(len, printed)) <= 80
    assert not any("…" in line for line in printed)
    assert {"Gen8", "Gen9.5"} <= set(" ".join(printed[1:3]).split())
    assert sum(line.startswith("debian-12 ") for line in printed) == 1


def test_of_a_driver_of_processors_there_is_one_column() -> None:
    printed = matrix("--implementation", "pocl").stdout.splitlines()

    assert printed[1].split() == ["release", "cpu"]
    assert "debian-12 CPU 3.1" in [" ".join(line.split()) for line in printed]


def test_of_one_release_there_is_one_table_of_generations_by_driver() -> None:
    printed = matrix("--distribution", "debian-12").stdout.splitlines()

    assert printed[0] == "OpenCL on debian-12, on x86-64"
    (line,) = [line for line in printed if line.startswith("Gen9 ")]
    assert {"yes", "yes*", "CPU", "?"} <= set(line.split())


def test_the_signs_tell_the_processor_and_variables_apart() -> None:
    lines = matrix("--generation", "Gen9", "--distribution", "debian-13").stdout.splitlines()
    header = next(line for line in lines if line.startswith("release"))
    signs = next(line for line in lines if line.startswith("debian-13"))

    assert header.split() == ["release", "beignet", "legacy1", "rusticl", "intel-cpu", "pocl"]
    assert "yes* 25.0" in signs
    assert "CPU 6.0" in signs
    assert "no: adreno, amd-rocm, clover, compute-runtime, mali, nvidia, oclgrind, vc4cl" in lines


def test_reasons_and_sources_follow_where_few_cells_are_named() -> None:
    printed = matrix(
        "--generation", "HD 4600", "--distribution", "noble", "--implementation", "neo"
    )

    assert "compute-runtime on ubuntu-24.04, Gen7.5: not supported" in printed.stdout
    assert "never drives Gen7.5" in printed.stdout
    assert "  see https://github.com/intel/compute-runtime" in printed.stdout


@pytest.mark.parametrize(
    ("option", "name", "near"),
    [
        ("--generation", "Gne9", "Gen9"),
        ("--generation", "Tygerlake", "Tiger Lake"),
        ("--distribution", "debain-12", "debian-12"),
        ("--implementation", "rustical", "rusticl"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest(option: str, name: str, near: str) -> None:
    ended = matrix(option, name)

    assert ended.returncode == 2
    assert f"Did you mean {near}" in ended.stderr


def test_the_json_fits_its_schema_and_names_what_must_be_set() -> None:
    found = json.loads(matrix("--generation", "Xe-HPG", "--format", "json").stdout)
    jsonschema.validate(found, published()["clprobe.matrix/1"])
    needed = {
        (cell["distribution"], cell["implementation"]): cell.get("environment", {})
        for cell in found["cells"]
    }

    assert needed["debian-13", "rusticl"] == {"RUSTICL_ENABLE": "iris"}
    assert "OverrideGpuAddressSpace" in needed["debian-12", "compute-runtime"]
    assert not needed["debian-sid", "compute-runtime"]


def test_the_markdown_has_a_line_per_cell() -> None:
    lines = matrix("--generation", "Gen9", "--distribution", "debian-12", "--format", "markdown")

    rows = lines.stdout.splitlines()
    assert rows[1].startswith("|---")
    assert all(row.count("| ") >= 6 for row in rows[2:])


@pytest.mark.parametrize(
    ("version", "short"),
    [("1:25.3.5-1", "25.3"), ("6.0-6", "6.0"), ("3.1-3+deb12u1", "3.1"), (None, "")],
)
def test_a_version_is_cut_to_what_tells_it_apart(version: str | None, short: str) -> None:
    assert short_version(version) == short
