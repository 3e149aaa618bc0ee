# SPDX-License-Identifier: MIT
"""Lets PoCL read only those declarations of OpenCL C that a source names.

Each build of PoCL parses 18,000 lines of declarations, which takes 0.18 of a processor's seconds
and, for the small programs of tests, nine tenths of the build. Its header has a guard for those who
declare the functions themselves: `_OPENCL_H_`. So tests put PoCL's own declarations of what they
use in front of the source. The code that comes of it is the same: see test_pocl_headers.py.
"""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pyopencl as cl

GUARD = "-D_OPENCL_H_"
_FILES = ("opencl-c-base.h", "opencl-c.h")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINE = re.compile(r"#\s*define\s+(\w+)(.*)")
_FUNCTION = re.compile(r"(\w+)\s*\(")
_EMPTY = re.compile(r"^#\s*if.*\n(?:#\s*(?:elif|else).*\n)*#\s*endif.*\n", re.MULTILINE)

Declarations = tuple[tuple[str | None, str], ...]
"""Each with the function's name, None for lines that must stay: types and the preprocessor's."""


def with_declarations(device: cl.Device, source: str, options: list[str]) -> str | None:
    """Return the source behind what it needs; None where the device is not one of PoCL's."""
    folder = folder_of(device)
    if folder is None:
        return None
    words = frozenset(_WORD.findall(" ".join((source, *options))))
    return f'#undef _OPENCL_H_\n{_declared(folder, words)}\n#line 1 "source"\n{source}'


@cache
def folder_of(device: cl.Device) -> Path | None:
    """Return where the device's PoCL keeps its headers; None if it is no PoCL, or not known."""
    version = device.platform.version
    if "PoCL" not in version:
        return None
    wheel = find_spec("pocl_binary_distribution")
    folder = Path("/usr/share/pocl/include")
    if "+debian" not in version:
        if wheel is None or wheel.origin is None:
            return None
        folder = Path(wheel.origin).parent / ".libs/share/pocl/include"
    return folder if all((folder / name).is_file() for name in _FILES) else None


@cache
def _declared(folder: Path, words: frozenset[str]) -> str:
    """Return what declares functions of these names; macros may add a width: vload, vload16."""
    declarations, macros = _read(folder)
    wanted, found = frozenset[str](), words
    while found != wanted:
        wanted = found
        found = wanted.union(*(macros[word] for word in wanted if word in macros))
    kept = "".join(
        f"{text}\n"
        for name, text in declarations
        if name is None or name in wanted or name.rstrip("0123456789") in wanted
    )
    while (smaller := _EMPTY.sub("", kept)) != kept:
        kept = smaller
    return f"{kept}#pragma OPENCL EXTENSION all : disable"


@cache
def _read(folder: Path) -> tuple[Declarations, dict[str, frozenset[str]]]:
    """Return what the headers declare, and the words that each macro of theirs stands for."""
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in _FILES)
    text = _COMMENT.sub(" ", text).replace("\\\n", " ").replace('#include "opencl-c-base.h"', "")
    made: list[tuple[str | None, str]] = []
    macros: dict[str, frozenset[str]] = {}
    open_text = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("#"):
            made.append((None, line))
            if defined := _DEFINE.match(line):
                macros[defined[1]] = frozenset(_WORD.findall(defined[2]))
        elif line:
            open_text += f"{line} "
            if line.endswith(";") and open_text.count("{") == open_text.count("}"):
                function = _FUNCTION.search(open_text) if "typedef" not in open_text else None
                made.append((function[1] if function else None, open_text))
                open_text = ""
    return tuple(made), macros
