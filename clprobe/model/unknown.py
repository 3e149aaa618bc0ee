# SPDX-License-Identifier: MIT
"""Unknown: a value of its own, neither "fine" nor "missing"."""

from typing import TypeAlias, TypeVar

import msgspec


class Unknown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """We asked and could not learn; `unknown` is the reason. In JSON: `{"unknown": "…"}`."""

    unknown: str


NOT_STATED = Unknown(unknown="not stated")
"""The default of every fact: the snapshot does not say."""

NOT_TRIED = Unknown(unknown="nobody tried as this user")
"""What another account would meet, as far as nothing predicts it."""

UNLISTED = Unknown(unknown="the tables do not list it")
"""Nobody refused to tell: our own tables end here."""

SET = Unknown(unknown="set; the value is not stated")
"""A variable or the like of which only that is known: it is not null."""

T = TypeVar("T")
Fact: TypeAlias = T | Unknown
"""A fact is a value or Unknown; `None` as a value means "there is none"."""


def known(fact: T | Unknown | None) -> T | None:
    """Return the value; None where it is not known."""
    return None if isinstance(fact, Unknown) else fact


def listed(fact: Fact[tuple[T, ...]]) -> tuple[T, ...]:
    """Return the elements of a list; none where it is not known."""
    return () if isinstance(fact, Unknown) else fact
