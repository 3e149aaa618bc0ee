# SPDX-License-Identifier: MIT
"""Leaves a person's home folder out of a diagnosis."""

import re
from typing import Any

import msgspec

from clprobe.model.finding import Diagnosis
from clprobe.model.placeholders import HOME, is_person
from clprobe.model.system import User


def without_home(diagnosis: Diagnosis, user: User) -> Diagnosis:
    """Return the diagnosis with ~ for a person's home folder, as a scrubbed snapshot has it.

    Those of root, services and others stay.
    """
    if user.is_asker is False or not is_person(user.uid) or not isinstance(user.name, str):
        return diagnosis
    if not _speaks_of_homes(diagnosis):
        return diagnosis
    name = re.escape(user.name)
    home = re.compile(rf"(?<![\w.~-])(/var)?/home/{name}(?![\w.-])")
    return msgspec.convert(_written(msgspec.to_builtins(diagnosis), home), Diagnosis)


def _speaks_of_homes(diagnosis: Diagnosis) -> bool:
    try:
        return b"/home/" in msgspec.json.encode(diagnosis)
    except (UnicodeEncodeError, OverflowError):  # a snapshot may hold what JSON cannot
        return True


def _written(value: Any, home: re.Pattern[str]) -> Any:
    if isinstance(value, dict):
        return {key: _written(part, home) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_written(part, home) for part in value]
    return home.sub(HOME, value) if isinstance(value, str) else value
