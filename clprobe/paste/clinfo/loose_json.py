# SPDX-License-Identifier: MIT
"""Reads JSON as clinfo writes it: also where that is not valid, cut, or a driver printed inside.

Objects become lists of pairs, since clinfo repeats keys; every repair is told.
"""

import re
from typing import Any

Pairs = list[tuple[str, Any]]

_TOKENS = re.compile(
    r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|\s+|0[xX][0-9a-fA-F]+|-?\d+(?:\.\d+)?|[A-Za-z_]\w*|.', re.DOTALL
)
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LETTERS = {"n": " ", "t": " ", "r": " ", "b": "", "f": ""}
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 32


class Container:
    """An object (pairs) or an array (items) of the text."""

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.pairs: Pairs = []
        self.items: list[Any] = []
        self.key: str | None = None

    def get(self, name: str) -> Any:
        """Return the first value of a key, None if it has none."""
        return next((value for key, value in self.pairs if key == name), None)

    def objects(self) -> list["Container"]:
        """Return what it directly holds that has parts."""
        held = [*(value for _, value in self.pairs), *self.items]
        return [value for value in held if isinstance(value, Container)]


class LooseReader:
    """One reading of a text; `root` holds what was found, `repairs` what was wrong."""

    def __init__(self, text: str) -> None:
        self.root = Container(is_object=False)
        self.repairs: dict[str, None] = {}
        self._stack = [self.root]
        self._pending: Any = None
        self._has_pending = False
        for found in _TOKENS.finditer(text):
            self._take(found[0])
        self._settle()
        if len(self._stack) > 1:
            self._repaired("its end was missing")
        while len(self._stack) > 1:
            self._put(self._stack.pop())

    def _take(self, part: str) -> None:
        top = self._stack[-1]
        if part.isspace():
            return
        if part in "{[":
            self._open(is_object=part == "{")
        elif part in "}]":
            self._close(is_object=part == "}")
        elif part == ",":
            self._settle()
        elif part == ":" and self._has_pending and top.key is None:
            top.key, self._has_pending = str(self._pending).strip(), False
        else:
            self._value(part)

    def _open(self, *, is_object: bool) -> None:
        self._settle(but_key=True)
        if len(self._stack) > _DEEPEST:
            self._repaired("it was nested too deeply")
            return
        self._stack.append(Container(is_object=is_object))

    def _close(self, *, is_object: bool) -> None:
        self._settle()
        if not any(opened.is_object == is_object for opened in self._stack[1:]):
            self._repaired("a bracket closed nothing")
            return
        while True:
            closed = self._stack.pop()
            self._put(closed)
            if closed.is_object == is_object:
                return
            self._repaired("a bracket was missing")

    def _value(self, part: str) -> None:
        top = self._stack[-1]
        if part[0] == '"':
            value: Any = self._string(part)
        elif part in _WORDS:
            value = _WORDS[part]
        elif part[0].isdecimal() or (part[0] == "-" and len(part) > 1):
            value = part
            if part[:2] in ("0x", "0X"):
                self._repaired("a number was written in hexadecimal")
        else:
            # A key without quotation marks, or words that a driver printed in between.
            is_key = top.is_object and top.key is None and part in ("platforms", "devices")
            self._repaired("a key had no quotation marks" if is_key else "other text stood inside")
            if not is_key:
                return
            value = part
        if self._has_pending and top.key is None and top.is_object:
            self._repaired("other text stood inside")
        elif self._has_pending:
            self._settle()
        self._pending, self._has_pending = value, True

    def _settle(self, *, but_key: bool = False) -> None:
        top = self._stack[-1]
        if self._has_pending:
            self._has_pending = False
            self._put(self._pending)
        if not but_key:
            top.key = None

    def _put(self, value: Any) -> None:
        """Hand a value to what is open now."""
        top = self._stack[-1]
        if top.key is not None:
            top.pairs.append((top.key, value))
            top.key = None
        else:
            top.items.append(value)

    def _string(self, part: str) -> str:
        is_whole = len(part) > 1 and part[-1] == '"'
        inner = part[1:-1] if is_whole else part[1:]
        if _CONTROL.search(inner):
            self._repaired("a string held control characters")
        inner = _ESCAPED.sub(_unescaped, inner) if "\\" in inner else inner
        return _CONTROL.sub(" ", inner)

    def _repaired(self, what: str) -> None:
        self.repairs.setdefault(what)


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    if len(escape) == 5:
        return chr(int(escape[1:], 16)) if not escape[1:].lower().startswith("d") else "\ufffd"
    return _LETTERS.get(escape, escape)
