# SPDX-License-Identifier: MIT
"""Which features of devices a program asks for, by its words and by what it complains of.

Extensions stand by their names; of its words no more is kept than these.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from clprobe.knowledge.printed import Forms

_FORMS = Forms("features")
_MOST = 6
_LONGEST_WORD = 80


def wanted_features(
    argv: Sequence[str], printed: str, complaints: Iterable[str]
) -> tuple[str, ...]:
    """Return extensions such as cl_khr_fp64, and `images`."""
    texts = [*printed.splitlines(), *complaints]
    said = (name for line in texts if _is_of_lack(line) for name in _named(line))
    words = (word for word in argv[1:] if len(word) <= _LONGEST_WORD)
    asked = (name for word in words for name in _meant(_FORMS.patterns["words"], word))
    return tuple(dict.fromkeys((*said, *asked)))[:_MOST]


def _is_of_lack(line: str) -> bool:
    return bool(_FORMS.lacks.search(line)) and not _FORMS.does_without.search(line)


def _named(line: str) -> Iterator[str]:
    for found in _FORMS.extension.finditer(line):
        yield found["name"]
    yield from _meant(_FORMS.patterns["names"], line)


def _meant(forms: dict[str, re.Pattern[str]], text: str) -> Iterator[str]:
    return (name for name, form in forms.items() if form.search(text))
