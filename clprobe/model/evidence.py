# SPDX-License-Identifier: MIT
"""A fact as a report quotes it: what it is, its value, and where it was read."""

from typing import Any

import msgspec


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that decided a verdict; `value` is JSON, an unknown one its `{"unknown": …}`."""

    fact: str
    value: Any
    read_from: str
