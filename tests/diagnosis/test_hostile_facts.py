# SPDX-License-Identifier: MIT
"""Whatever a snapshot says, a printed remedy is one intended command and nothing else."""

import json
import re
import shlex
from collections.abc import Iterator
from html import escape
from pathlib import Path

import msgspec
import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.diagnosis.remedies import remedies_of
from clprobe.facts.derive import derive
from clprobe.facts.paths import Scope, Use
from clprobe.model.codec import snapshot_from_text
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis, Remedy
from clprobe.model.shell_words import shell_word
from clprobe.report.doctor_html import diagnosis_as_html
from clprobe.report.doctor_text import DoctorText
from clprobe.report.doctor_words import command, folded
from clprobe.report.markdown import diagnosis_as_markdown
from clprobe.report.markdown_text import code
from clprobe.report.terminal import make_console
from clprobe.ruleset.rule import Action, Rule
from clprobe.validation.cases import case_file_of, load_cases, snapshot_of
from clprobe.validation.checks.command_checks import shared_names
from tests.diagnosis.hostile import (
    MARK,
    NASTY,
    TYPED,
    UNSEEN,
    Hostile,
    commands_of,
    with_hostile_texts,
)

KNOWLEDGE = Knowledge.load()
_FACT = re.compile(r"\{[A-Za-z_][\w.]*\}")
_OF_DEBIAN = '{"system": {"distribution": {"id": "debian", "version": "12"}}, "environment": %s}'
PROGRAMS = {
    "sudo", "apt", "usermod", "gpasswd", "groupadd", "groupdel", "mv", "chmod", "sed", "sh", "ln",
    "rm", "grubby", "modprobe", "python3", "conda", "dnf", "clprobe", "chgrp", "dkms", "dpkg",
    "cat", "incus", "ldconfig", "mokutil", "prime-run", "prime-select",
    "env", "find", "findmnt", "flatpak", "getent", "getfacl", "grep", "journalctl", "loginctl",
    "ls", "lspci", "newgrp", "nvidia-smi", "python", "readelf", "screen", "setfacl", "setsebool",
    "snap", "stat", "sycl-ls", "systemctl", "tmux", "udevadm", "vulkaninfo", "wsl.exe", "ausearch",
}  # fmt: skip


def with_everything_hostile(rule: Rule, nasty: str) -> Iterator[tuple[Action, Remedy]]:
    """Yield every remedy of the rule as it reads where each fact in it is that text."""
    names = {name for action in rule.actions for name in _facts_of(action)}
    variables = {name: Use(name, "", Hostile(nasty)) for name in names}
    for action in rule.actions:
        alone = msgspec.structs.replace(
            rule, actions=(msgspec.structs.replace(action, given=None),)
        )
        environment = {action.arguments["name"]: nasty} if "_environment" in action.kind else {}
        snapshot = snapshot_from_text(_OF_DEBIAN % json.dumps(environment), name="test")
        facts = derive(snapshot, KNOWLEDGE.tables)
        for remedy in remedies_of(alone, Scope(facts, variables), KNOWLEDGE.tables):
            yield action, remedy


def _facts_of(action: Action) -> Iterator[str]:
    for _, text in action.texts():
        for found in _FACT.findall(text):
            yield found[1:-1].split(".")[0]


@pytest.mark.parametrize("nasty", NASTY)
def test_every_remedy_of_every_rule_is_one_command_whatever_its_facts_say(
    nasty: str, tmp_path: Path
) -> None:
    lines, expected = [], []
    for rule in KNOWLEDGE.rules:
        for _, remedy in with_everything_hostile(rule, nasty):
            for argv in (remedy.argv, remedy.undo):
                if isinstance(argv, tuple):
                    lines.append(command(argv, remedy))
                    expected.append((*(("sudo",) if remedy.needs_root else ()), *argv))
    assert commands_of(lines, tmp_path, PROGRAMS) == expected


@pytest.mark.parametrize("nasty", NASTY)
def test_no_name_is_an_option_and_no_text_is_code(nasty: str) -> None:
    for rule in KNOWLEDGE.rules:
        for action, remedy in with_everything_hostile(rule, nasty):
            for argv in (remedy.argv, remedy.undo):
                words = argv if isinstance(argv, tuple) else ()
                for place, word in enumerate(words):
                    if MARK not in word:
                        continue
                    assert not word.startswith("-"), (rule.id, argv)
                    # Whole names of files alone, each a word of its own.
                    name = word.removeprefix("/etc/OpenCL/vendors/")
                    assert name in (nasty, f"{nasty}.before", f"{nasty}.disabled"), (rule.id, argv)
                    assert words[place - 1] not in ("-c", "-e"), (rule.id, argv)
            if action.kind in ("reinstall", "remove_package", "add_to_group", "load_module"):
                assert not any(MARK in word for word in remedy.argv or ()), (rule.id, remedy)


