# SPDX-License-Identifier: MIT
"""What doctor is told to ignore does not count, be it by an option or by the user's own file."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from clprobe.cli.main import cli
from clprobe.cli.output import answering
from clprobe.model.errors import ClprobeError

CLOSED = """
gpus: [{pci_id: "8086:5916", kernel_driver: i915}]
device_nodes: [{path: /dev/dri/renderD128, mode: "0660", group: render, open_error: EACCES}]
user: {uid: 1000, groups: [{name: alice}], database_groups: [{name: alice}]}
views: [{viewer: clinfo, answer: {platforms: []}}]
"""
CAUSE = "render-node-not-accessible"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.yaml"
    path.write_text(CLOSED)
    return path


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of settings, which does not exist yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    path = tmp_path / "settings" / "clprobe" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["doctor", *map(str, arguments)], standalone_mode=False)


def _document(*arguments: object) -> tuple[dict[str, Any], int]:
    result = _run(*arguments, "--json")
    return json.loads(result.stdout), result.return_value


def test_what_is_ignored_and_what_follows_from_it_do_not_count(report: Path) -> None:
    before, status = _document(report)
    assert (before["root_cause"], before["ignored"], status) == (CAUSE, [], 1)
    after, status = _document(report, "--ignore", CAUSE)
    assert (after["status"], after["root_cause"], status) == ("healthy", None, 0)
    assert after["findings"] == []
    assert after["ignored"] == [one["id"] for one in before["findings"]]


def test_the_screen_tells_in_one_line_what_is_ignored(report: Path) -> None:
    lines = _run(report, "--ignore", CAUSE).stdout.splitlines()
    assert lines[0].endswith("Nothing is wrong but what is ignored: 0 OpenCL devices.")
    assert [line for line in lines if line.startswith(f"Ignored: {CAUSE}")]


def test_ignoring_another_finding_changes_nothing(report: Path) -> None:
    assert _document(report, "--ignore", "no-gpu")[0]["root_cause"] == CAUSE


def test_an_unknown_rule_is_a_usage_error_with_similar_names(report: Path) -> None:
    error = _run(report, "--ignore", "render-node-not-accesible").exception
    assert CAUSE in str(getattr(error, "message", ""))
    assert answering(lambda: 0) == 0  # the streams are whole again


def test_the_file_says_what_to_ignore(report: Path, settings: Path) -> None:
    settings.write_text(f'ignore = ["{CAUSE}"]\n')
    assert _document(report)[1] == 0


def test_the_file_makes_warnings_count(tmp_path: Path, settings: Path) -> None:
    report = tmp_path / "warned.yaml"
    report.write_text("""
icds: [{path: /etc/OpenCL/vendors/pocl.icd, answer: {stage: queries, outcome: ok, platforms: [
  {name: PoCL, devices: [{name: x, type: cpu, available: true, max_work_group_size: 0}]}]}}]
loaders: [{path: /lib/libOpenCL.so.1}]
gpus: []
""")
    assert _document(report)[1] == 0
    settings.write_text("strict = true\n")
    assert _document(report)[1] == 1


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('\nignore = ["no-gpus"]', 2, "no rule 'no-gpus'"),
        ('ignore = "no-gpu"', 1, 'ignore = "no-gpu"'),
        ('# mine\nstrict = "yes"', 2, 'strict = "yes"'),
        ("strickt = true", 1, "no setting 'strickt'"),
        ("ignore = [\n", 2, "the end of the file"),
        ("strict = treu", 1, "strict = treu"),
    ],
)
def test_a_mistake_is_told_with_file_line_value_and_remedy(
    report: Path, settings: Path, text: str, line: int, says: str
) -> None:
    settings.write_text(text)
    error = _run(report).exception
    assert isinstance(error, ClprobeError)
    assert error.message.startswith(f"{settings}:{line}: ")
    assert says in error.message
    assert "move it away" in error.hint


def test_a_folder_in_place_of_the_file_is_told(report: Path, settings: Path) -> None:
    settings.mkdir()
    error = _run(report).exception
    assert isinstance(error, ClprobeError)
    assert error.message == f"{settings}: Is a directory."


def test_no_settings_folder_is_no_mistake(report: Path, settings: Path) -> None:
    settings.parent.rmdir()
    assert _document(report)[1] == 1
