# SPDX-License-Identifier: MIT
"""JSON from outside: what Python reads beyond the standard is a mistake with a line."""

import json
import re
from collections.abc import Callable
from typing import Any


def load(text: str, parse_constant: Callable[[str], Any] | None = None) -> Any:
    r"""Return the plain data that `text` holds.

    Python reads `"\ud800"`, half a character, into a string that nothing can write again.

    Raises: ValueError if it is no JSON; RecursionError if it is nested too deep
    """
    data = json.loads(text, parse_constant=parse_constant)
    if text.isascii() and "\\u" not in text:
        return data  # no such half in sight
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        escape = rf"\u{ord(error.object[error.start]):04x}"
        found = re.search(re.escape(escape), text, re.IGNORECASE)
        line = text.count("\n", 0, found.start() if found else 0) + 1
        raise ValueError(f"line {line}: {escape} is half a character") from error
    return data
