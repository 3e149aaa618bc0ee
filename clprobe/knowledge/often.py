# SPDX-License-Identifier: MIT
"""Forms that are looked for in one text after another, most of which hold nothing of them."""

import re
from collections.abc import Iterator
from functools import lru_cache

from clprobe.knowledge.literals import Need, is_met, need_of, runs_in, small

_OFTEN = 300
"""After so many texts it pays to read from a form which letters it needs."""
_LONGEST, _MOST_RUNS = 1500, 40
"""To read a longer form, or to look for more runs of letters, takes as long as the form itself."""


class Often:
    """A form; once it was looked for in many texts, it is in those only that hold its letters."""

    def __init__(self, form: re.Pattern[str]) -> None:
        self._form = form
        self._asked = 0
        self._need: Need | None = None

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return where the form is first found in the text, from `start` on."""
        return self._form.search(text, start) if self._may_be_in(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return each place where the form is found in the text."""
        return self._form.finditer(text) if self._may_be_in(text) else iter(())

    def _may_be_in(self, text: str) -> bool:
        if self._asked <= _OFTEN:
            self._asked += 1
            if self._asked > _OFTEN and len(self._form.pattern) <= _LONGEST:
                need = need_of(self._form)
                self._need = need if runs_in(need) <= _MOST_RUNS else None
            return True
        return self._need is None or is_met(self._need, _small(text))


_small = lru_cache(maxsize=8)(small)
