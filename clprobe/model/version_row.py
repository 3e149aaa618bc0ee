# SPDX-License-Identifier: MIT
"""One line of the version matrix."""

from typing import Literal

import msgspec

from clprobe.model.plan import How

ANY = "any"
"""Stands for a release, driver or Python where the answer is the same for all of them."""


class VersionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stack in one version, with its torch and Pythons, on one driver of one release.

    `python` are the releases that get this build, such as "3.11 to 3.14"; `shipped` is the one
    that the distribution brings itself. `status` "no" stands for hardware on which it fails, and
    `why` says so.
    """

    release: str
    driver: str
    driver_version: str | None
    how: How | None
    stack: str
    version: str | None
    torch: str | None
    python: str
    shipped: str | None
    device: Literal["gpu", "cpu"]
    status: Literal["supported", "workaround", "unverified", "no"]
    why: str
