# SPDX-License-Identifier: MIT
"""How plans say things."""


def sentence(text: str) -> str:
    """Return `text` with a capital, unless a name begins it, and with its full stop."""
    first = text.split(" ", 1)[0]
    is_name = any(c.isdigit() or c in "-_:" for c in first) or first in _NAMES
    return (text if is_name else text[:1].upper() + text[1:]).rstrip(".") + "."


_NAMES = frozenset({"clprobe's", "rusticl", "xe", "pocl", "beignet"})
