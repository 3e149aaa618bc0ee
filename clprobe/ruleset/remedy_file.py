# SPDX-License-Identifier: MIT
"""A remedy as a rule file writes it: one of the closed set, with the arguments that it takes."""

from typing import Annotated, Any, TypeAlias

import msgspec

from clprobe.ruleset.remedy_kinds import KINDS, arguments_of, explained

CONDITION = "condition"
"""The name of conditions in the schema; `clprobe.ruleset.condition_file` reads them."""
ConditionText: TypeAlias = Annotated[
    dict[str, Any], msgspec.Meta(extra_json_schema={"$ref": f"#/$defs/{CONDITION}"})
]
ACTIONS = tuple(KINDS)
"""The closed set of remedies' actions."""


class Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Part of a rule file; a surplus key is a mistake."""


def _written(kind: str) -> type[msgspec.Struct]:
    """Return what a rule writes for the kind."""
    return msgspec.defstruct(
        kind,
        arguments_of(KINDS[kind]),
        bases=(Written,),
        namespace={"__doc__": explained(KINDS[kind])},
        kw_only=True,
    )


def _only_argument(written: type[msgspec.Struct]) -> str | None:
    """Return the one argument that may be written short; an optional text does not count."""
    fields = msgspec.structs.fields(written)
    names = [one.name for one in fields if one.required or one.name != "text"]
    return names[0] if len(names) == 1 else None


_WRITTEN = {kind: _written(kind) for kind in KINDS}
SHORT = {kind: name for kind, one in _WRITTEN.items() if (name := _only_argument(one)) is not None}
"""The argument of each action that may be written short."""
_OneOfThem: Any = msgspec.defstruct(
    "_OneOfThem",
    [(kind, (str | one if kind in SHORT else one) | None, None) for kind, one in _WRITTEN.items()],
    bases=(Written,),
    kw_only=True,
)


class WrittenRemedy(_OneOfThem):  # type: ignore[misc]
    """One remedy: exactly one action; `if` limits it to a condition.

    `then`: it comes after the one before, not in its place.

    An action with one argument may be written short: `install: pocl`.
    """

    given: ConditionText | None = msgspec.field(name="if", default=None)
    then: bool = False
