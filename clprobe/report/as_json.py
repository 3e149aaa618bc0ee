# SPDX-License-Identifier: MIT
"""Every JSON document that clprobe prints."""

import json
import re
from typing import Any

import msgspec

from clprobe.version import __version__

# DEL, C1, and what turns the direction of text around; C0 the standard escapes anyway.
_CONTROLS = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_NOT_PLAIN = re.compile(r"[^ -~]|[<>&]")


def document(schema: str, body: msgspec.Struct, **more: Any) -> str:
    """Return `body` as one indented UTF-8 JSON document with its schema and our version."""
    return json_text(
        {"schema": schema, "clprobe": __version__, **msgspec.to_builtins(body), **more}
    )


def json_text(parts: dict[str, Any]) -> str:
    """Return indented JSON that can always be encoded and never steers a terminal.

    Lone surrogates, which undecodable bytes from drivers and file names become, are replaced.
    Control characters are escaped, those that JSON would allow as well.
    """
    text = json.dumps(parts, indent=2, ensure_ascii=False, allow_nan=False)
    safe = _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return safe.encode("utf-8", "replace").decode("utf-8") + "\n"


def json_lines(parts: dict[str, Any]) -> str:
    """Return JSON with a line for each part and each entry of its lists, to stand in Markdown.

    All is ASCII, without the signs that mail, browsers and HTML take for something else.
    """
    lines = (f"{_plain(name)}: {_entries(value)}" for name, value in parts.items())
    return "{" + ",\n".join(lines) + "}\n"


def _entries(value: Any) -> str:
    if not isinstance(value, list | tuple):
        return _plain(value)
    return "[" + ",".join(f"\n {_plain(one)}" for one in value) + "]"


def _plain(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    text = text.encode("utf-8", "replace").decode("utf-8")
    return _NOT_PLAIN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    sign = found[0]
    return f"\\u{ord(sign):04x}" if sign.isascii() else json.dumps(sign)[1:-1]
