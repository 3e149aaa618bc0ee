# SPDX-License-Identifier: MIT
"""What one line of clinfo's output says, whichever of its text formats it is in."""

import re
from functools import cache
from typing import NamedTuple

from clprobe.knowledge.printed import Forms

_FORMS = Forms("clinfo")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_QUOTES = re.compile(r"[ \t]{0,3}(?:>[ \t]?){1,9}")
_COUNT = re.compile(r"Number of (platforms|devices)\s*([:=]?)\s*(\d{1,9})$")
_RAW = re.compile(
    r"(?:\[\s*([^\]\s/]{1,80})\s*/\s*(\*|-?\d{1,4})\s*\]\s*)?(#[A-Z]+|CL_[A-Z0-9_a-z]+)(?:\s+(.*))?$"
)
_RAW_QUERY = re.compile(r"CL_(?:PLATFORM|DEVICE|DRIVER|ICDL|KERNEL)_\w+")
_TREE = re.compile(r"(\W{0,12})(Platform|Device|Offline Device) #(\d{1,4}):(?:\s(.*))?$")
_FAILURE = re.compile(r"(\w{1,60}):\d{1,6}: (.{1,200}?) ?: error (-?\d{1,9})$")
_WITH_VERSION = re.compile(r"(?:.{1,200}?\s)?0x[0-9a-f]{1,8} \(\d{1,4}\.\d{1,4}\.\d{1,4}\)$")
_NO_QUERIES = ("CL_DEVICE_NOT_FOUND", "CL_DEVICE_NOT_AVAILABLE", "CL_DEVICE_COMPILER_NOT_AVAILABLE")
_MOST_WORDS = 10
_LONGEST_MATCHED = 400


class Token(NamedTuple):
    """One understood line.

    `line` is its place. `kind`: platforms or devices (a count), query (`name` is the OpenCL
    query), flag, other, null, loader, note, detail, failure, tree-platform, tree-device.
    `owner` is the bracketed prefix of raw lines, or the number in a tree. `is_strict`: label
    and value stand apart as clinfo puts
    them.
    """

    line: int
    form: str
    kind: str
    name: str = ""
    value: str = ""
    owner: tuple[str, str] = ("", "")
    is_strict: bool = True


def plain(line: str) -> str:
    """Return the line without colours, control characters and marks of quotation."""
    if not line.isprintable():
        line = _UNPRINTABLE.sub("", _ESCAPES.sub("", line))
    line = line.rstrip()
    quotes = _QUOTES.match(line)
    return line[quotes.end() :] if quotes and not line.lstrip().startswith(">>>") else line


def token_of(index: int, line: str) -> Token | None:
    """Return what a plain line says; None if clinfo prints no such line."""
    text = line.strip()
    head = text[:_LONGEST_MATCHED]
    if not text:
        return None
    token = (
        _count(index, head)
        or _raw(index, text)
        or _tree(index, text)
        or _section(index, head)
        or _failure(index, head)
        or _amd(index, text)
        or _labelled(index, text)
        or _amd_header(index, head)
        or _detail(index, line, head)
    )
    if token and "\t" in token.value:
        return token._replace(value=token.value.replace("\t", " "))
    return token


def _count(index: int, text: str) -> Token | None:
    found = _COUNT.match(text)
    if not found:
        return None
    form = "amd" if found[2] == ":" else "human"
    return Token(index, form, found[1], value=found[3])


def _raw(index: int, text: str) -> Token | None:
    found = _RAW.match(text) if text[0] in "[#C" else None
    if not found or found[3] in _NO_QUERIES:
        return None
    suffix, number, name, value = (part or "" for part in found.groups())
    value = value.strip()
    owner = (suffix, number)
    if name in ("#PLATFORMS", "#DEVICES") and value.isdecimal() and len(value) < 10:
        return Token(index, "raw", name[1:].lower(), value=value, owner=owner)
    if name == "#OFFDEVICES":
        return Token(index, "raw", "other", owner=owner)
    if not _RAW_QUERY.fullmatch(name):
        return None
    stands_apart = bool(suffix) or "  " in text or "\t" in text
    return Token(index, "raw", "query", name, value, owner, stands_apart)


