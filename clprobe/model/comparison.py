# SPDX-License-Identifier: MIT
"""What became different between two snapshots of one host, and what that did."""

from typing import Any

import msgspec


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One fact that differs; `before` and `after` are JSON, null where there was or is none.

    `what` names it in words, `fact` as evidence does.
    """

    what: str
    fact: str
    before: Any
    after: Any


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two snapshots of one host.

    `since`: what the earlier one is, a file or a time. `new_findings` and `mended`: ids of
    problems that only the later or only the earlier one has. `caused_by_change`: the change
    without which the first finding would not be there; null: none alone explains it.
    """

    since: str
    changes: tuple[Change, ...]
    new_findings: tuple[str, ...]
    mended: tuple[str, ...]
    caused_by_change: Change | None
