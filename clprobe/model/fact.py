# SPDX-License-Identifier: MIT
"""How a field of the snapshot says what it means and where it is read."""

from collections.abc import Sequence

import msgspec


def described(
    text: str, read_from: str = "", *, values: Sequence[str] = (), on_request: bool = False
) -> msgspec.Meta:
    """Return the annotation of a snapshot field.

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
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """Base of all parts of a snapshot: immutable, strict about names, silent about defaults."""