def _tree(index: int, text: str) -> Token | None:
    if "#" not in text[:40]:
        return None
    found = _TREE.match(text)
    if not found:
        return None
    bars, what, number, name = found[1], found[2], found[3], (found[4] or "").strip()
    if what == "Platform":
        return None if bars else Token(index, "tree", "tree-platform", "", name, ("", number))
    if what == "Offline Device":
        return Token(index, "tree", "other")
    # Markdown eats the backquote of the last branch.
    return Token(index, "tree", "tree-device", "", name, ("", number)) if bars else None


def _section(index: int, text: str) -> Token | None:
    if _FORMS.null.match(text):
        return Token(index, "human", "null")
    if text.startswith("ICD loader properties"):
        return Token(index, "human", "loader")
    if _FORMS.note.match(text):
        return Token(index, "human", "note", is_strict=False)
    return None


def _failure(index: int, text: str) -> Token | None:
    found = _FAILURE.match(text)
    return Token(index, "", "failure", found[2], found[3]) if found else None


@cache
def _first_words() -> frozenset[str]:
    """Return the words with which clinfo's labels begin."""
    labels = (*_FORMS.tables["queries"], *_FORMS.tables["flags"], *_FORMS.words["other"])
    return frozenset(label.split(maxsplit=1)[0] for label in labels)


def _labelled(index: int, text: str) -> Token | None:
    if text.split(maxsplit=1)[0] not in _first_words():
        return None
    label, value = _parts(text)
    token = _human(index, label, value, is_strict=bool(value))
    if token:
        return token
    words = text[:_LONGEST_MATCHED].split(" ")
    for count in range(min(_MOST_WORDS, len(words)), 0, -1):
        label = " ".join(words[:count])
        value = text[len(label) :].strip()
        # One word, such as Local or int, starts many a sentence.
        is_sentence = count == 1 and not (value[:1].isdecimal() or value in ("Yes", "No"))
        token = None if is_sentence else _human(index, label, value, is_strict=False)
        if token:
            return token
    return None


def _parts(text: str) -> tuple[str, str]:
    """Return label and value: two blanks or a tab stand between them."""
    ends = [end for end in (text.find("  "), text.find("\t")) if end > 0]
    end = min(ends, default=len(text))
    return text[:end], text[end:].strip()


def _human(index: int, label: str, value: str, *, is_strict: bool) -> Token | None:
    if label in _FORMS.tables["queries"]:
        name = _FORMS.tables["queries"][label]
        return Token(index, "human", "query", name, value, is_strict=is_strict)
    if label in _FORMS.tables["flags"]:
        return Token(index, "human", "flag", label, value, is_strict=False)
    if label in _FORMS.words["other"]:
        return Token(index, "human", "other", label, value, is_strict=False)
    return None


def _amd(index: int, text: str) -> Token | None:
    label, colon, value = text.partition(":")
    label, value = label.rstrip(), value.strip()
    if not colon:
        return None
    if label in _FORMS.tables["queries_of_amd"]:
        return Token(index, "amd", "query", _FORMS.tables["queries_of_amd"][label], value)
    if label in _FORMS.words["other_of_amd"]:
        return Token(index, "amd", "other", label, value, is_strict=False)
    return None


def _amd_header(index: int, text: str) -> Token | None:
    known = text in _FORMS.words["other_of_amd"]
    return Token(index, "amd", "other", text, is_strict=False) if known else None


def _detail(index: int, line: str, text: str) -> Token | None:
    """Recognise a further line of a list, also one that was wrapped."""
    is_indented = line.startswith((" " * 20, "\t"))
    if is_indented or (len(text) < 200 and _WITH_VERSION.match(text)):
        return Token(index, "human", "detail", is_strict=False)
    return None
