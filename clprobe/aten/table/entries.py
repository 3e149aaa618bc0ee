# SPDX-License-Identifier: MIT
"""What an entry of the table is, and how it gets in."""

from collections.abc import Callable
from typing import Any, TypeVar

Entry = Callable[..., Any]
"""Takes the run, then the operation's own arguments; returns what the operation does."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Entries(dict[str, Entry]):
    """A part of the table."""

    def of(self, *overloads: str) -> Callable[[_Function], _Function]:
        """Return what enters a function under one or more overloads."""

        def enter(function: _Function) -> _Function:
            self.update(dict.fromkeys(overloads, function))
            return function

        return enter
