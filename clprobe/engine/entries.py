# SPDX-License-Identifier: MIT
"""Every entry of the knowledge base, each once, under the name that stands for it alone."""

from collections.abc import Iterator

from clprobe.engine.diagnose import Knowledge
from clprobe.engine.lexicon import Entry, look_up_name


def entries(knowledge: Knowledge) -> Iterator[tuple[str, Entry]]:
    """Yield name and entry of each rule, driver, generation, release, stack and GPU."""
    tables = knowledge.tables
    named = [
        *(("generation", key) for key in tables.generations()),
        *(("driver", key) for key in tables.implementations()),
        *(("distribution", entry.key) for entry in tables.distributions()),
        *(("stack", key) for key in tables.stacks()),
        *(("rule", rule.id) for rule in knowledge.rules),
        *(("GPU", pci_id) for pci_id in tables.gpus()),
    ]
    for kind, name in named:
        for entry in look_up_name(name, knowledge):
            if entry.kind == kind:
                yield name, entry
                break
