# SPDX-License-Identifier: MIT
"""Every entry of the knowledge base, each once, under the name that stands for it alone."""

from collections.abc import Iterator

from clprobe.diagnosis.diagnose import Knowledge
from clprobe.explain.lexicon import rule_entry
from clprobe.explain.lexicon_entry import Entry
from clprobe.explain.lexicon_hardware import family_entry, generation_entry, gpu_entry
from clprobe.explain.lexicon_managers import manager_entry
from clprobe.explain.lexicon_origins import origin_entry
from clprobe.explain.lexicon_software import distribution_entry, implementation_entry, stack_entry
from clprobe.knowledge.table_types import GpuEntry
from clprobe.knowledge.tables import Tables


def entries(knowledge: Knowledge) -> Iterator[tuple[str, Entry]]:
    """Yield name and entry of all that the tables hold, then of each rule."""
    for of_folder in table_entries(knowledge.tables).values():
        yield from of_folder
    for rule in knowledge.rules:
        yield rule.id, rule_entry(rule, knowledge)


def table_entries(tables: Tables) -> dict[str, list[tuple[str, Entry]]]:
    """Return names and entries of each folder below rules/tables, by the folder."""
    releases = sorted(tables.distributions(), key=lambda one: one.key)
    return {
        "generations": [
            (key, generation_entry(one, tables)) for key, one in tables.generations().items()
        ],
        "implementations": [
            (key, implementation_entry(one, tables))
            for key, one in tables.implementations().items()
        ],
        "distributions": [(one.key, distribution_entry(one)) for one in releases],
        "stacks": [(key, stack_entry(one)) for key, one in tables.stacks().items()],
        "origins": [(key, origin_entry(one)) for key, one in tables.origins().items()],
        "package_managers": [
            (key, manager_entry(one)) for key, one in tables.package_managers().items()
        ],
        "families": [(key, family_entry(one, tables)) for key, one in tables.families().items()],
        "gpus": [(key, gpu_entry(key, one, tables)) for key, one in _oldest_first(tables)],
    }


def _oldest_first(tables: Tables) -> list[tuple[str, GpuEntry]]:
    """Return the GPUs by generation and PCI id; chips that were never sold may have none."""
    known = list(tables.generations())

    def order(gpu: tuple[str, GpuEntry]) -> tuple[int, str, str]:
        pci_id, entry = gpu
        at = known.index(entry.generation) if entry.generation in known else len(known)
        return at, entry.generation, pci_id

    return sorted(tables.gpus().items(), key=order)