@pytest.mark.parametrize("nasty", NASTY)
def test_facts_in_the_text_of_a_remedy_are_single_words_of_a_shell(nasty: str) -> None:
    for rule in KNOWLEDGE.rules:
        for action, remedy in with_everything_hostile(rule, nasty):
            if action.kind not in ("manual", "set_environment"):
                continue
            template = action.arguments.get("text") or action.arguments["value"]
            if not _FACT.search(template):
                continue
            if nasty in TYPED:
                assert shlex.split(shell_word(nasty)) == [nasty]
                filled = _FACT.sub(lambda _: shell_word(nasty), template)
                assert remedy.title.endswith(filled), rule.id
            else:
                assert MARK not in remedy.title, rule.id


@pytest.mark.parametrize("nasty", NASTY)
def test_lines_that_set_and_take_back_variables_do_nothing_else(nasty: str, tmp_path: Path) -> None:
    lines, expected = [], []
    for rule in KNOWLEDGE.rules:
        for action, remedy in with_everything_hostile(rule, nasty):
            if action.kind not in ("set_environment", "unset_environment"):
                continue
            name = action.arguments["name"]
            is_set = action.kind == "set_environment"
            line = remedy.title.partition(": ")[2] if is_set else remedy.undo
            if line is None or "$" in _FACT.sub("", action.arguments.get("value", "")):
                continue
            if is_set and not line.startswith("export "):
                continue  # told as a sentence
            lines += [line, f'said "${name}"', f"unset {name}"]
            value = action.arguments.get("value", "{fact}")
            expected.append(("said", _FACT.sub(lambda _: nasty, value)))
    assert commands_of(lines, tmp_path, {"said"}) == expected
    assert len(expected) > 10 or nasty not in TYPED


# What rules compare with fixed words: with anything else in them nothing would be present.
SPARED = frozenset({
    "acl", "architecture", "checked", "codename", "file_mode", "file_type", "format", "id",
    "implementation", "kernel_driver", "kernel_result", "kind", "like", "machine", "manager",
    "mode",    "outcome", "pci_id", "release", "stage", "type", "unknown", "version",
})  # fmt: skip
_COMMAND = re.compile(r"^  (?:Fix|Or|Undo) {5,8}(?! )(.*)$", re.MULTILINE)


def hostile_diagnoses(nasty: str) -> Iterator[Diagnosis]:
    """Yield what doctor says of each rule's first present case with the text in every fact."""
    for rule in KNOWLEDGE.rules:
        file = load_cases(case_file_of(rule))
        case = next(one for one in file.cases if one.expect == "present")
        facts = msgspec.to_builtins(snapshot_of(case, file))
        try:
            hostile = snapshot_from_text(
                json.dumps(with_hostile_texts(facts, nasty, SPARED)), name="test"
            )
        except ClprobeError:
            continue  # a fact that takes fixed words only
        yield diagnose(hostile, KNOWLEDGE)


def roots(diagnosis: Diagnosis) -> Iterator[tuple[Remedy, str]]:
    """Yield each remedy that the text shows with its command."""
    for head, _ in folded(diagnosis.findings):
        for remedy in head.remedies:
            for argv in (remedy.argv, remedy.undo):
                if isinstance(argv, tuple):
                    yield remedy, command(argv, remedy)


def text_of(diagnosis: Diagnosis) -> str:
    console = make_console("never", width=80)
    with console.capture() as captured:
        DoctorText(console, verbosity=1).show(diagnosis, checks=1, elapsed_ms=1)
    return captured.get()


@pytest.mark.parametrize("nasty", [NASTY[0], NASTY[4], NASTY[10], UNSEEN[1]])
def test_reports_print_of_a_hostile_snapshot_only_the_commands_of_their_json(
    nasty: str, tmp_path: Path
) -> None:
    printed, expected, seen = [], [], 0
    for diagnosis in hostile_diagnoses(nasty):
        markdown, page = (
            diagnosis_as_markdown(diagnosis),
            diagnosis_as_html(diagnosis, checks=1, elapsed_ms=1),
        )
        text = text_of(diagnosis)
        known = {line for _, line in roots(diagnosis)}
        told = [one for head, _ in folded(diagnosis.findings) for one in head.remedies]
        sentences = [f"{one.title} (takes effect {one.takes_effect})" for one in told] + [
            str(one.undo) for one in told
        ]
        for line in _COMMAND.findall(text):
            assert line in known or any(said.startswith(line) for said in sentences), line
            printed += [line] if line in known else []
            seen += 1
        for one in told:
            assert not isinstance(one.undo, str) or f"  Undo     {one.undo}\n" in text
        for remedy, line in roots(diagnosis):
            assert remedy.argv is None or code(command(remedy.argv, remedy)) in markdown
            assert escape(line) in page
        for one in told:
            root = ("sudo",) if one.needs_root else ()
            expected += [(*root, *argv) for argv in (one.argv, one.undo) if isinstance(argv, tuple)]
        assert "\x1b" not in markdown + page
    assert seen > 50
    assert set(commands_of(printed, tmp_path, PROGRAMS)) <= set(expected)


def test_no_remedy_names_a_place_that_others_can_make_first() -> None:
    for rule in KNOWLEDGE.rules:
        for _, remedy in with_everything_hostile(rule, "/usr/lib/x"):
            words = [remedy.title, str(remedy.undo), *(remedy.argv or ())]
            assert not [name for word in words for name in shared_names(word)], rule.id
