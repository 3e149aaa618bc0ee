# SPDX-License-Identifier: MIT
"""What paths, traces of system calls and lists of symbols tell of environments and libraries."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.reading import Paste
from clprobe.paste.statements.page import placed

_PRINTED = Forms("said_lines")
_MOST_LINES = 3000
_MOST = 20
_LONGEST_COMMAND = 160


def traced_in(paste: Paste) -> Iterator[Statement]:
    """Yield environments by their paths, files that were looked for in vain, newest versions."""
    lines = list(islice(enumerate(paste.lines), _MOST_LINES))
    yield from _environments(lines)
    yield from _files(paste, lines)
    yield from _newest(paste, lines)


def _environments(lines: list[tuple[int, str]]) -> Iterator[Statement]:
    """Yield each environment of Conda, and the version of Python, that a path names."""
    known: set[str] = set()
    for index, text in lines:
        conda = _PRINTED.conda_environment.search(text) if "envs/" in text else None
        if conda is not None and "conda" not in known:
            known.add("conda")
            says = f"conda environment {conda['name']}"
            yield Statement(line=index + 1, what="uses", subject="conda environment", says=says)
        python = _PRINTED.python_in_path.search(text) if "/python" in text else None
        if python is not None and python["version"] not in known and len(known) < _MOST:
            known.add(python["version"])
            version = python["version"]
            yield Statement(line=index + 1, what="version", subject="python", version=version)


def _files(paste: Paste, lines: list[tuple[int, str]]) -> Iterator[Statement]:
    """Yield the libraries and .icd files that no call found, and the folder of .icd files read."""
    found = [
        (index, call)
        for index, text in lines
        if "(" in text[:40] and (call := _PRINTED.file_call.match(text)) is not None
    ]
    opened = {call["name"] for _, call in found if call["done"]}
    given: set[str] = set()
    for index, call in found:
        name = call["name"]
        is_folder = name.startswith("vendors")
        key = call["path"] if is_folder else name
        if key in given or len(given) >= _MOST or (name in opened and not is_folder):
            continue
        given.add(key)
        error = call["error"]
        what, how = ("absent", f" = {error}") if error else ("uses", "")
        told = placed(index, paste.contexts[index], what, f"open {call['path']}{how}")
        yield msgspec.structs.replace(told, subject=key)


def _newest(paste: Paste, lines: list[tuple[int, str]]) -> Iterator[Statement]:
    """Yield the newest version of each kind that a library is listed to have."""
    newest: dict[tuple[str, str], tuple[tuple[int, ...], int, str]] = {}
    for index, text in lines:
        found = _PRINTED.version_tag.match(text.strip()) if "_" in text[:12] else None
        if found is None or found["version"] is None:
            continue
        key = (paste.contexts[index].command[:_LONGEST_COMMAND], found["name"])
        number = tuple(map(int, found["version"].split(".")))
        if key not in newest or number > newest[key][0]:
            newest[key] = (number, index, found["version"])
    for (command, name), (_, index, version) in islice(newest.items(), _MOST):
        library = _PRINTED.library_asked.search(command)
        subject = f"{name} of {library['name']}" if library is not None else name
        yield Statement(line=index + 1, what="version", subject=subject, version=version)
