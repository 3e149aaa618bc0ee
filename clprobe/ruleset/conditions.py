# SPDX-License-Identifier: MIT
"""Conditions of rules: their forms. `clprobe.ruleset.condition_file` reads them from YAML."""

from typing import Literal, TypeAlias

import msgspec

Scalar: TypeAlias = str | int | float | bool | None


class Comparison(msgspec.Struct, frozen=True, tag=True):
    """One fact against one operand.

    `words` are those of a pattern (literals.py), found once, as patterns are slow to take apart.
    """

    path: str
    operator: str
    operand: Scalar | tuple[Scalar, ...]
    words: frozenset[str] | None = None


class All(msgspec.Struct, frozen=True, tag=True):
    """Every part holds."""

    parts: "tuple[Condition, ...]"


class AnyOf(msgspec.Struct, frozen=True, tag=True):
    """At least one part holds."""

    parts: "tuple[Condition, ...]"


class Not(msgspec.Struct, frozen=True, tag=True):
    """The part does not hold."""

    part: "Condition"


class Quantified(msgspec.Struct, frozen=True, tag=True):
    """Some, every or none of a list's elements meets a condition of its own."""

    kind: Literal["some", "every", "none"]
    path: str
    name: str
    where: "Condition"


Condition: TypeAlias = Comparison | All | AnyOf | Not | Quantified
