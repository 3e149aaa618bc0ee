# SPDX-License-Identifier: MIT
"""Manual pages in the macros of man(7), which man shows; groff and mandoc read them alike."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from clprobe.manual.topics import Block

# What stands between backticks, an option, or anything else up to the next of these.
_PARTS = re.compile(
    r"`([^`]+)`|(?<![\w/-])(--?[A-Za-z][\w-]*)|([^`]+?(?=`|(?<![\w/-])--?[A-Za-z]|$))"
)
# What troff would take for something else, or show as a sign that no shell knows.
_ESCAPES = {"\\": "e", "-": "-", "'": "(aq", "^": "(ha", "~": "(ti", "`": "(ga", '"': "(dq"}
_EXACT = str.maketrans({sign: f"\\{name}" for sign, name in _ESCAPES.items()})


class Option(NamedTuple):
    """An option or subcommand: how it is written, and what it does."""

    names: str
    text: str


class Page(NamedTuple):
    """What a manual page says, in the order of its sections."""

    name: str
    summary: str
    synopsis: Sequence[str]
    description: Sequence[Block]
    commands: Sequence[Option]
    options: Sequence[tuple[str, Sequence[Option]]]
    """Each with the name of the subcommand that they belong to, "" for the command itself."""
    examples: Sequence[tuple[str, str]]
    """Each a command line, and what it does."""
    sections: Sequence[tuple[str, Sequence[Block]]]
    see_also: Sequence[str]
    """Names of other pages."""


def man_page(page: Page, *, version: str, date: str) -> str:
    """Return the page as troff reads it."""
    return "\n".join((*_lines(page, version, date), ""))


def _lines(page: Page, version: str, date: str) -> Iterator[str]:
    title = _exact(page.name.upper())
    yield f'.TH "{title}" "1" "{date}" "clprobe {version}" "User Commands"'
    # No hyphenation, and no stretched lines: most words are names.
    yield from (".nh", ".ad l")
    yield from (".SH NAME", rf"{_exact(page.name)} \- {_prose(page.summary)}")
    yield ".SH SYNOPSIS"
    for number, line in enumerate(page.synopsis):
        yield from ([".br"] if number else [])
        words = [
            word if word[0] in "[<-" or word.isupper() else rf"\fB{_exact(word)}\fR"
            for word in line.split()
        ]
        yield " ".join(word if word.startswith(r"\fB") else _exact(word) for word in words)
    yield ".SH DESCRIPTION"
    yield from _blocks(page.description)
    if page.commands:
        yield ".SH COMMANDS"
        yield from _tagged(page.commands)
    for command, options in page.options:
        yield f".SS Options of {_exact(command)}" if command else ".SH OPTIONS"
        yield from _tagged(options)
    if page.examples:
        yield ".SH EXAMPLES"
        for run, does in page.examples:
            yield from (".TP", rf"\fB{_exact(run)}\fR", _line(_prose(does)))
    for name, blocks in page.sections:
        yield f".SH {name}"
        yield from _blocks(blocks)
    yield ".SH SEE ALSO"
    yield ",\n".join(rf"\fB{_exact(name)}\fR(1)" for name in page.see_also)


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for one in blocks:
        if one.kind == "entry":
            yield from (".TP", rf"\fB{_exact(one.tag)}\fR", _line(_prose(one.text)))
        elif one.kind == "verbatim":
            yield from (".PP", ".RS 4", ".nf")
            yield from (_line(_exact(line)) for line in one.text.split("\n"))
            yield from (".fi", ".RE")
        else:
            yield from (".PP", _line(_prose(one.text)))


def _tagged(options: Iterable[Option]) -> Iterator[str]:
    for one in options:
        flags = re.sub(r"(--?[A-Za-z][\w-]*)", lambda found: rf"\fB{found[1]}\fR", one.names)
        yield from (".TP", _line(_exact(flags, keep=True)), _line(_prose(one.text)))


def _prose(text: str) -> str:
    """Return text with names of options, and what stands in backticks, in bold."""
    return "".join(
        rf"\fB{_exact(quoted or option)}\fR" if quoted or option else _plain(rest)
        for quoted, option, rest in _PARTS.findall(" ".join(text.split()))
    )


def _plain(text: str) -> str:
    """Return prose: its hyphens may be hyphens, but nothing steers troff."""
    return text.replace("\\", r"\e").replace("~", r"\(ti").replace("^", r"\(ha")


def _exact(text: str, *, keep: bool = False) -> str:
    """Return text that can be copied; with `keep`, changes of the font in it stay."""
    if not keep:
        return text.translate(_EXACT)
    parts = re.split(r"(\\f[BR])", text)
    return "".join(part if part in (r"\fB", r"\fR") else part.translate(_EXACT) for part in parts)


def _line(text: str) -> str:
    r"""Return a line of text; a dot or an apostrophe at its start would be a request."""
    return rf"\&{text}" if text.startswith((".", "'")) else text
