# SPDX-License-Identifier: MIT
"""Shell lines that make programs load chosen ICDs only, and lines that take it back.

Both loaders agree on one thing alone: OCL_ICD_VENDORS may name a folder of `.icd` files. The lines
make such a folder for the shell that runs them, so that clprobe itself changes nothing. They stand
in shells/, with an @ before what is filled in.
"""

import shlex
from collections.abc import Iterator
from pathlib import Path
from string import Template

import msgspec

from clprobe.facts.hiding import Choice, HiddenIcd, KeptIcd

FOLDER = "CLPROBE_ENV_FOLDER"
"""The variable that names the folder in force."""

# What the lines change, and where the former value is kept meanwhile.
SAVED = {
    "OCL_ICD_VENDORS": "CLPROBE_ENV_VENDORS",
    "OCL_ICD_FILENAMES": "CLPROBE_ENV_FILENAMES",
}
SHELLS = ("sh", "fish")
"""POSIX shells, namely dash, bash, zsh, ksh and BusyBox, read the same lines."""


class EnvReport(msgspec.Struct, frozen=True, kw_only=True):
    """What hides broken drivers in one shell; `lines` are what `clprobe env` prints."""

    shell: str
    kept: tuple[KeptIcd, ...]
    hidden: tuple[HiddenIcd, ...]
    lines: tuple[str, ...]


def hiding_lines(choice: Choice, parent: str, shell: str) -> tuple[str, ...]:
    """Return the lines that hide what the choice hides; the folder is made inside `parent`."""
    comments = (f"# hidden: {_comment(one.icd)}: {_comment(one.why)}" for one in choice.hidden)
    return (*comments, *_hiding(choice, parent, shell))


def _hiding(choice: Choice, parent: str, shell: str) -> Iterator[str]:
    quoted = _fish_quoted if shell == "fish" else shlex.quote
    for line in _lines("hide", shell):
        if "@library" in line.template:  # once for each driver
            for icd in choice.kept:
                yield line.substitute(library=quoted(icd.library), file_name=quoted(icd.file_name))
        else:
            yield line.substitute(parent=quoted(parent))


def undoing_lines(shell: str) -> tuple[str, ...]:
    """Return the lines that give variables back their former values and remove the folder."""
    return tuple(line.template for line in _lines("undo", shell))


def _lines(what: str, shell: str) -> list["_Line"]:
    file = Path(__file__).parent / "shells" / f"{what}.{shell}"
    return list(map(_Line, file.read_text("utf-8").splitlines()))


class _Line(Template):
    delimiter = "@"


def comment_lines(text: str) -> tuple[str, ...]:
    """Return a text as shell comments."""
    return tuple(f"# {_comment(line)}" for line in text.splitlines())


def _comment(text: str) -> str:
    """Return the text without anything that ends a comment or moves the cursor."""
    return "".join(c if c.isprintable() else "?" for c in text)


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
