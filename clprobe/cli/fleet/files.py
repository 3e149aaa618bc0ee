# SPDX-License-Identifier: MIT
"""Tells a folder of many machines' snapshots from one report in several files."""

import os
import re
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from clprobe.cli.folder import holds_several, paths_in
from clprobe.model.errors import ClprobeError
from clprobe.model.fleet import Skipped

MOST_MACHINES = 100_000
_BEGINNING = 4096
_SCHEMA = re.compile(rb"[\"']?schema[\"']?\s*:\s*[\"']?clprobe\.snapshot/\d")


class Files(NamedTuple):
    """The snapshots of a fleet, and the files beside them; `folder` holds them all."""

    folder: Path
    snapshots: tuple[Path, ...]
    skipped: tuple[Skipped, ...]


def fleet_in(name: str) -> Files | None:
    """Return the snapshots in a folder or of a pattern; None: it is no fleet, but one report.

    A fleet has two files at least that say that they are snapshots.

    Raises: ClprobeError if there are more files than are read, or a folder cannot be read.
    """
    if not holds_several(name):
        return None
    paths = tuple(islice(paths_in(name), MOST_MACHINES + 1))
    marked = {path for path in paths if _is_marked(path)}
    if len(marked) < 2:
        return None
    if len(paths) > MOST_MACHINES:
        raise ClprobeError(
            reference="folder-too-large",
            message=f"{name} holds more than {MOST_MACHINES:,} files, the most that are read.",
            hint="Read it in parts, by patterns such as 'snapshots/a*.json'.",
        )
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    others = (path for path in paths if path not in marked)
    return Files(
        folder,
        tuple(path for path in paths if path in marked),
        tuple(_skipped(path, str(path.relative_to(folder))) for path in others),
    )


def _is_marked(path: Path) -> bool:
    return _SCHEMA.search(_beginning(path)) is not None


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_BEGINNING)
    except OSError:
        return b""


def _skipped(path: Path, name: str) -> Skipped:
    """Return why it is left out; what is named .json and is none was a snapshot, perhaps."""
    if path.suffix == ".json" and not _is_json(path):
        return Skipped(name=name, why="it is no JSON that can be read", damaged=True)
    return Skipped(name=name, why="it does not say that it is a snapshot", damaged=False)


def _is_json(path: Path) -> bool:
    try:
        msgspec.json.decode(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return True
