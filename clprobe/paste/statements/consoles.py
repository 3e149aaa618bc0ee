# SPDX-License-Identifier: MIT
"""What prompts and sessions tell: environments, what was typed into Python or Julia, versions."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.reading import Paste
from clprobe.paste.statements.page import placed
from clprobe.paste.statements.predicates import tidy

_FORMS = Forms("consoles")
_MOST_LINES = 3000
_MOST = 30
_LONGEST = 160
_FEWEST_OF_A_TABLE, _SHARE_OF_NUMBERS = 12, 0.45


def sessions_in(paste: Paste) -> Iterator[Statement]:
    """Yield environments that prompts name, and what interactive sessions ask and answer."""
    lines = list(islice(enumerate(paste.lines), _MOST_LINES))
    known: set[str] = set()
    given = 0
    for at, (index, text) in enumerate(lines):
        prompt = _FORMS.environment_prompt.match(text) if text[:1] == "(" else None
        if prompt is not None and prompt["name"] not in known:
            known.add(prompt["name"])
            says = f"environment {prompt['name']}"
            told = placed(index, paste.contexts[index], "uses", says)
            yield msgspec.structs.replace(told, subject="environment", who="")
        typed = _FORMS.typed.match(text) if given < _MOST else None
        if typed is not None:
            given += 1
            yield from _of_typed(index, typed["code"], lines[at + 1 : at + 4])
        itself = _FORMS.starting.match(text) if "starting" in text[:90] else None
        if itself is not None and f"{itself['name']} {itself['version']}" not in known:
            known.add(f"{itself['name']} {itself['version']}")
            yield _version(index, itself["name"].lower(), itself["version"])


def _of_typed(index: int, code: str, below: list[tuple[int, str]]) -> Iterator[Statement]:
    """Yield a line that was typed, and what it answers where that is a version or a plain value."""
    if _FORMS.does_something.search(code):
        yield Statement(line=index + 1, what="did", says=tidy(code)[:_LONGEST])
    line, text = next(((at, one) for at, one in below if one.strip()), (index, ""))
    if _FORMS.died.match(text):
        says = f"{tidy(code)}: {tidy(text)}"[:_LONGEST]
        yield Statement(line=line + 1, what="fails", says=says)
        return
    answer = _FORMS.answer.match(text)
    if answer is None or _FORMS.typed.match(text):
        return
    asked = _FORMS.asks_version.match(code)
    version = _FORMS.version_answer.match(answer["value"])
    if asked is not None and version is not None:
        yield _version(line, asked["name"].lower(), version["version"])
    elif _FORMS.asks.match(code):
        says = f"{tidy(code)}: {tidy(answer['value'])}"[:_LONGEST]
        yield Statement(line=line + 1, what="shows", says=says)


def is_printed(line: str, sentence: str) -> bool:
    """Tell whether a line is of a session, or its sentence only the rows of a table."""
    if _FORMS.typed.match(line):
        return True
    words = sentence.split()
    numbers = sum(any(map(str.isdigit, one)) for one in words)
    return len(words) >= _FEWEST_OF_A_TABLE and numbers >= _SHARE_OF_NUMBERS * len(words)


def device_names_in(_: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the versions in a device's name, as Mesa writes them: "AMD CEDAR (DRM 2.50.0 / …)"."""
    found = _FORMS.device_brackets.search(text) if "LLVM " in text or "DRM " in text else None
    for one in _FORMS.bracketed.finditer(found["inside"]) if found is not None else ():
        for name, version in one.groupdict().items():
            if version:
                yield _version(index, {"linux": "Linux"}.get(name, name.upper()), version)


def _version(index: int, name: str, version: str) -> Statement:
    return Statement(line=index + 1, what="version", subject=name, version=version)
