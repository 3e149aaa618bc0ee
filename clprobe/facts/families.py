# SPDX-License-Identifier: MIT
"""Families of AMD's and NVIDIA's chips: found by name, with the drivers that hold them."""

import re

from clprobe.knowledge.family_table import Family
from clprobe.knowledge.table_types import Generation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import conditions
from clprobe.model.hardware import Gpu
from clprobe.model.unknown import UNLISTED, Fact


def family_of(gpu: Gpu, vendor: Fact[str], tables: Tables) -> Family | None:
    """Return the one family that the GPU's name fits; None if none does, or several do."""
    if not isinstance(gpu.name, str):
        return None
    found = [
        family
        for family in tables.families().values()
        if family.vendor == vendor
        and any(re.search(name, gpu.name, re.IGNORECASE) for name in family.names)
    ]
    return found[0] if len(found) == 1 else None


def left_out_by(generation: Generation | None, family: Family | None) -> Fact[tuple[str, ...]]:
    """Return the implementations whose later releases no longer drive these chips."""
    known = generation or family
    if known is None:
        return UNLISTED
    return tuple(
        key
        for key, support in known.implementations.items()
        if any(sign.startswith("<") for sign, _ in conditions(support.versions))
    )
