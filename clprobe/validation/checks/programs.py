# SPDX-License-Identifier: MIT
"""Checks of rules/tables/programs: lines are found in their examples, names lead somewhere."""

import re
from collections.abc import Collection
from pathlib import Path

from clprobe.knowledge.program_table import GROUPS, Fault, Program, Setting, SpokenLine
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place

_PLACE = re.compile(r"\{(?:home|config|data|cwd|\$\w+|-[\w:-]+)\}")
_OF_SETTINGS = ("setting", "path")


def programs(files: dict[Path, Program], hardware: Collection[str] = ()) -> Mistakes:
    """Yield what is wrong with each program.

    `hardware` are the names of all generations, families and implementations.
    """
    for path, program in files.items():
        here = Place(path)
        yield from check.table_legend(path)
        yield from check.is_named(here, program.program)
        for number, line in enumerate(program.lines):
            yield from _line(here.at("lines", number), line)
        for number, fault in enumerate(program.faults):
            yield from _fault(here.at("faults", number), fault)
        for number, demand in enumerate(program.demands):
            place = here.at("demands", number)
            yield from check.sources(place, demand.sources)
            yield from check.names(place, demand.leaves_out, hardware, "hardware or driver")
            if not demand.because:
                yield place.mistake("it says no reason", "Say in one sentence what it takes.")
        for number, setting in enumerate(program.settings):
            yield from _setting(here.at("settings", number), setting)
        yield from _switches(here, program)
        for part in ("ways", "packaging", "services"):
            for number, entry in enumerate(getattr(program, part)):
                yield from check.sources(here.at(part, number), entry.sources)


def _line(here: Place, line: SpokenLine) -> Mistakes:
    yield from check.sources(here, line.sources)
    try:
        pattern = line.pattern()
    except re.error as error:
        yield here.at("form").mistake(f"it is no regular expression: {error}")
        return
    yield from check.names(here.at("form"), pattern.groupindex, GROUPS, "fact for a group")
    if not line.examples:
        yield here.mistake("it has no example", "Give a line in which it is found.")
    if line.if_named and not line.mark:
        yield here.mistake("it has no mark", "Only a line with a mark is looked for everywhere.")
    find = pattern.search if line.mark else pattern.match
    for number, example in enumerate(line.examples):
        if not find(example.strip()):
            yield here.at("examples", number).mistake(f"it is not found in {example!r}")
        elif line.mark not in example:
            yield here.at("examples", number).mistake(f"{example!r} lacks the mark {line.mark!r}")


def _switches(here: Place, program: Program) -> Mistakes:
    for number, switch in enumerate(program.switches):
        place = here.at("switches", number)
        yield from check.sources(place, switch.sources)
        if switch.names is not None and switch.kind != "variable":
            yield place.mistake("only what a variable names is told", "Leave names out.")


def _setting(here: Place, setting: Setting) -> Mistakes:
    yield from check.sources(here, setting.sources)
    for number, file in enumerate(setting.files):
        if not _PLACE.match(file):
            yield here.at("files", number).mistake(
                f"{file} begins with no place", "See the README."
            )
    try:
        pattern = setting.pattern()
        re.compile(setting.shows)
    except re.error as error:
        yield here.at("form").mistake(f"it is no regular expression: {error}")
        return
    yield from check.names(here.at("form"), pattern.groupindex, _OF_SETTINGS, "group")
    if not setting.examples:
        yield here.mistake("it has no example", "Give a line as it stands in the file.")
    for number, example in enumerate(setting.examples):
        if not pattern.search(example):
            yield here.at("examples", number).mistake(f"it is not found in {example!r}")


def _fault(here: Place, fault: Fault) -> Mistakes:
    yield from check.sources(here, fault.sources)
    yield from check.versions(here.at("versions"), fault.versions, "dotted")
    try:
        pattern = fault.pattern()
    except re.error as error:
        yield here.at("shows").mistake(f"it is no regular expression: {error}")
        return
    if not fault.examples:
        yield here.mistake("it has no example", "Give words in which the fault shows.")
    for number, example in enumerate(fault.examples):
        if not pattern.search(example):
            yield here.at("examples", number).mistake(f"it is not found in {example!r}")
