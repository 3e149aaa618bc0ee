# SPDX-License-Identifier: MIT
"""Paths to facts, such as `gpu.kernel_driver`: checked against the types, then looked up."""

import difflib
import functools
import string
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from clprobe.facts.facts import Facts
from clprobe.model.unknown import NOT_STATED, Unknown


class PathError(Exception):
    """A path that leads to no fact; the message says what there is."""

    keys: tuple[str | int, ...] = ()


class Field(msgspec.Struct, frozen=True):
    """What the types say of one fact: the type of its parts, and where it is read.

    `kinds` are the types of its values, or of a list's elements; empty: nothing is said of them.
    `values` are all texts that it can be; empty: any.
    """

    struct: type[msgspec.Struct] | None
    is_list: bool
    is_mapping: bool
    read_from: str = ""
    description: str = ""
    on_request: bool = False
    kinds: frozenset[type] = frozenset()
    values: tuple[str, ...] = ()


class Use(msgspec.Struct, frozen=True):
    """A fact as it was looked up; `whole` is False where a list is only an excerpt.

    `fact` names it for people, with labels such as `gpus[0000:00:02.0].driver`; `path` has none.
    `because` are the premises of what nobody stated.
    """

    fact: str
    path: str
    value: Any
    owner: Any = None
    field: str = ""
    whole: bool = True
    because: str = ""


class Scope(msgspec.Struct, frozen=True):
    """What the names in a rule stand for while it is evaluated: facts, or variables of its own.

    `seen` and `inner` keep what was looked up in it: most rules ask about the same few facts.
    """

    facts: Facts
    variables: dict[str, Use] = msgspec.field(default_factory=dict)
    seen: dict[str, Use] = msgspec.field(default_factory=dict)
    inner: "dict[tuple[str, str, int], tuple[Scope, ...]]" = msgspec.field(default_factory=dict)

    def binding(self, name: str, value: Any, label: str, path: str) -> "Scope":
        """Return this scope with one more variable."""
        return Scope(self.facts, {**self.variables, name: Use(label, path, value)})

    def each(self, name: str, collection: Use) -> "tuple[Scope, ...]":
        """Return this scope with the variable bound to each element of a known list."""
        key = name, collection.fact, id(collection.value)  # which `seen` keeps alive
        if key not in self.inner:
            self.inner[key] = tuple(self._each(name, collection))
        return self.inner[key]

    def _each(self, name: str, collection: Use) -> "Iterator[Scope]":
        for position, element in enumerate(collection.value):
            label = f"{collection.fact}[{label_of(element, position)}]"
            yield self.binding(name, element, label, collection.path)


Variables = dict[str, type[msgspec.Struct] | None]
"""The types of a rule's variables; None is a plain value."""


@functools.cache
def fields_of(struct: type[msgspec.Struct]) -> dict[str, Field]:
    """Return the facts of a type by name."""
    hints = typing.get_type_hints(struct, include_extras=True)
    return {name: _field(hints[name]) for name in struct.__struct_fields__}


def check_path(path: str, variables: Variables) -> Field:
    """Return what `path` leads to.

    Raises: PathError if one of its names does not exist.
    """
    first, *rest = path.split(".")
    if first in variables:
        field = Field(variables[first], is_list=False, is_mapping=False)
    else:
        field = _step(Facts, first, known=variables)
    for name in rest:
        if field.is_mapping:  # the rest is one key, such as libOpenCL.so.1
            return Field(None, is_list=False, is_mapping=False, read_from=field.read_from)
        if field.is_list or field.struct is None:
            raise PathError(f"{path}: nothing can follow before .{name}")
        field = _step(field.struct, name)
    return field


def look_up(path: str, scope: Scope) -> Use:
    """Return the fact at `path`, Unknown where the way to it is not known."""
    use = scope.seen.get(path)
    if use is None:
        use = scope.seen[path] = _with_premises(_found(path, scope), scope)
    return use


def _with_premises(use: Use, scope: Scope) -> Use:
    reasons = scope.facts.follows_from
    if not reasons:
        return use
    why = next(
        (reasons[s] for s in reasons if use.fact.startswith(s) or use.path.startswith(s)), ""
    )
    return msgspec.structs.replace(use, because=why) if why else use


