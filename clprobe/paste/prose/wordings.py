# SPDX-License-Identifier: MIT
"""Tells a report of which no fact was read, and whose words alone rank causes, from other texts."""

import re

from clprobe.knowledge.printed import Forms
from clprobe.model.errors import ClprobeError

_LONGEST_LINE = 500
_LEAST_WORDS, _LEAST_ABOUT = 30, 2
"""A report has so many words, and speaks of GPUs on so many lines."""
_LEAST_OF_A_SENTENCE = 6
"""With fewer words nothing is said, whatever the words are."""
_LEAST_OF_A_COMPLAINT = 3
"""`-lOpenCL not found`: a name of OpenCL's own needs no more beside it than what is wrong."""
_BINARY = 0.05
"""What of a text are control characters, and what no characters at all, if it is none."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_FORMS = Forms("messages")


def is_report(lines: list[str], *, says_something: bool) -> bool:
    """Tell whether somebody writes of trouble with GPUs, though no fact of it is read.

    A few words are one too where a statement was read in them and they name what computes on GPUs,
    and a single line that says what is wrong with a thing that only OpenCL has.
    """
    words = sum(len(line.split()) for line in lines)
    about = sum(_FORMS.about_gpus.search(line[:_LONGEST_LINE]) is not None for line in lines)
    least, named = (_LEAST_OF_A_SENTENCE, 1) if says_something else (_LEAST_WORDS, _LEAST_ABOUT)
    return (words >= least and about >= named) or any(map(_complains_of_opencl, lines))


def _complains_of_opencl(line: str) -> bool:
    text = line[:_LONGEST_LINE]
    if len(text.split()) < _LEAST_OF_A_COMPLAINT or not _FORMS.of_opencl.search(text):
        return False
    return bool(_FORMS.complains.search(text) or _FORMS.in_trouble.search(text))


def is_binary(text: str) -> bool:
    """Tell whether a file that is no text was read as one; its strings tell of no machine.

    Text in another encoding has bytes that are no characters as well, but no control characters.
    """
    least = _BINARY * len(text)
    return text.count("\ufffd") > least and len(_CONTROL.findall(text)) > least


def nothing_understood(name: str, lines: int, *, is_text: bool = True) -> ClprobeError:
    """Return the error of a text, of so many lines, that says nothing about OpenCL."""
    known = (
        "clinfo, lspci, ls -l /dev/dri, id, uname, os-release, lists of packages, dmesg, strace, "
        "ldd, error messages and the like"
    )
    why = f"none of its {lines} lines was understood" if lines else "it is empty"
    return ClprobeError(
        reference="nothing-understood",
        message=(
            f"{name} is neither a snapshot nor output that clprobe knows ({known}); "
            f"{why if is_text else 'it is no text'}."
        ),
        hint="clprobe snapshot --output FILE writes what doctor --from reads best.",
    )
