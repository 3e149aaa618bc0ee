# SPDX-License-Identifier: MIT
"""A snapshot with conclusions filled in, each beside its premises."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown


class Closed(msgspec.Struct, frozen=True):
    """The snapshot, and why it says what nobody stated: by the start of the facts' names.

    `because` of "gpus" is the reason for all that begins with it.
    """

    snapshot: Snapshot
    because: dict[str, str] = {}

    def with_list(self, name: str, elements: tuple[Any, ...], why: str) -> "Closed":
        """Return it with a list that nobody stated, which may be a part of what there is."""
        excerpts = dict.fromkeys((*self.snapshot.excerpts, name))
        changed: dict[str, Any] = {name: elements, "excerpts": tuple(excerpts)}
        return self.with_change(replace(self.snapshot, **changed), name, why)

    def with_each(self, name: str, change: Callable[[Any], Any], fact: str, why: str) -> "Closed":
        """Return it with each element of a list changed; the same where that changes nothing."""
        elements = getattr(self.snapshot, name)
        if isinstance(elements, Unknown):
            return self
        changed = tuple(map(change, elements))
        if changed == elements:
            return self
        return self.with_change(replace(self.snapshot, **{name: changed}), fact, why)

    def with_change(self, snapshot: Snapshot, fact: str, why: str) -> "Closed":
        """Return it with another snapshot; `fact` is what changed in it, `why` the premises."""
        return Closed(snapshot, {**self.because, fact: why})
