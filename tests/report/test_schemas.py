# SPDX-License-Identifier: MIT
"""The published JSON Schemas are fresh, and what the commands print fits them."""

import json
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clprobe.model.measurement import BenchReport, BenchVerdict, Result, Training
from clprobe.report.as_json import document
from clprobe.report.schemas import FOLDER, files, published

NAMES = list(published())
COMMANDS = {
    "clprobe.doctor/1": ("doctor", "--json"),
    "clprobe.info/1": ("info", "--json"),
    "clprobe.install-plan/1": (
        *("install-plan", "--gpu", "HD 4600", "--os", "ubuntu-24.04", "--json"),
    ),
    "clprobe.explain/1": ("explain", "HD 4600", "--json"),
    "clprobe.matrix/1": (
        *("rules", "matrix", "--generation", "Gen9", "--distribution", "debian", "--format"),
        "json",
    ),
    "clprobe.rules-stats/1": ("rules", "stats", "--json"),
    "clprobe.snapshot/1": ("snapshot",),
    "clprobe.cache/1": ("cache", "--json"),
    "clprobe.check/1": (
        *("check", "--json", "--needs", "clprobe/needs/example.yaml"),
        *("--from", "tests/healthy/nvidia-h200-cuda-13-container.json"),
    ),
}
BENCH = BenchReport(
    host={"os": "Debian", "logical_cores": 2, "torch": None},
    baseline="numpy",
    results=(
        Result(
            device="0: PoCL",
            workload="train-mlp",
            metric="throughput",
            unit="samples/s",
            median=1.5,
            ci95=(1.0, 2.0),
            samples=7,
            status="ok",
        ),
    ),
    training=(
        Training(
            device="0: PoCL",
            model="mlp",
            loss=(2.3, 0.1),
            accuracy=0.97,
            samples_per_second=1.5,
            matches_reference=True,
        ),
    ),
    verdicts=(
        BenchVerdict(
            workload="train-mlp",
            device="0: PoCL",
            ratio=None,
            ci95=None,
            decision="refused",
            text="Do not use it.",
        ),
    ),
)


def schema_of(name: str) -> Any:
    return json.loads((FOLDER / f"{name.replace('/', '-')}.json").read_text("utf-8"))


def validate(text: str, name: str) -> Any:
    parsed = json.loads(text)
    Draft202012Validator(schema_of(name)).validate(parsed)
    return parsed


def test_the_files_are_fresh() -> None:
    expected = files()
    folders = {path.parent for path in expected}
    there = {path for folder in folders for path in folder.glob("*.json")}
    assert {path: path.read_text("utf-8") for path in there} == expected


@pytest.mark.parametrize("name", NAMES)
def test_each_is_a_valid_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema_of(name))


@pytest.mark.parametrize(("name", "command"), COMMANDS.items())
def test_what_a_command_prints_fits(name: str, command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clprobe", *command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert validate(done.stdout, name)["schema"] == name


def test_a_plan_with_its_matrix_fits() -> None:
    argv = [sys.executable, "-m", "clprobe", *COMMANDS["clprobe.install-plan/1"], "--matrix"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)

    assert validate(done.stdout, "clprobe.install-plan/1")["matrix"]


def test_a_bench_report_fits() -> None:
    validate(document("clprobe.bench/1", BENCH), "clprobe.bench/1")


def test_a_snapshot_with_nothing_fits() -> None:
    validate("{}", "clprobe.snapshot/1")


@pytest.mark.parametrize("key", ["verdicts", "schema", "clprobe"])
def test_a_document_without_one_key_does_not_fit(key: str) -> None:
    parsed = json.loads(document("clprobe.bench/1", BENCH))
    del parsed[key]

    assert not Draft202012Validator(schema_of("clprobe.bench/1")).is_valid(parsed)


def test_another_version_does_not_fit() -> None:
    text = document("clprobe.bench/2", BENCH)

    assert not Draft202012Validator(schema_of("clprobe.bench/1")).is_valid(json.loads(text))
