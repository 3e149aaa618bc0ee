# SPDX-License-Identifier: MIT
"""How often Python looks for garbage: seldom, but where arrays hold the memory of devices."""

import gc

_USUAL = gc.get_threshold()
# doctor makes some 70,000 objects that last, of a log of 1 MB 150,000; Python would look through
# them a hundred times.
_SELDOM = 400_000


def collect_seldom() -> None:
    """Look once for every 400,000 new objects."""
    gc.set_threshold(_SELDOM, *_USUAL[1:])


def collect_as_usual() -> None:
    """Look as often as Python does by itself."""
    gc.set_threshold(*_USUAL)
