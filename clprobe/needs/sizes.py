# SPDX-License-Identifier: MIT
"""Sizes of memory as people write them: 2 GiB, 64 KiB, 500 MB, 65536."""

import re

from clprobe.model.errors import ClprobeError

_UNITS: dict[str, int] = {"": 1, "b": 1} | {
    f"{letter}{end}": base ** (power + 1)
    for power, letter in enumerate("kmgt")
    for end, base in (("ib", 1024), ("b", 1000))
}
_SIZE = re.compile(r"(\d{1,20}(?:\.\d{1,3})?)\s*([A-Za-z]*)")


def bytes_of(size: int | str) -> int:
    """Return the bytes of a size; KB, MB … are powers of 1000, KiB, MiB … of 1024.

    Raises: ClprobeError if it is none.
    """
    if isinstance(size, int) and size > 0:
        return size
    match = _SIZE.fullmatch(str(size).strip())
    unit = _UNITS.get(match[2].lower()) if match is not None else None
    if match is None or unit is None or not float(match[1]):
        raise ClprobeError(reference="size-malformed", message=f"{size!r} is no size of memory")
    return int(float(match[1]) * unit)


def in_words(number: int) -> str:
    """Return bytes in the largest unit in which they are not less than one."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if number >= 1024**power:
            return f"{number / 1024**power:.4g} {unit}"
    return f"{number} bytes"
