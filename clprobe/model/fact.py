# SPDX-License-Identifier: MIT
"""How a field of the snapshot says what it means and where it is read."""

import msgspec


def described(text: str, read_from: str = "") -> msgspec.Meta:
    """Return the annotation of a snapshot field.

    `text` becomes the description in the published JSON Schema. `read_from` is where a live probe
    reads the fact, for the evidence of findings; it may name sibling fields in braces, such as
    `/sys/bus/pci/devices/{pci_address}/driver`.
    """
    extra = {"read_from": read_from} if read_from else None
    return msgspec.Meta(description=text, extra=extra)


class FactStruct(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """Base of all parts of a snapshot: immutable, strict about names, silent about defaults."""
