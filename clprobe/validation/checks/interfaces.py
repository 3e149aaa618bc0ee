# SPDX-License-Identifier: MIT
"""Checks of rules/tables/interfaces: each GPU is answered, and names lead somewhere."""

from collections.abc import Mapping
from pathlib import Path

from clprobe.knowledge.interface_table import Interface, InterfaceDriver, OnGpus
from clprobe.knowledge.table_types import Generation
from clprobe.knowledge.tables import Tables
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place


def interfaces(files: dict[Path, Interface], tables: Tables) -> Mistakes:
    """Yield what is wrong with each interface."""
    chips = {
        **{key: tuple(one.platforms) for key, one in tables.generations().items()},
        **{key: tuple(one.chips) for key, one in tables.families().items()},
    }
    makers = {
        **dict.fromkeys(tables.generations(), "intel"),
        **{key: one.vendor for key, one in tables.families().items()},
    }
    for path, interface in files.items():
        top = Place(path)
        yield from check.table_legend(path)
        yield from check.is_named(top, interface.interface)
        if interface.vendors and not interface.others_because:
            yield top.at("vendors").mistake("it says no reason", "Say why others lack it.")
        for number, driver in enumerate(interface.drivers):
            here = top.at("drivers", number)
            yield from _driver(here, driver, chips)
            known = {key for key, maker in makers.items() if maker in driver.vendors}
            told = {key for one in driver.gpus for key in one.on}
            for key in sorted(known - told):
                yield here.mistake(
                    f"it says nothing of {key}", "Say it as `unknown`, with what would settle it."
                )
        if interface.interface == "level-zero":
            yield from _as_generations_say(top, interface, tables.generations())


def _driver(here: Place, driver: InterfaceDriver, chips: Mapping[str, tuple[str, ...]]) -> Mistakes:
    yield from check.sources(here, driver.sources)
    if not driver.files:
        yield here.mistake("nothing tells that it is installed", "Give the files that it brings.")
    for number, one in enumerate(driver.gpus):
        place = here.at("gpus", number)
        yield from check.names(place.at("on"), one.on, chips, "generation or family")
        own = {chip for key in one.on for chip in chips.get(key, ())}
        yield from check.names(place.at("chips"), one.chips, own, "chip of these")
        if one.versions != "*":
            yield from check.versions(place.at("versions"), one.versions, driver.version_scheme)
        for pattern in one.names:
            yield from check.pattern(place.at("names"), pattern)
        yield from _reason(place, one)


def _reason(place: Place, one: OnGpus) -> Mistakes:
    if one.reaches != "works" and not one.because:
        yield place.mistake("it says no reason", "Say why not, or what would settle it.")
    if one.reaches != "unknown":
        yield from check.sources(place, one.sources)


def _as_generations_say(
    top: Place, interface: Interface, generations: Mapping[str, Generation]
) -> Mistakes:
    """Yield where Level Zero is told otherwise than in the generation's own file."""
    for key, generation in generations.items():
        works = any(
            key in one.on and not one.chips and one.reaches == "works"
            for driver in interface.drivers
            for one in driver.gpus
        )
        if generation.level_zero is not None and works != generation.level_zero:
            yield top.mistake(f"of {key} its own file says level_zero: {generation.level_zero}")
