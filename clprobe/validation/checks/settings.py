# SPDX-License-Identifier: MIT
"""Checks rules/tables/settings.yaml: cues can be read, names lead to rules and words."""

from collections.abc import Collection
from pathlib import Path

from clprobe.diagnosis.precedents.settings import NAMED_WORDS, SettingsTable
from clprobe.knowledge.checked_yaml import read
from clprobe.ruleset.cues import parse_cue
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place


def settings(path: Path, rules: Collection[str]) -> Mistakes:
    """Yield what is wrong in the table. Raises: ClprobeError if it does not fit its type."""
    top, table = Place(path), read(path, SettingsTable)
    yield from check.table_legend(path)
    for name, family in table.families.items():
        yield from check.names(top.at("families"), family, rules, f"rule of family {name}")
    for number, one in enumerate(table.settings):
        here = top.at("settings", number)
        yield from check.names(here.at("speaks"), one.speaks, {*rules, *table.families}, "rule")
        for text in one.told:
            yield from _cue(here.at("told"), text, table)


def _cue(here: Place, text: str, table: SettingsTable) -> Mistakes:
    named = [found[1] for found in NAMED_WORDS.finditer(text)]
    unknown = list(check.names(here, named, table.words, "set of words"))
    yield from unknown
    if unknown:
        return
    try:
        parse_cue(table.written_out(text))
    except ValueError as error:
        yield here.mistake(str(error))
