# SPDX-License-Identifier: MIT
"""Topics, examples, mistyped commands and manual pages."""

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from clprobe.cli.main import cli
from clprobe.manual.commands import WHOLE, told
from clprobe.manual.topics import Block, topic, topic_names, topic_text
from clprobe.report.man_page import Page, man_page

PACKAGE = Path(__file__).resolve().parents[2] / "clprobe"
CONTEXT = click.Context(cli, info_name="clprobe")
COMMANDS = cli.list_commands(CONTEXT)
# What others' variables say, facts and tests; the topic is about what clprobe itself obeys.
OWN_VARIABLES = {
    *("NO_COLOR", "FORCE_COLOR", "TERM", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"),
    *("XDG_RUNTIME_DIR", "CLPROBE_KERNEL_CACHE", "POCL_CACHE_DIR", "SOURCE_DATE_EPOCH"),
}


def run(*words: str) -> str:
    """Return what a command prints that ends well."""
    result = CliRunner().invoke(
        cli, words, catch_exceptions=False, standalone_mode=False, prog_name="clprobe"
    )
    assert not result.return_value
    return result.output


def error(*words: str) -> str:
    """Return the message of a usage error."""
    with pytest.raises(click.UsageError) as raised:
        CliRunner().invoke(
            cli, words, catch_exceptions=False, standalone_mode=False, prog_name="clprobe"
        )
    return raised.value.message


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("man")
    run("help", "--man", str(folder))
    return {path.stem: path.read_text("utf-8") for path in folder.glob("*.1")}


@pytest.mark.parametrize("name", topic_names())
def test_a_topic_is_plain_and_fits_any_terminal(name: str) -> None:
    text = topic_text(name)

    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80
    assert topic(name).title.strip(" .") == topic(name).title
    assert run("help", name) == text


def test_what_a_user_looks_up_is_there() -> None:
    wanted = {"devices", "environment", "exit-status", "files", "formats", "input"}

    assert wanted | {"permissions", "privacy", "reporting", "undo"} == set(topic_names())
    assert set(topic_names()).isdisjoint(COMMANDS)
    listed = run("help")
    assert [one for one in (*topic_names(), *COMMANDS) if one not in listed] == []


def test_topics_name_only_commands_and_options_that_exist() -> None:
    texts = "\n".join(map(topic_text, topic_names()))
    named = set(re.findall(r"(?:^|\W)clprobe ([a-z-]+)", texts)) - {"and", "has", "keeps"}
    known = {
        name
        for command in (cli, *(cli.get_command(CONTEXT, one) for one in COMMANDS))
        if command is not None
        for parameter in command.params
        for name in parameter.opts
    }

    assert {one for one in named if one in COMMANDS} >= {"cache", "doctor", "snapshot"}
    assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", texts)) <= known


def test_the_topic_about_variables_has_those_that_the_code_asks_for() -> None:
    tags = {tag for one in topic("environment").blocks for tag in one.tag.split(", ")}

    assert tags - {""} == OWN_VARIABLES | {"SUDO_USER", "SUDO_UID", "DOAS_USER"}
    code = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    by_libraries = {"NO_COLOR", "FORCE_COLOR", "TERM", "XDG_CONFIG_HOME"}
    assert [one for one in OWN_VARIABLES - by_libraries if f'"{one}"' not in code] == []


@pytest.mark.parametrize("name", [WHOLE, *COMMANDS])
def test_every_command_has_examples_with_commands_and_options_that_exist(name: str) -> None:
    own = told()[name]

    assert own.examples
    for example in own.examples:
        words = shlex.split(re.sub(r"eval |\"\$\(|\)\"|2>&1", "", example.run))
        words = words[words.index("clprobe") + 1 :]
        command = cli.get_command(CONTEXT, words[0])
        assert command is not None, example
        if isinstance(command, click.Group):
            command = command.get_command(CONTEXT, words[1])
            assert command is not None, example
        known = {one for parameter in command.params for one in parameter.opts}
        options = words[: words.index("--")] if "--" in words else words
        assert {one for one in options if re.match(r"--?[a-z]", one)} <= known, example


def test_what_is_told_of_commands_names_entries_of_the_topics() -> None:
    assert set(told()) == {WHOLE, *COMMANDS}
    for own in told().values():
        assert len(topic("environment").entries(own.environment)) == len(own.environment)
        assert len(topic("files").entries(own.files)) == len(own.files)


def test_help_of_a_command_ends_with_its_examples() -> None:
    text = run("help", "doctor")

    assert text.startswith("Usage: clprobe doctor [OPTIONS]")
    assert "clinfo 2>&1 | clprobe doctor -" in text
    assert run("help", "rules", "matrix").startswith("Usage: clprobe rules matrix")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["docter"], "doctor"),
        (["Doctor"], "doctor"),
        (["instal-plan"], "install-plan"),
        (["plan"], "install-plan or explain"),
        (["explian", "HD 4600"], "explain"),
        (["rules", "lst"], "list"),
        (["help", "exit"], "exit-status"),
        (["help", "rules", "metrix"], "matrix"),
    ],
)
def test_a_mistyped_name_says_what_was_meant(words: list[str], meant: str) -> None:
    assert f"Did you mean {meant}?" in error(*words)


def test_a_file_in_place_of_a_command_says_what_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.touch()

    assert f"clprobe doctor {path}" in error(str(path))
    assert error("zzzz") == "There is no command 'zzzz'."


def test_there_is_a_page_for_clprobe_and_for_each_command(pages: dict[str, str]) -> None:
    assert set(pages) == {"clprobe", *(f"clprobe-{name}" for name in COMMANDS)}
    for name, text in pages.items():
        sections = re.findall(r"^\.SH (.+)$", text, re.M)
        wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"]
        assert [one for one in sections if one != "COMMANDS"] == [
            *wanted, "ENVIRONMENT", "FILES", "SEE ALSO"
        ], name  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_has_every_option(name: str, pages: dict[str, str]) -> None:
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    shown = pages[f"clprobe-{name}"].replace(r"\-", "-")

    for parameter in (one for each in (command, *inner) for one in each.params):
        if isinstance(parameter, click.Option):
            assert [one for one in parameter.opts if rf"\fB{one}\fR" not in shown] == []


def test_pages_are_the_same_at_any_time_and_carry_the_date_that_is_stated(
    tmp_path: Path, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    run("help", "--man", str(tmp_path))

    dated = (tmp_path / "clprobe.1").read_text("utf-8")
    assert '"2026-01-01"' in dated
    assert dated.replace("2026-01-01", "") == pages["clprobe"]


def test_groff_has_nothing_to_say_against_them(pages: dict[str, str]) -> None:
    for name, text in pages.items():
        command = ("groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-z")
        try:
            done = subprocess.run(
                command, input=text, capture_output=True, text=True, timeout=60, check=False
            )
        except FileNotFoundError:
            pytest.skip("groff is not installed")
        assert (done.returncode, done.stderr) == (0, ""), name


def test_text_cannot_steer_troff() -> None:
    hostile = Block("paragraph", ".so /etc/passwd \\*(x")
    page = Page("x", "'y", ["x"], [hostile], [], [], [(".z 'w'", "\\n")], [], ["x"])
    text = man_page(page, version="1", date="")
    assert "\n.so" not in text
    assert "\\*" not in text.replace("\\e*", "")
