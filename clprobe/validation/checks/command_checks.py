# SPDX-License-Identifier: MIT
"""Checks of the commands in the database: none invites others in, and each is one for a shell."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from clprobe.explain.lexicon_plan import Tools
from clprobe.ruleset.questions import Questions
from clprobe.ruleset.rule import Action, Rule
from clprobe.validation.checks import place
from clprobe.validation.checks.place import Mistakes, Place

_SHARED = re.compile(r"(?<![\w.$}-])/(?:var/tmp|tmp|dev/shm)/[^\s'\"]")
_OWN_FOLDER = (
    "In a folder that everybody may write, another user can make that name first. "
    'Write "$(mktemp -d)", or a folder in "$XDG_RUNTIME_DIR".'
)
_RUNS_FILES = re.compile(r"(?<![\w/.-])ldd(?![\w-])")
_FACT = re.compile(r"\{[A-Za-z_][\w.]*\}")


def remedies(files: dict[Path, Rule]) -> Mistakes:
    """Yield what is wrong with the commands in remedies, each with its file and line."""
    for path, rule in files.items():
        for number, action in enumerate(rule.actions):
            here = Place(path).at("remedy", number, action.kind)
            for key, text in action.arguments.items():
                yield from _text(here.at(key), text)
            if action.kind == "manual" and _RUNS_FILES.search(action.arguments["text"]):
                yield here.mistake("ldd may run the file that it lists", "Write readelf -d.")
            if not _sets_one_value(action):
                yield here.at("value").mistake(
                    "a shell reads more than one word", "Quote it as for a shell."
                )


def asked(path: Path) -> Mistakes:
    """Yield what is wrong with the commands of rules/tables/questions.yaml."""
    for number, question in enumerate(Questions.load(path.parent).questions):
        here = Place(path).at("questions", number)
        for text in (question.command, *question.by_manager.values()):
            yield from _text(here.at("command"), text)


def tools(path: Path) -> Mistakes:
    """Yield what is wrong in rules/tables/tools.yaml."""
    for number, tool in enumerate(Tools.load(path.parent).tools):
        here = Place(path).at("tools", number)
        yield from place.legend(here, [("source", tool.source)])


def shared_names(text: str) -> Iterator[str]:
    """Yield each name in a folder that everybody may write, such as "/tmp/x"."""
    for found in _SHARED.finditer(text):
        yield text[found.start() :].split(maxsplit=1)[0]


def _text(here: Place, text: str) -> Mistakes:
    for name in shared_names(text):
        yield here.mistake(f"others can make {name} first", _OWN_FOLDER)


def _sets_one_value(action: Action) -> bool:
    if action.kind != "set_environment":
        return True
    try:
        return len(shlex.split(_FACT.sub("x", action.arguments["value"]))) == 1
    except ValueError:  # an unbalanced quote
        return False