def _found(path: str, scope: Scope) -> Use:
    """Return what stands at the end of the way, or where the way ends."""
    first, *rest = path.split(".")
    use = scope.variables.get(first)
    if use is None:
        whole = first not in scope.facts.excerpts
        # A variable is unbound where the list that it runs over is not known.
        value = getattr(scope.facts, first, NOT_STATED)
        use = Use(first, first, value, scope.facts, first, whole)
    value, owner, field = use.value, use.owner, use.field
    for position, name in enumerate(rest):
        if value is None or isinstance(value, Unknown):
            return _further(use, rest[:position], value, owner, field)
        if isinstance(value, dict):
            found = value.get(".".join(rest[position:]), NOT_STATED)
            return _further(use, rest, found, owner, field)
        value, owner, field = getattr(value, name), value, name
    return _further(use, rest, value, owner, field)


def _further(use: Use, names: list[str], value: Any, owner: Any, field: str) -> Use:
    if not names:
        return use
    way = ".".join(names)
    return Use(f"{use.fact}.{way}", f"{use.path}.{way}", value, owner, field)


def label_of(value: Any, position: int) -> str:
    """Return what tells one element of a list from the others, for people."""
    for name in ("path", "pci_address", "viewer", "icd", "name", "who"):
        text = getattr(value, name, None)
        if isinstance(text, str):
            return text
    return value if isinstance(value, str) else str(position)


def read_from(use: Use) -> str:
    """Return where a live run reads the fact, its sibling facts filled in, or its premises."""
    if use.because:
        return f"follows from: {use.because}"
    if use.owner is None:
        return ""
    pattern = fields_of(type(use.owner))[use.field].read_from  # type: ignore[arg-type]
    return _SiblingFormatter().vformat(pattern, (), use.owner) if "{" in pattern else pattern


def was_not_requested(use: Use) -> bool:
    """Whether the fact is one that is gathered only on request, and nobody asked for it."""
    if use.value != NOT_STATED or not isinstance(use.owner, msgspec.Struct):
        return False
    return fields_of(type(use.owner))[use.field].on_request


class _SiblingFormatter(string.Formatter):
    def get_value(self, key: Any, args: Any, kwargs: Any) -> Any:  # noqa: ARG002 - its signature
        value = getattr(kwargs, key, NOT_STATED)
        return "?" if isinstance(value, Unknown) else value


def _step(struct: type[msgspec.Struct], name: str, known: Variables | None = None) -> Field:
    fields = fields_of(struct)
    if name in fields:
        return fields[name]
    names = sorted({*fields, *(known or ())})
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    kind = struct.__name__.removesuffix("Facts") or "The facts"
    raise PathError(f"{kind} has no field {name!r}; {hint}it has {', '.join(names)}")


def _field(hint: Any) -> Field:
    meta = next((part for part in getattr(hint, "__metadata__", ())), None)
    extra = (meta.extra or {}) if meta is not None else {}
    options = _options(hint)
    values = extra.get("values", ()) or _literals(options)
    element = next((typing.get_args(o)[0] for o in options if typing.get_origin(o) is tuple), None)
    parts = options if element is None else (*_options(element), *_nothing(element))
    return Field(
        struct=next((_struct(part) for part in parts if _struct(part) is not None), None),
        is_list=element is not None,
        is_mapping=any(typing.get_origin(option) is dict for option in options),
        read_from=extra.get("read_from", ""),
        description=(meta.description or "") if meta is not None else "",
        on_request=extra.get("on_request", False),
        kinds=_kinds((*parts, *_nothing(hint))),
        values=tuple(values),
    )


def _kinds(parts: Iterable[Any]) -> frozenset[type]:
    plain = {str if typing.get_origin(part) is typing.Literal else part for part in parts}
    known = {str, int, float, bool, types.NoneType}
    return frozenset(plain) if plain <= known else frozenset()


def _literals(options: Iterable[Any]) -> tuple[str, ...]:
    return tuple(
        value
        for option in options
        if typing.get_origin(option) is typing.Literal
        for value in typing.get_args(option)
    )


def _nothing(hint: Any) -> tuple[type, ...]:
    """Return the type of None if that is one of the values."""
    if typing.get_origin(hint) is typing.Annotated:
        hint = typing.get_args(hint)[0]
    return (types.NoneType,) if types.NoneType in typing.get_args(hint) else ()


def _options(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) is typing.Annotated:
        hint = typing.get_args(hint)[0]
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    options = typing.get_args(hint) if is_union else (hint,)
    return tuple(option for option in options if option not in (Unknown, types.NoneType))


def _struct(hint: Any) -> type[msgspec.Struct] | None:
    return hint if isinstance(hint, type) and issubclass(hint, msgspec.Struct) else None
