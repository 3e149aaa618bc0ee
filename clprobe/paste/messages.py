# SPDX-License-Identifier: MIT
"""Tells what programs printed from what people wrote, among the lines that no reader took."""

import re

from clprobe.paste.forms import Forms

_FORMS = Forms("messages")
_LONGEST = 500


def is_message(line: str) -> bool:
    """Tell whether a line looks like a complaint of a program, a driver or Linux."""
    text = line[:_LONGEST].strip("`*> ")
    if not _FORMS.complains.search(text):
        return False
    if _FORMS.prose.search(text) and not text.startswith(("[", "E: ", "W: ", "ERROR", "error:")):
        return False
    words = text.split()
    is_short = len(words) <= 12 and not text.endswith("?")
    return bool(_FORMS.machine_made.search(text)) or (
        is_short
        and bool(
            re.match(
                r"(?:No|Failed|Could not|Cannot|Unable|Error|Invalid|Unsupported|Warning)\b", text
            )
        )
    )


def is_noise(line: str) -> bool:
    """Tell whether a line says nothing: rules, table frames, bare links and pictures."""
    text = line.strip()
    return bool(
        re.fullmatch(r"[\u250c\u256d][\u2500-\u257f ]{1,8}.{0,120}", text)
        or re.fullmatch(r"[-=_*#|+~.`>:;,\s]{1,400}", text)
        or re.fullmatch(r"#{1,6} .{0,120}|.{0,60}:|\*\*.{0,100}\*\*", text)
        or re.fullmatch(r"!?\[[^\]]{0,200}\]\([^)]{0,400}\)|<?https?://\S{1,500}>?", text)
    )
