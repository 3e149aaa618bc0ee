# SPDX-License-Identifier: MIT
"""Every JSON document that clprobe prints."""

import json
from typing import Any

import msgspec

from clprobe import __version__


def document(schema: str, body: msgspec.Struct, **more: Any) -> str:
    """Return `body` as one indented UTF-8 JSON document with its schema and our version.

    Lone surrogates, which undecodable bytes from drivers and file names become, are replaced,
    so the text can always be encoded.
    """
    parts = {"schema": schema, "clprobe": __version__, **msgspec.to_builtins(body), **more}
    text = json.dumps(parts, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"
