# SPDX-License-Identifier: MIT
"""The facts behind a verdict, as reports quote them."""

from typing import Any

import msgspec

from clprobe.facts.paths import Use, label_of, read_from
from clprobe.model.evidence import Evidence
from clprobe.model.unknown import Unknown

_MOST_EVIDENCE = 12


def evidence_of(uses: tuple[Use, ...]) -> tuple[Evidence, ...]:
    """Return the facts, each once, with where each was read; the first dozen."""
    by_fact = {use.fact: use for use in uses}
    chosen = list(by_fact.values())[:_MOST_EVIDENCE]
    return tuple(
        Evidence(fact=use.fact, value=_shown(use.value), read_from=read_from(use)) for use in chosen
    )


def _shown(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_shown(part) for part in value]
    if isinstance(value, msgspec.Struct) and not isinstance(value, Unknown):
        return label_of(value, 0)
    return msgspec.to_builtins(value)
