# SPDX-License-Identifier: MIT
"""Cleans a pasted text into lines: no marks of mail, Markdown or terminals, nothing unprintable."""

import html
import re
from collections.abc import Sequence

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[@-Z\\-_]"
    r"|\x03\d{0,2}(?:,\d{1,2})?"  # colours of IRC, which inxi writes
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_QUOTE = re.compile(r"(?:>(?!>> ) ?){1,8}")
_TAG = re.compile(
    r"</?(?:details|summary|p|br|hr|div|pre|code|b|i|sub|sup)(?:\s[^<>]{0,200})?/?>", re.I
)
_FENCE = re.compile(r"\s*(?:```|~~~)\s*\w*\s*$")
_CODE_INDENT = 4
FENCE = "```"
"""What a cleaned line of a fence reads; everything else about it is dropped."""


def clean_lines(text: str) -> list[str]:
    """Return the lines of a paste, one for each line that it has, in one plain spelling.

    Colours, control and invisible characters, quote marks, HTML tags and common indentation are
    gone; a Markdown fence is reduced to three backticks.
    """
    return numbered_lines(text)[0]


def numbered_lines(text: str) -> tuple[list[str], list[int]]:
    """Return the cleaned lines of a paste, and of each the number of the line that it is from."""
    plain = _SURROGATE.sub("\ufffd", _ESCAPES.sub("", text.replace("\r\n", "\n")))
    plain = _INVISIBLE.sub("", plain).replace("\u00a0", " ")
    lines: list[str] = []
    numbers: list[int] = []
    for number, whole in enumerate(plain.split("\n"), 1):
        # A lone carriage return redraws a line, as progress bars do: the parts are their own.
        for drawn in whole.split("\r"):
            for part in _parts(_plain(drawn)):
                kept = _without_quote_mark(part)
                lines += kept
                numbers += [number] * len(kept)
    return _without_common_indentation(lines), numbers


def fenced_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the indexes of the lines between fences: commands, and what they printed."""
    found, in_fence = [], False
    for index, line in enumerate(lines):
        if line == FENCE:
            in_fence = not in_fence
        elif in_fence:
            found.append(index)
    return frozenset(found)


def _plain(line: str) -> str:
    if not line.isprintable():
        line = _CONTROL.sub("", line)
    if "&" in line and ";" in line:
        line = html.unescape(line)
        line = _CONTROL.sub("", _INVISIBLE.sub("", _SURROGATE.sub("\ufffd", line)))
        line = line.replace("\n", " ")
    if "<" in line:
        line = _TAG.sub("", line)
    if _FENCE.match(line[:80]):
        return FENCE
    return line.rstrip()


def _parts(line: str) -> list[str]:
    """Return the line, with a fence that stands before other text on a line of its own."""
    if line.startswith(FENCE) and line != FENCE:
        rest = line.lstrip("`")
        return [rest.rstrip("`")] if rest.endswith("`") else [FENCE, rest]
    if line.startswith("`") and line.endswith("`") and line != FENCE:
        return [line.strip("`")]
    if line.endswith(FENCE) and line != FENCE and line.count(FENCE) % 2 == 1:
        return [line.removesuffix(FENCE).rstrip(), FENCE]
    return [line]


def _without_quote_mark(line: str) -> list[str]:
    """Return the line without the marks of a quotation; Python's prompt `>>> ` is none."""
    mark = _QUOTE.match(line)
    if mark is None:
        return [line]
    kept = line[mark.end() :]
    return [FENCE] if _FENCE.match(kept[:80]) else _parts(kept)


def _without_common_indentation(lines: list[str]) -> list[str]:
    """Dedent each run of lines that are all indented like code, bounded by unindented ones.

    A run that follows an unindented line at once continues it (`lspci -v`) and stays as it is.
    """
    result = list(lines)
    start = 0
    while start < len(lines):
        end = start + 1
        if _is_code(lines[start]) and (
            start == 0 or not lines[start - 1] or lines[start - 1] == FENCE
        ):
            while end < len(lines) and (not lines[end] or _is_code(lines[end])):
                end += 1
            expanded = [line.expandtabs(_CODE_INDENT) for line in lines[start:end]]
            width = min(len(line) - len(line.lstrip(" ")) for line in expanded if line)
            result[start:end] = [line[width:] for line in expanded]
        start = end
    return result


def _is_code(line: str) -> bool:
    return line.startswith((" " * _CODE_INDENT, "\t"))
