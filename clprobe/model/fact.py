# SPDX-License-Identifier: MIT
"""How a field of the snapshot says what it means and where it is read."""

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from clprobe.model.unknown import NOT_STATED


def fact(text: str, read_from: str = "", *, default: Any = NOT_STATED, **more: Any) -> Any:
    """Return the default of a field of a FactStruct; for the rest see `described`."""
    return _Written(described(text, read_from, **more), default)


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


class _Written(msgspec.Struct, frozen=True):
    annotation: msgspec.Meta
    default: Any


class _FactMeta(msgspec.StructMeta):
    """Makes `name: type = fact(…)` mean `name: Annotated[type, described(…)] = default`."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any
    ) -> Any:
        written = {key: one for key, one in namespace.items() if isinstance(one, _Written)}
        namespace |= {key: one.default for key, one in written.items()}
        made = super().__new__(cls, name, bases, namespace, **config)
        # msgspec reads the annotations when it first needs them.
        types = made.__annotations__
        types |= {key: Annotated[types[key], one.annotation] for key, one in written.items()}
        return made


class FactStruct(
    msgspec.Struct,
    metaclass=_FactMeta,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Base of all parts of a snapshot: immutable, strict about names, silent about defaults."""
