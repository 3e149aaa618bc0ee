# SPDX-License-Identifier: MIT
"""What happens to clinfo's output on its way into a report, as seeded changes of a text."""

import random
import re

_EVIL = ("\x1b[31m", "\x1b]0;title\x07", "\x00", "\x07", "\x9b", "\u202e", "\ufeff", "\ud800", "\r",
         "\u2028", "\x85", "\x0c", "<", "[", '"', "{", "0x", "error -30>", "\t", "> ")  # fmt: skip
_NOISE = (
    "Beignet: self-test failed: (3, 7, 5) + (5, 7, 3) returned (0, 0, 0)",
    "Segmentation fault (core dumped)",
    "dlerror: libigdrcl.so: cannot open shared object file: No such file or directory",
    "gatherPlatformInfo:1299: number of devices : error -6",
    "main:670: number of platforms : error -1001",
    ": CommandLine Error: Option 'limited-coverage-experimental' registered more than once!",
    "00:02.0 VGA compatible controller [0300]: Intel Corporation HD Graphics 530 [8086:1912]",
    "user@host:~$ clinfo -l",
    "Number of platforms                               99",
    "```",
)


def damaged(text: str, seed: int) -> str:
    """Return the text with one to four changes."""
    chance = random.Random(seed)  # noqa: S311 - chance, no secrets
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(DAMAGES)(text, chance)
    return text


def without_indentation(text, _=None):
    return "\n".join(line.lstrip() for line in text.split("\n"))


def quoted(text, _=None):
    return "\n".join(f"> {line}" for line in text.split("\n"))


def indented(text, _=None):
    return "\n".join(f"        {line}" for line in text.split("\n"))


def with_crlf(text, _=None):
    return text.replace("\n", "\r\n")


def without_trailing_blanks(text, _=None):
    return "\n".join(line.rstrip() for line in text.split("\n"))


def with_tabs(text, _=None):
    return re.sub(" {4,}", "\t", text)


def with_colours(text, _=None):
    return "\n".join(f"\x1b[1;32m{line}\x1b[0m" for line in text.split("\n"))


def wrapped(text, _=None, width=80):
    lines = []
    for line in text.split("\n"):
        lines += [line[at : at + width] for at in range(0, len(line), width)] or [""]
    return "\n".join(lines)


def _head(text, chance):
    return text[: chance.randint(0, len(text))]


def _tail(text, chance):
    return text[chance.randint(0, len(text)) :]


def _searched(text, chance):
    word = chance.choice(("Name", "Number", "Version", "Device", "Platform", "e"))
    return "\n".join(line for line in text.split("\n") if word in line)


def _shuffled(text, chance):
    lines = text.split("\n")
    start = chance.randint(0, len(lines))
    part = lines[start : start + chance.randint(2, 40)]
    chance.shuffle(part)
    return "\n".join(lines[:start] + part + lines[start + len(part) :])


def _twice(text, chance):
    return text + chance.choice(("", "\n", "\n\nroot@host:~# clinfo\n")) + text


def _flipped(text, chance):
    data = bytearray(text.encode("utf-8", "replace"))
    for _ in range(chance.randint(1, 20)):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data.decode("utf-8", "surrogateescape")


def _with_evil(text, chance):
    for _ in range(chance.randint(1, 10)):
        at = chance.randint(0, len(text))
        text = text[:at] + chance.choice(_EVIL) + text[at:]
    return text


def _with_noise(text, chance):
    lines = text.split("\n")
    lines.insert(chance.randint(0, len(lines)), chance.choice(_NOISE))
    return "\n".join(lines)


def _wrapped_somewhere(text, chance):
    return wrapped(text, width=chance.choice((72, 79, 80, 120)))


DAMAGES = (
    without_indentation, quoted, indented, with_crlf, without_trailing_blanks, with_tabs,
    with_colours, _wrapped_somewhere, _head, _tail, _searched, _shuffled, _twice, _flipped,
    _with_evil, _with_noise,
)  # fmt: skip
