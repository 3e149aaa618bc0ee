# SPDX-License-Identifier: MIT
"""Reads every file of a rules database and names all that is wrong, each with file and line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from clprobe.knowledge.checked_yaml import line_at
from clprobe.knowledge.printed import read_printed
from clprobe.knowledge.solved_reports import SolvedReport, load_report, report_files
from clprobe.knowledge.tables import KINDS, Tables, read_table
from clprobe.model.errors import ClprobeError
from clprobe.resources import rules_path
from clprobe.ruleset.load import CASES_SUFFIX, load_rule, malformed, rule_files
from clprobe.validation.cases import CaseFile, checked_snapshot, load_cases
from clprobe.validation.checks import command_checks, hardware, rule_references, systems
from clprobe.validation.checks.cores import cores
from clprobe.validation.checks.interfaces import interfaces
from clprobe.validation.checks.place import Mistakes
from clprobe.validation.checks.printed import printed
from clprobe.validation.checks.programs import programs
from clprobe.validation.checks.settings import settings

T = TypeVar("T")


class Validated(msgspec.Struct, frozen=True):
    """What was read, and what is wrong in it; [] if nothing is."""

    rules: int
    tables: int
    mistakes: list[ClprobeError]


def validate(path: Path | None = None) -> Validated:
    """Check a database, one of its folders, or one file of rules; by default clprobe's own.

    What lies between files is checked only in a whole database whose files are sound by
    themselves, because every further mistake might follow from the first.
    """
    root = path or rules_path()
    mistakes: list[ClprobeError] = []
    rules = _each(rule_files(root), load_rule, mistakes)
    _each(_case_files(root), _cases, mistakes)
    folder = root / "tables"
    tables = {
        kind: _each(sorted((folder / kind).glob("*.yaml")), _table_reader(kind), mistakes)
        for kind in KINDS
    }
    _each(report_files(root), _solved, mistakes)
    forms = _each(sorted((folder / "printed").glob("*.yaml")), read_printed, mistakes)
    if not mistakes and folder.is_dir():
        mistakes += _between(root, rules, tables, Tables.load(folder))
        mistakes += printed(forms)
    return Validated(len(rules), sum(map(len, tables.values())), mistakes)


def _between(
    root: Path, rules: dict[Path, Any], files: dict[str, dict[Path, Any]], tables: Tables
) -> Mistakes:
    yield from hardware.gpu_files(files["gpus"], tables)
    yield from hardware.generations(files["generations"], tables)
    yield from hardware.implementations(files["implementations"], tables)
    yield from hardware.families(files["families"], tables)
    yield from hardware.processors(files["processors"], tables)
    yield from cores(files["cores"])
    yield from hardware.adapters(files["adapters"])
    yield from systems.other_systems(files["systems"], tables)
    yield from systems.distributions(files["distributions"], tables)
    yield from systems.stacks(files["stacks"], tables)
    yield from systems.origins(files["origins"], tables)
    yield from systems.windows_drivers(files["windows_drivers"], tables)
    yield from interfaces(files["interfaces"], tables)
    hardware_names = {*tables.generations(), *tables.families(), *tables.implementations()}
    yield from programs(files["programs"], hardware_names)
    yield from command_checks.questions(root / "tables" / "questions.yaml")
    yield from command_checks.tools(root / "tables" / "tools.yaml")
    yield from systems.verified(root / "tables" / "verified.yaml", tables)
    yield from settings(root / "tables" / "settings.yaml", {path.stem for path in rules})
    yield from rule_references.rules(rules, tables)
    yield from command_checks.remedies(rules)
    yield from rule_references.cases(_case_files(root), {path.stem for path in rules})


def _each(
    paths: list[Path], read: Callable[[Path], T], mistakes: list[ClprobeError]
) -> dict[Path, T]:
    made = {}
    for path in paths:
        try:
            made[path] = read(path)
        except ClprobeError as error:  # noqa: PERF203 - each file's own
            mistakes.append(error)
    return made


def _cases(path: Path) -> CaseFile:
    file = load_cases(path)
    for number, case in enumerate(file.cases):
        checked_snapshot(case, number, file, path)
    return file


def _solved(path: Path) -> SolvedReport:
    report = load_report(path)
    try:
        _ = report.snapshot
    except msgspec.ValidationError as error:
        raise malformed(path, line_at(path, ("facts",)), str(error)) from error
    return report


def _table_reader(kind: str) -> Callable[[Path], Any]:
    return lambda path: read_table(path, KINDS[kind])


def _case_files(root: Path) -> list[Path]:
    return sorted(root.glob(f"*/*{CASES_SUFFIX}"))
