# SPDX-License-Identifier: MIT
"""Which command answers which fact: rules/tables/questions.yaml."""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from clprobe.compat.packages import package_manager
from clprobe.knowledge.checked_yaml import read
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown, listed
from clprobe.resources import rules_path


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One command and the facts that its output tells, as the starts of their paths.

    `{path}` in the command stands for the files that are asked about. `answered` are facts of a
    snapshot; where all are stated, somebody has run the command, and of a command of several parts
    each stands for one; left out: nobody can tell.
    """

    id: str
    title: str
    command: str
    facts: tuple[str, ...]
    by_manager: dict[str, str] = {}
    needs_root: bool = False
    answered: tuple[str, ...] = ()


class Questions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All questions, and the facts that no command answers."""

    questions: tuple[Question, ...]
    not_askable: tuple[str, ...]

    @classmethod
    def load(cls, root: Path | None = None) -> "Questions":
        """Return the questions of the tables under `root`, or clprobe's own.

        Raises: ClprobeError if the file does not fit the format.
        """
        path = (root or rules_path() / "tables") / "questions.yaml"
        return read(path, cls)

    def about(self, path: str) -> Question | None:
        """Return the question that names the longest part of the path; None: not askable."""
        parts = path.split(".")
        for length in range(len(parts), 0, -1):
            start = ".".join(parts[:length])
            if start in self.not_askable:
                return None
            for question in self.questions:
                if start in question.facts:
                    return question
        return None


def command_for(question: Question, snapshot: Snapshot, paths: Iterable[str] = ()) -> str:
    """Return the question's command for the package manager of this host, about these files."""
    manager = _manager(snapshot)
    command = question.by_manager.get(manager, question.command)
    return command.replace("{path}", shlex.join(paths))


def is_answered(question: Question, snapshot: Snapshot) -> bool:
    """Whether the snapshot states what the command's output would tell."""
    return bool(question.answered) and all(
        _is_stated(snapshot, path.split(".")) for path in question.answered
    )


def unanswered_parts(question: Question, parts: list[str], snapshot: Snapshot) -> list[str]:
    """Return those parts of the command that nobody has run; all where the facts do not tell."""
    if len(parts) != len(question.answered):
        return parts
    told = (_is_stated(snapshot, path.split(".")) for path in question.answered)
    return [part for part, done in zip(parts, told, strict=True) if not done] or parts


def _is_stated(value: Any, names: list[str]) -> bool:
    """Whether the fact is known; of a list that of any element, and an empty list tells all."""
    if isinstance(value, Unknown) or value == {}:
        return False
    if isinstance(value, tuple) and names:
        return not value or any(_is_stated(one, names) for one in value)
    return not names or value is None or _is_stated(getattr(value, names[0]), names[1:])


def _manager(snapshot: Snapshot) -> str:
    tool = package_manager(snapshot.system.distribution)
    if tool is not None:
        return tool.database
    packages = listed(snapshot.packages)
    told = (one.manager for one in packages if one.manager not in (NOT_STATED, "pip"))
    return next((str(manager) for manager in told), "")
