# SPDX-License-Identifier: MIT
"""What the lexicon says of interfaces beside OpenCL: their drivers, and which GPUs have them."""

from collections.abc import Iterator

from clprobe.compat.interfaces import Hardware, Reach, reached
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain import lexicon_packages
from clprobe.explain.lexicon_entry import Entry, Fact, as_a_whole, doubt, page, sources_of, squeezed
from clprobe.knowledge.interface_table import Interface, InterfaceDriver, OnGpus
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words

_WORDS = {"works": "yes", "partly": "partly", "fails": "no", "unknown": "not known"}


def interfaces(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the interface of that name, or the one with a driver of that name."""
    wanted = squeezed(name)
    for key, one in knowledge.tables.interfaces().items():
        drivers = (squeezed(driver.driver) for driver in one.drivers)
        if wanted in (squeezed(key), squeezed(one.name), *drivers):
            yield interface_entry(one)
            yield from lexicon_packages.of_role(name, knowledge)  # Level Zero is a role, too


def interface_entry(found: Interface) -> Entry:
    """Return the page of an interface: by each driver, the GPUs that have it."""
    facts: list[Fact] = [
        ("is", found.about),
        ("on Linux", f"no: {found.not_on_linux}" if found.not_on_linux else ""),
        ("loader", ", ".join(found.loaders)),
        ("other GPUs", f"no: {found.others_because}" if found.others_because else ""),
        *((driver.driver, _driver_lines(driver)) for driver in found.drivers),
        *as_a_whole(found),
    ]
    sources = (*found.sources, *sources_of(found.drivers))
    own = {one.url: one for one in sources}.values()
    return page("interface", f"{found.interface}: {found.name}", facts, own)


def _driver_lines(driver: InterfaceDriver) -> Iterator[str]:
    yield f"{driver.name}: {', '.join(driver.files)}"
    yield from map(_gpus_line, driver.gpus)


def _gpus_line(one: OnGpus) -> str:
    chips = f" {', '.join(one.chips)}" if one.chips else " by name" if one.names else ""
    versions = f", {in_words(one.versions)}" if one.versions != "*" else ""
    more = "; ".join(text for text in (one.has, one.because, one.note) if text)
    said = f"{_WORDS[one.reaches]}{versions}{f': {more}' if more else ''}{doubt(one)}"
    return f"{', '.join(one.on)}{chips}: {said}"


def interface_lines(hardware: Hardware, tables: Tables) -> Iterator[str]:
    """Yield, for each interface that Linux has, by which drivers the GPUs have it."""
    for one in tables.interfaces().values():
        if one.not_on_linux or not one.drivers:
            continue
        found = reached(one.interface, hardware, tables)
        if not found.closed_because:
            by = [_by(reach) for reach in found.by if reach.reaches == found.reaches]
            yield f"{found.name}: {'; '.join(by) or 'not known'}"


def _by(reach: Reach) -> str:
    driver = " ".join(text for text in (reach.name, reach.versions) if text)
    if reach.reaches == "works":
        return f"{driver}{f', {reach.has}' if reach.has else ''}"
    return f"{_WORDS[reach.reaches]}, {driver}: {reach.because}"
