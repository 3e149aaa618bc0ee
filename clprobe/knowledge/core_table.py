# SPDX-License-Identifier: MIT
"""What a file of rules/tables/cores means: a maker's processors as compilers tell them apart."""

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from clprobe.knowledge.table_types import Entry
from clprobe.model.system import Cpu
from clprobe.model.unknown import Unknown, known

_MARKS = re.compile(r"\((?:r|tm)\)|[®™]", re.IGNORECASE)


class CpuFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A family of x86 as CPUID numbers it, and ranges of its models; without them all of it."""

    family: int
    models: tuple[tuple[int, int], ...] = ()

    def holds(self, family: int, model: int | None) -> bool:
        """Whether a processor of these numbers is one of them; None: the model is not known."""
        if family != self.family:
            return False
        return not self.models or any(model is not None and a <= model <= b for a, b in self.models)


class Core(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Processors that one word of a compiler stands for, such as LLVM's znver3.

    `name` is for sentences. `names` are regular expressions for the marketing name, where the
    numbers are not known.
    """

    core: str
    name: str
    families: tuple[CpuFamily, ...]
    names: tuple[str, ...]


class Cores(Entry, frozen=True, kw_only=True):
    """The cores of a maker; `vendor_id` is what CPUID calls it."""

    vendor: Literal["intel", "amd"]
    vendor_id: str
    cores: tuple[Core, ...]


def core_of(cpu: Cpu, tables: Iterable[Cores]) -> Core | None:
    """Return the core of a processor; None: it is not known, or in no table.

    The numbers decide where they are known: a virtual machine's processor has any name.
    """
    vendor, model = known(cpu.vendor), known(cpu.model)
    makers = [one for one in tables if vendor in (None, one.vendor_id)]
    if vendor is not None and not isinstance(cpu.family, Unknown):
        number = known(cpu.model_number)
        of_makers = (core for one in makers for core in one.cores)
        found = next((c for c in of_makers if _has(c, cpu.family, number)), None)
        if found is not None or number is not None:
            return found
    return core_named(model, makers) if model is not None else None


def core_named(name: str, tables: Iterable[Cores]) -> Core | None:
    """Return the core of that name, or of the processor of that name; None: no table has it."""
    known_cores = [core for one in tables for core in one.cores]
    asked = name.strip().lower()
    for core in known_cores:
        if asked in (core.core, core.name.lower()):
            return core
    plain = _MARKS.sub("", name)
    return next((c for c in known_cores if any(_fits(one, plain) for one in c.names)), None)


def _has(core: Core, family: int, model: int | None) -> bool:
    return any(one.holds(family, model) for one in core.families)


def _fits(pattern: str, name: str) -> bool:
    return re.search(pattern, name, re.IGNORECASE) is not None
