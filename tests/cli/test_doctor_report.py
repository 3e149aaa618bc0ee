# SPDX-License-Identifier: MIT
"""`doctor --report`: from a file as from this host, into a file, and not with what contradicts."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from clprobe.cli.main import cli

CLOSED = """
gpus: [{pci_id: "8086:5916", kernel_driver: i915}]
device_nodes: [{path: /dev/dri/renderD128, mode: "0660", group: render, open_error: EACCES}]
user: {uid: 1000, groups: [{name: alice}], database_groups: [{name: alice}]}
views: [{viewer: clinfo, answer: {platforms: []}}]
"""
CAUSE = "render-node-not-accessible"


def doctor(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["doctor", *map(str, arguments)], standalone_mode=False)


def answer(path: Path) -> dict[str, Any]:
    """Return what doctor says of a file; remedies name it."""
    printed = doctor(path, "--json").stdout.replace(str(path), "FILE")
    document: dict[str, Any] = json.loads(printed)
    del document["elapsed_ms"]
    return document


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.yaml"
    path.write_text(CLOSED)
    return path


def test_what_it_prints_gets_the_same_answer(report: Path, tmp_path: Path) -> None:
    block = tmp_path / "block.md"

    printed = doctor(report, "--report")
    written = doctor(report, "--report", "--output", block)

    assert printed.return_value == written.return_value == 1
    assert block.read_text() == printed.stdout
    assert "clprobe: nothing had to be scrubbed" in written.stderr
    assert f"Root cause: `{CAUSE}`" in printed.stdout
    assert answer(block) == answer(report)


def test_this_host_says_the_same_in_its_block(tmp_path: Path) -> None:
    block, facts = tmp_path / "block.md", tmp_path / "facts.json"
    doctor("--report", "--no-kernel", "--output", block)
    CliRunner().invoke(cli, ["snapshot", "--no-kernel", "--output", str(facts)])

    assert answer(block) == answer(facts)


def test_it_leaves_nothing_out_whatever_the_settings_say(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "clprobe").mkdir()
    (tmp_path / "clprobe/config.toml").write_text(f'ignore = ["{CAUSE}"]\n')

    assert doctor(report).return_value == 0
    assert f"`{CAUSE}`" in doctor(report, "--report").stdout


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("--json", "--json"),
        ("--format html", "not html"),
        ("--format text", "not text"),
        ("--output report.json", "not json"),
        ("--output report.html", "not html"),
        ("--check", "--check does not go with --report"),
        ("--fix", "--fix"),
        ("--undo", "--undo"),
        ("--list", "--list"),
        ("--why no-gpu", "--why"),
        ("--log gpu", "--log"),
        ("--device gpu", "--device"),
        ("--ignore no-gpu", "--ignore"),
        ("--baseline report.yaml", "--baseline"),
        ("-q", "-q"),
    ],
)
def test_what_contradicts_it_is_a_usage_error(options: str, named: str) -> None:
    error = doctor("--report", *options.split()).exception

    assert isinstance(error, click.UsageError)
    assert named in error.message


def test_markdown_is_what_it_is_anyway(report: Path) -> None:
    assert doctor(report, "--report", "--format", "markdown").stdout.startswith("**clprobe ")


def test_a_fleet_is_no_machine_to_report(report: Path, tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(f"schema: clprobe.snapshot/1\n{CLOSED}")
    report.write_text(f"schema: clprobe.snapshot/1\n{CLOSED}")

    error = doctor(tmp_path, "--report").exception

    assert isinstance(error, click.UsageError)
    assert "--report is about one machine" in error.message


def test_what_no_issue_holds_is_said_to_be_too_long(tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    path.write_text(f"{CLOSED}messages: [{', '.join(f'line {n} says this' for n in range(4000))}]")

    done = doctor(path, "--report")

    assert "characters are more than an issue may have" in done.stderr
    assert "clprobe.snapshot/1" in done.stdout
