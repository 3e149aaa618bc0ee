# SPDX-License-Identifier: MIT
"""Which command answers which fact: rules/tables/questions.yaml."""

import shlex
from collections.abc import Iterable
from pathlib import Path

import msgspec

from clprobe.compat.packages import package_manager
from clprobe.knowledge.checked_yaml import read
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, listed
from clprobe.resources import rules_path


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One command and the facts that its output tells, as the starts of their paths.

    `{path}` in the command stands for the files that are asked about.
    """

    id: str
    title: str
    command: str
    facts: tuple[str, ...]
    by_manager: dict[str, str] = {}
    needs_root: bool = False


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


def _manager(snapshot: Snapshot) -> str:
    tool = package_manager(snapshot.system.distribution)
    if tool is not None:
        return tool.database
    packages = listed(snapshot.packages)
    told = (one.manager for one in packages if one.manager not in (NOT_STATED, "pip"))
    return next((str(manager) for manager in told), "")
