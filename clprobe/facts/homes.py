# SPDX-License-Identifier: MIT
"""Writes a person's home folder as ~, so that a scrubbed snapshot replays as the live run."""

import re
from typing import Any

import msgspec

from clprobe.model.finding import Diagnosis
from clprobe.model.placeholders import HOME, is_person
from clprobe.model.system import User


def without_home(diagnosis: Diagnosis, user: User) -> Diagnosis:
    """Return the diagnosis with ~ for the home folder; root's, services' and others' stay."""
    is_asker = user.is_asker is not False
    if not is_asker or not is_person(user.uid) or not isinstance(user.name, str):
        return diagnosis
    name = re.escape(user.name)
    home = re.compile(rf"(?<![\w.~-])(/var)?/home/{name}(?![\w.-])")
    changed = _changed(msgspec.to_builtins(diagnosis), home)
    return msgspec.convert(changed, Diagnosis)


def _changed(value: Any, home: re.Pattern[str]) -> Any:
    if isinstance(value, dict):
        return {key: _changed(part, home) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(part, home) for part in value]
    return home.sub(HOME, value) if isinstance(value, str) else value
