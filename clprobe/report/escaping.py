# SPDX-License-Identifier: MIT
"""The guard between a terminal and what drivers, files, pastes and command lines say."""

import unicodedata
from collections.abc import Iterator


def safe(text: str) -> str:
    r"""Return text from outside so that no terminal can be steered with it.

    Control characters, bidirectional overrides and lone surrogates (which bytes that are no UTF-8
    become) turn into escapes such as `\x1b`; line ends stay, as do ordinary letters of any script.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(text))


def safe_line(text: str) -> str:
    r"""Return text from outside as one line, in which a line end is `\n`.

    A message that quotes a file cannot pass what the file says for a line of clprobe's own.
    """
    return safe(text).replace("\n", "\\n").replace("\t", "\\t")


def _escaped(text: str) -> Iterator[str]:
    for char in text:
        code = ord(char)
        if char in "\n\t":
            yield char
        elif 0xDC80 <= code <= 0xDCFF:  # surrogateescape keeps the byte in the low half
            yield f"\\x{code - 0xDC00:02x}"
        elif unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            yield f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
        else:
            yield char
