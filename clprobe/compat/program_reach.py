# SPDX-License-Identifier: MIT
"""Whether a program takes a GPU: each of its ways, and what it demands of a device."""

import re
from typing import Literal

import msgspec

from clprobe.compat.interfaces import Hardware, Reach, Reached, reached
from clprobe.knowledge.program_table import Demand, Program, Way
from clprobe.knowledge.table_types import Capabilities, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare

Takes = Literal["yes", "open", "no"]
_BEST_FIRST: tuple[Takes, ...] = ("yes", "open", "no")
_OF_REACH: dict[str, Takes] = {"works": "yes", "partly": "open", "unknown": "open", "fails": "no"}
_CORE = re.compile(r"cl_khr_(byte_addressable_store|(global|local)_int32_\w+_atomics)")
"""Extensions that are part of OpenCL 1.1, which each implementation in the tables has."""
_BY_EXTENSION = {"cl_khr_fp16": "fp16", "cl_khr_fp64": "fp64"}
_UNASKED = {"because", "unless", "api", "sources", "unverified"}


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A demand on a device by one driver; `lacks` is what of it the tables leave open."""

    demand: Demand
    fits: Literal["yes", "if", "open", "no"]
    lacks: str = ""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What a program makes of the GPU by one driver: what it has, and each demand that decides."""

    reach: Reach
    asked: tuple[Asked, ...]

    @property
    def takes(self) -> Takes:
        """Whether the program takes it so."""
        of_reach = _OF_REACH[self.reach.reaches]
        fits = {one.fits for one in self.asked}
        if "no" in fits or of_reach == "no":
            return "no"
        return "open" if "open" in fits else of_reach

    def of_kind(self, fits: str) -> tuple[Asked, ...]:
        """Return the demands that end so."""
        return tuple(one for one in self.asked if one.fits == fits)


class JudgedWay(msgspec.Struct, frozen=True, kw_only=True):
    """One way of a program, by the drivers of its interface, the best first."""

    way: Way
    reached: Reached
    by: tuple[Judged, ...]

    @property
    def takes(self) -> Takes:
        """Whether the program takes the GPU on this way."""
        if self.by:
            return self.by[0].takes
        return "no" if self.reached.closed_because else "open"


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """Each way of a program to some GPUs, in its own order; without those to the CPU."""

    ways: tuple[JudgedWay, ...]

    def first(self, takes: Takes) -> JudgedWay | None:
        """Return the first way that ends so."""
        return next((one for one in self.ways if one.takes == takes), None)

    @property
    def outline(self) -> tuple[object, ...]:
        """What chips of one name are told apart by: what ends how, whatever the versions."""
        return tuple(
            (one.takes, tuple((by.reach.driver, by.takes) for by in one.by)) for one in self.ways
        )


def judge(program: Program, hardware: Hardware, tables: Tables) -> Judgement:
    """Return which ways of the program lead to the GPUs."""
    ways = (one for one in program.ways if one.api != "processor")
    return Judgement(ways=tuple(_way(one, program, hardware, tables) for one in ways))


def _way(way: Way, program: Program, hardware: Hardware, tables: Tables) -> JudgedWay:
    found = reached(way.api, hardware, tables)
    demands = [one for one in program.demands if one.api == way.api]
    by = [
        Judged(
            reach=reach,
            asked=tuple(
                _asked(one, reach, hardware, tables)
                for one in demands
                if reach.reaches != "fails"  # of what is not there nothing is asked
            ),
        )
        for reach in found.by
    ]
    by.sort(key=lambda one: _BEST_FIRST.index(one.takes))
    return JudgedWay(way=way, reached=found, by=tuple(by))


def _asked(demand: Demand, reach: Reach, hardware: Hardware, tables: Tables) -> Asked:
    if _rules_out(demand, reach, hardware):
        return Asked(demand=demand, fits="no")
    open_: list[str] = []
    for wanted, has in _capabilities(demand, reach, hardware, tables).items():
        if has is False:
            return Asked(demand=demand, fits="no")
        if has is None:
            open_.append(wanted)
    if open_:
        return Asked(demand=demand, fits="open", lacks=", ".join(open_))
    stated = {
        name for name in demand.__struct_fields__ if name not in _UNASKED and getattr(demand, name)
    }
    depends = not stated or demand.memory_mib is not None
    return Asked(demand=demand, fits="if" if depends else "yes")


def _rules_out(demand: Demand, reach: Reach, hardware: Hardware) -> bool:
    other_maker = bool(demand.vendors) and hardware.one.vendor not in demand.vendors
    other_type = bool(demand.types) and "gpu" not in demand.types
    return other_maker or other_type or bool({hardware.key, reach.driver} & {*demand.leaves_out})


def _capabilities(
    demand: Demand, reach: Reach, hardware: Hardware, tables: Tables
) -> dict[str, bool | None]:
    """Return what is wanted of the device, and whether it has that; None: no table tells."""
    generation = hardware.one.generation
    can = generation.capabilities.get(reach.driver) if generation is not None else None
    found: dict[str, bool | None] = {}
    driver = tables.implementation(reach.driver)
    if demand.opencl is not None:
        least = driver.opencl if driver is not None else None
        enough = _is_enough(can.opencl_version if can else None, least, demand.opencl)
        found[f"OpenCL {demand.opencl}"] = enough
    for extension in (one for one in demand.extensions if not _CORE.fullmatch(one)):
        of_table = _BY_EXTENSION.get(extension)
        found[extension] = getattr(can, of_table) if can and of_table else None
    for name, asked in (("fp16", demand.fp16), ("fp64", demand.fp64)):
        if asked:
            found[name] = getattr(can, name) if can else None
    if demand.images:
        found["images"] = _images(can, reach, hardware, driver)
    return found


def _is_enough(exact: str | None, least: str | None, wanted: str) -> bool | None:
    """Whether a version is enough that is known exactly, or as the least that there is."""
    if exact is not None:
        return compare(exact, wanted, "dotted") >= 0
    return True if least is not None and compare(least, wanted, "dotted") >= 0 else None


def _images(
    can: Capabilities | None, reach: Reach, hardware: Hardware, driver: Implementation | None
) -> bool | None:
    if can is not None:
        return can.images
    family = hardware.one.family
    of_family = family.implementations.get(reach.driver) if family is not None else None
    if of_family is not None and of_family.images is not None:
        return of_family.images
    return driver.images if driver is not None else None
