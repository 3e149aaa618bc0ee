# SPDX-License-Identifier: MIT
"""Every JSON document that clprobe prints."""

import json
import re
from typing import Any

import msgspec

from clprobe.version import __version__

# DEL, C1, and what turns the direction of text around; C0 the standard escapes anyway.
_CONTROLS = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


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
