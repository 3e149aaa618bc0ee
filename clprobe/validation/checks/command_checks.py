# SPDX-License-Identifier: MIT
"""Checks of the commands in the database: each is typed, one for a shell, and invites nobody in.

Of rules/tables/questions.yaml also that its facts exist, and that no two questions ask for one.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

from clprobe.commands.mending import APPLIES
from clprobe.explain.lexicon_packages import Tools
from clprobe.facts.facts import Facts
from clprobe.facts.paths import fields_of
from clprobe.knowledge.printed import Forms
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
_TYPED = (
    "Write the typed action that does it, `show` with its words where it only shows something, "
    "or say it in words: rules/README.md lists the actions."
)
_SHELLS = ("sh", "bash", "sudo", "eval")
_FORMS = Forms("shell")
_FACT = re.compile(r"\{[A-Za-z_][\w.]*\}")


def remedies(files: dict[Path, Rule]) -> Mistakes:
    """Yield what is wrong with the commands in remedies, each with its file and line."""
    for path, rule in files.items():
        for number, action in enumerate(rule.actions):
            here = Place(path).at("remedy", number, action.kind)
            for key, text in action.texts():
                yield from _text(here.at(key), text)
                if key in ("text", "argv") and _RUNS_FILES.search(text):
                    yield here.mistake("ldd may run the file that it lists", "Write readelf -d.")
            command = command_in(action.arguments.get("text", ""))
            if command is not None:
                yield here.at("text").mistake(f"{command!r} is a command", _TYPED)
            if not _sets_one_value(action):
                yield here.at("value").mistake(
                    "a shell reads more than one word", "Quote it as for a shell."
                )
            yield from _words(here, action)


def tools(path: Path) -> Mistakes:
    """Yield what is wrong in rules/tables/tools.yaml."""
    for number, tool in enumerate(Tools.load(path.parent).tools):
        here = Place(path).at("tools", number)
        yield from place.legend(here, [("source", tool.source)])


def shared_names(text: str) -> Iterator[str]:
    """Yield each name in a folder that everybody may write, such as "/tmp/x"."""
    for found in _SHARED.finditer(text):
        yield text[found.start() :].split(maxsplit=1)[0]


def command_in(text: str) -> str | None:
    """Return the first part of a text for people that is shell, None if none is.

    A program's name alone is none, nor is one that prose goes on after: "pip has an older one".
    """
    found = _FORMS.command.search(text)
    return found[0].strip() if found is not None else None


def _words(here: Place, action: Action) -> Mistakes:
    """Yield what is wrong with words that are data: what they call, write and leave open."""
    argv = action.arguments.get("argv", ())
    if argv and argv[0] in _SHELLS:
        yield here.at("argv").mistake(
            f"{argv[0]} is not for the words of a command",
            "Write the words of one program; `root: true` lets sudo stand before them.",
        )
    for hole in action.arguments.get("holes", ()):
        if not any(hole in word for word in argv):
            yield here.at("holes", hole).mistake("no word of argv holds it")
    if action.kind == "write_setting":
        folder = f"{action.arguments['path'].rpartition('/')[0]}/"
        if folder not in APPLIES:
            yield here.at("path").mistake(
                f"what lets a file of {folder} take effect is not known",
                f"Known are {', '.join(APPLIES)}.",
            )


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


def questions(path: Path) -> Mistakes:
    """Yield what is wrong in rules/tables/questions.yaml.

    Raises: ClprobeError if it does not fit its type.
    """
    top, ids, facts = Place(path), set[str](), set[str]()
    for number, question in enumerate(Questions.load(path.parent).questions):
        here = top.at("questions", number)
        if question.id in ids:
            yield here.at("id").mistake(f"{question.id} is there twice", "Ids are used once.")
        ids.add(question.id)
        for text in (question.command, *question.by_manager.values()):
            yield from _text(here.at("command"), text)
        for fact in question.answered:
            if not _is_fact(fact):
                yield here.at("answered", fact).mistake(f"there is no fact {fact}")
        for fact in question.facts:
            if fact in facts:
                yield here.at("facts", fact).mistake(f"{fact} is asked twice", "Ask it once.")
            elif not _is_fact(fact):
                yield here.at("facts", fact).mistake(f"there is no fact {fact}")
            facts.add(fact)


def _is_fact(path: str) -> bool:
    """Whether the path leads to a fact; unlike a rule's, it goes through lists."""
    struct: type[msgspec.Struct] | None = Facts
    for name in path.split("."):
        if struct is None or name not in fields_of(struct):
            return False
        struct = fields_of(struct)[name].struct
    return True
