# SPDX-License-Identifier: MIT
"""How a field of the snapshot says what it means and where it is read."""

import sys
from collections.abc import Iterable
from itertools import islice
from typing import Annotated, Any

import msgspec

from clprobe.model.unknown import NOT_STATED

# What fact() says in each class that is being made, by its module and name. A metaclass would see
# it, but msgspec lets its own be extended from 0.20 on only, and Debian 13 has 0.19.
_Written = list[tuple[dict[str, Any], int, msgspec.Meta]]
_written: dict[tuple[str, str], _Written] = {}


def fact(text: str, read_from: str = "", *, default: Any = NOT_STATED, **more: Any) -> Any:
    """Return the default of a field of a FactStruct; for the rest see `described`."""
    body = sys._getframe(1).f_locals  # of the class, to which the field's name is added next
    written = _written.setdefault((body["__module__"], body["__qualname__"]), [])
    written.append((body, len(body), described(text, read_from, **more)))
    return default


def described(
    text: str, read_from: str = "", *, values: Iterable[str] = (), on_request: bool = False
) -> msgspec.Meta:
    """Return the annotation of a field of a FactStruct that has no default.

    `text` becomes the description in the published JSON Schema. `read_from` is where a live probe
    reads the fact, for the evidence of findings; it may name sibling fields in braces, such as
    `/sys/bus/pci/devices/{pci_address}/driver`. `on_request` facts are gathered only when they
    are asked for: that one is not stated leaves no question open. `values` are all texts that
    clprobe itself gives the fact; rules may ask for no other.
    """
    extra = {"read_from": read_from, "values": tuple(values), "on_request": on_request}
    listed = f" ({', '.join(values)})" if values else ""
    return msgspec.Meta(
        description=text + listed,
        extra={key: value for key, value in extra.items() if value} or None,
    )


class FactStruct(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Base of all parts of a snapshot: immutable, strict about names, silent about defaults."""

    @classmethod
    def __init_subclass__(cls) -> None:
        """Make `name: type = fact(…)` mean `name: Annotated[type, described(…)] = default`."""
        types = cls.__annotations__  # which msgspec reads when it first needs them
        for body, place, annotation in _written.pop((cls.__module__, cls.__qualname__), ()):
            name = next(islice(body, place, None))
            types[name] = Annotated[types[name], annotation]
