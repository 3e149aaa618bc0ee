# SPDX-License-Identifier: MIT
"""By which drivers a GPU has an interface: OpenCL, Vulkan, CUDA …, as far as the tables say."""

from collections.abc import Iterator, Sequence

import msgspec

from clprobe.compat.coverage import (
    covers,
    drives_gpus,
    is_for_vendor,
    needed_versions,
    version_range,
    why_never,
)
from clprobe.compat.known_gpu import KnownGpu
from clprobe.knowledge.interface_table import Interface, InterfaceDriver, OnGpus, Reaches
from clprobe.knowledge.program_table import Api
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words
from clprobe.model.finding import Source
from clprobe.model.unknown import Unknown

_BEST_FIRST: tuple[Reaches, ...] = ("works", "partly", "unknown", "fails")
_NO_TABLE = {"opengl": "OpenGL", "processor": "the CPU"}


class Hardware(msgspec.Struct, frozen=True, kw_only=True):
    """GPUs that a name stands for, of one generation's chip or one family.

    `called` is the name that was given, `chip` a key of the generation's platforms or of the
    family's chips, None where the name does not tell it.
    """

    called: str
    gpus: tuple[KnownGpu, ...]
    chip: str | None = None

    @property
    def one(self) -> KnownGpu:
        """One of them: all are of one generation or family."""
        return self.gpus[0]

    @property
    def key(self) -> str:
        """Their generation or family; empty where no table has them."""
        if self.one.generation is not None:
            return self.one.generation.generation
        return self.one.family.family if self.one.family is not None else ""


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """What one driver of an interface does on some GPUs.

    `driver` is its key in the tables. `versions` are those that do, in words, empty where any
    does. `has`, `because` and `note` are as in the tables.
    """

    driver: str
    name: str
    reaches: Reaches
    versions: str = ""
    has: str = ""
    because: str = ""
    note: str = ""
    sources: tuple[Source, ...] = ()


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """An interface on some GPUs: by which drivers, the best first.

    `closed_because`: why no GPU of this maker has it; then there are no drivers.
    """

    api: Api
    name: str
    by: tuple[Reach, ...] = ()
    closed_because: str = ""
    sources: tuple[Source, ...] = ()

    @property
    def reaches(self) -> Reaches:
        """What the best driver does; without drivers it is unknown unless it is closed."""
        if self.closed_because:
            return "fails"
        return self.by[0].reaches if self.by else "unknown"


def api_name(api: Api, tables: Tables) -> str:
    """Return what people call an interface."""
    if api == "opencl":
        return "OpenCL"
    known = tables.interfaces().get(api)
    return known.name if known is not None else _NO_TABLE.get(api, api)


def reached(api: Api, hardware: Hardware, tables: Tables) -> Reached:
    """Return by which drivers the GPUs have an interface."""
    name = api_name(api, tables)
    if api == "opencl":
        one = hardware.one.generation or hardware.one.family
        never = one.no_opencl_because if one is not None else None
        if one is not None and never is not None:
            because = never.rstrip(".")
            return Reached(api=api, name=name, closed_because=because, sources=one.sources)
        return Reached(api=api, name=name, by=_sorted(_opencl(hardware, tables)))
    known = tables.interfaces().get(api)
    if known is None:
        return Reached(api=api, name=name)
    closed = known.not_on_linux or (_others(known, hardware) and known.others_because)
    if closed:
        return Reached(api=api, name=name, closed_because=closed, sources=known.sources[:1])
    by = (_by(driver, hardware) for driver in known.drivers if _may_drive(driver, hardware))
    return Reached(api=api, name=name, by=_sorted(by))


def _others(known: Interface, hardware: Hardware) -> bool:
    return bool(known.vendors) and hardware.one.vendor not in (None, *known.vendors)


def _may_drive(driver: InterfaceDriver, hardware: Hardware) -> bool:
    return hardware.one.vendor in driver.vendors


def _sorted(by: Iterator[Reach]) -> tuple[Reach, ...]:
    """Return the best first, and of those as good the ones whose newest release still does."""

    def order(one: Reach) -> tuple[int, bool]:
        return _BEST_FIRST.index(one.reaches), one.versions.startswith("before ")

    return tuple(sorted(by, key=order))


def _by(driver: InterfaceDriver, hardware: Hardware) -> Reach:
    found = on_hardware(driver.gpus, hardware)
    if found is None:
        because = "no table says whether it takes this GPU"
        return Reach(
            driver=driver.driver, name=driver.name, reaches="unknown", because=because,
            sources=driver.sources,
        )  # fmt: skip
    return Reach(
        driver=driver.driver,
        name=driver.name,
        reaches=found.reaches,
        versions="" if found.versions == "*" else in_words(found.versions),
        has=found.has,
        because=found.because,
        note=found.note,
        sources=found.sources,
    )


def on_hardware(entries: Sequence[OnGpus], hardware: Hardware) -> OnGpus | None:
    """Return the first entry that is about the GPUs; None if none is."""
    for one in entries:
        if hardware.key in one.on and _is_about(one, hardware):
            return one
    return None


def _is_about(entry: OnGpus, hardware: Hardware) -> bool:
    if not (entry.chips or entry.names):
        return True
    return hardware.chip in entry.chips or entry.is_called(hardware.called)


def _opencl(hardware: Hardware, tables: Tables) -> Iterator[Reach]:
    known = tables.implementations().values()
    asked = [one for one in known if drives_gpus(one) and is_for_vendor(one, hardware.one)]
    for one in sorted(asked, key=lambda one: _order(one, hardware.one)):
        yield _implementation(one, hardware)


def _order(implementation: Implementation, gpu: KnownGpu) -> tuple[bool, bool, bool, str]:
    """Return what sorts those first that a plan would take: current, maintained, the maker's."""
    versions = version_range(implementation, gpu) or "*"
    return (
        "<" in versions, not implementation.maintained,
        implementation.version_scheme == "mesa", implementation.implementation,
    )  # fmt: skip


def _implementation(one: Implementation, hardware: Hardware) -> Reach:
    key = one.implementation
    needed = [needed_versions(one, gpu) for gpu in hardware.gpus]
    named = sorted({text for text in needed if text is not None})
    sources = (hardware.one.generation or hardware.one.family or one).sources
    if not named:
        open_ = [a for gpu in hardware.gpus if isinstance(a := covers(one, None, gpu), Unknown)]
        because = open_[0].unknown if open_ else why_never(one, hardware.one)
        return Reach(
            driver=key, name=key, reaches="unknown" if open_ else "fails", because=because,
            sources=sources,
        )  # fmt: skip
    every = None not in needed
    return Reach(
        driver=key,
        name=key,
        reaches="works" if every else "partly",
        versions="" if named == [in_words("*")] else _either(named),
        because="" if every else "it takes some of the PCI ids of that name",
        note=_shown_with(one, hardware.one.vendor),
        sources=sources,
    )


def _either(versions: list[str]) -> str:
    """Return the ranges that PCI ids of one name need, in one."""
    if len(versions) == 1:
        return versions[0]
    newer = " or newer"
    if all(text.endswith(newer) for text in versions):
        return f"{', '.join(text.removesuffix(newer) for text in versions)}{newer}, by PCI id"
    return f"{'; '.join(versions)}, by PCI id"


def _shown_with(one: Implementation, vendor: str | None) -> str:
    needed = {**one.enable, **one.enable_by_vendor.get(vendor or "", {})}
    return f"with {' '.join(f'{name}={value}' for name, value in needed.items())}" if needed else ""
