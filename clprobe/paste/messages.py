# SPDX-License-Identifier: MIT
"""Tells what programs printed from what people wrote, among the lines that no reader took."""

import re

_COMPLAINS = re.compile(
    r"(?i)\berror\b|\bwarn(?:ing)?\b|\bfail(?:ed|ure|s)?\b|\bcannot\b|\bcould not\b"
    r"|\bunable\b|not found|no such|denied|\babort|\bassert|undefined|unsupported|not "
    r"supported"
    r"|mismatch|invalid|missing|timed? ?out|refused|\bfatal\b|exception|not permitted"
    r"|unknown|rejected|disabled|no .{0,20}devices?\b|hang|corrupt|\bpanic"
)
_MACHINE_MADE = re.compile(
    r"^\[[^\]]{1,80}\]|^[\w./+-]{2,60}: \S|^[\w./+-]{2,80}:\d{1,6}:|^[A-Z_]{3,}: |^[EWF]: "
    r"|\b0x[0-9a-fA-F]{4,}|\b[A-Z][A-Z0-9]*_[A-Z0-9_]{3,}\b|\bcl[A-Z]\w{4,}|/(?:usr|lib"
    r"|opt|etc|dev|var|home|sys|proc)/"
    r"|\w+\.(?:so|cpp|h|c|py|icd)\b|^(?:ERROR|WARNING|WARN|INFO|FATAL|error|warning|fatal"
    r"|note)\b|^\d{4}-\d\d-\d\d|^\d{1,2}:\d\d|Error: |\blib[\w+-]{2,40}\b|\(\d+\)"
    r"|-\d{1,4}\b|=\S|\bline \d+\b"
)
_PROSE = re.compile(
    r"(?i)\b(?:I|I'm|I've|my|we|our|you|your|please|thanks|hello|hi|anyone|does|should"
    r"|would|maybe|however|tried|trying|help)\b"
)
_LONGEST = 500


def is_message(line: str) -> bool:
    """Tell whether a line looks like a complaint of a program, a driver or Linux."""
    text = line[:_LONGEST].strip("`*> ")
    if not _COMPLAINS.search(text):
        return False
    if _PROSE.search(text) and not text.startswith(("[", "E: ", "W: ", "ERROR", "error:")):
        return False
    words = text.split()
    is_short = len(words) <= 12 and not text.endswith("?")
    return bool(_MACHINE_MADE.search(text)) or (
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
