# SPDX-License-Identifier: MIT
"""--output and - mean the same with every command."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from clprobe.cli.main import cli, main

CONTEXT = click.Context(cli, info_name="clprobe")
# They write the files that they are about.
WRITERS = {"rules docs", "rules site"}
SNAPSHOT = '{"gpus": [{"pci_id": "8086:5916", "kernel_driver": "i915"}]}'


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command that prints an answer."""
    for name in cli.list_commands(CONTEXT):
        command = cli.get_command(CONTEXT, name)
        inner = command.commands if isinstance(command, click.Group) else {"": command}
        for more, one in inner.items():
            full = f"{name} {more}".strip()
            if full not in WRITERS and one is not None:
                yield full, one


EACH = dict(commands())


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    path = tmp_path / "host.json"
    path.write_text(SNAPSHOT)
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[object, str, str]:
    """Return the exit status, and what went to both streams."""
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    captured = capsys.readouterr()
    return end.value.code, captured.out, captured.err


@pytest.mark.parametrize("name", EACH)
def test_every_command_takes_output(name: str) -> None:
    option = next(one for one in EACH[name].params if "--output" in one.opts)

    assert option.metavar == "FILE|-"


@pytest.mark.parametrize(
    "words",
    [
        ["completion", "bash"],
        ["explain", "hd 620"],
        ["help", "files"],
        ["rules", "list"],
        ["doctor", "SNAPSHOT"],
        ["info", "SNAPSHOT"],
        ["install-plan", "SNAPSHOT", "--os", "debian-13"],
    ],
    ids=" ".join,
)
def test_the_file_holds_what_would_be_printed(
    words: list[str], snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(snapshot) if one == "SNAPSHOT" else one for one in words]
    status, printed, _ = run(capsys, *words)
    output = tmp_path / "answer"

    assert run(capsys, *words, "--output", output)[:2] == (status, "")
    if words[0] == "doctor":  # which says how long it took
        assert output.read_text().splitlines()[:3] == printed.splitlines()[:3]
    else:
        assert output.read_text() == printed
    if words[0] != "doctor":
        assert run(capsys, *words, "--output", "-")[:2] == (status, printed)


@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        (".json", "{"),
        (".html", "<!"),
        (".md", ""),
        (".sarif", "{"),
        (".xml", "<testsuites"),
        ("", ""),
    ],
)
def test_the_suffix_picks_the_format(
    suffix: str, start: str, snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / f"answer{suffix}"
    run(capsys, "doctor", snapshot, "--output", output)

    text = output.read_text("utf-8")
    assert text.startswith(start)
    if start == "{":
        json.loads(text)


def test_a_format_that_is_named_wins_and_one_that_is_not_there_is_refused(
    snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "answer.html"
    run(capsys, "doctor", snapshot, "--json", "--output", output)
    assert json.loads(output.read_text())["schema"] == "clprobe.doctor/1"

    other = tmp_path / "other.html"
    status, _, said = run(capsys, "info", snapshot, "--output", other)
    assert status == 2
    assert ".html" in said
    assert not other.exists()


def test_a_command_that_fails_leaves_the_file_alone_unless_it_has_a_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "answer.txt"
    output.write_text("before")
    assert run(capsys, "explain", "zzzz", "--output", output)[0] == 2
    assert output.read_text() == "before"

    document = tmp_path / "answer.json"
    assert run(capsys, "explain", "zzzz", "--output", document)[0] == 2
    assert json.loads(document.read_text())["entries"] == []


@pytest.mark.parametrize("words", [["doctor", "--fix"], ["install-plan", "--apply"]])
def test_nobody_is_asked_about_what_went_to_a_file(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, said = run(capsys, *words, "--output", tmp_path / "answer")

    assert status == 2
    assert "--yes" in said


@pytest.mark.parametrize("name", ["doctor", "info", "install-plan", "snapshot"])
def test_a_pipe_is_read_by_its_dash_alone_or_behind_from(name: str) -> None:
    for words in ([name, "-"], [name, "--from", "-"]):
        result = CliRunner().invoke(cli, words, input=SNAPSHOT, standalone_mode=False)
        assert result.exception is None, words
    doubled = CliRunner().invoke(cli, [name, "-", "--from", "-"], standalone_mode=False)
    assert isinstance(doubled.exception, click.UsageError)
