# SPDX-License-Identifier: MIT
"""The lexicon's entries of package managers."""

import shlex
from collections.abc import Iterator

from clprobe.diagnosis.diagnose import Knowledge
from clprobe.explain.lexicon_entry import Entry, as_a_whole, stated
from clprobe.knowledge.package_manager_table import PackageManager


def package_managers(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the package manager of that name."""
    for key, found in knowledge.tables.package_managers().items():
        if name.lower() in (key, found.program):
            yield manager_entry(found)


def manager_entry(found: PackageManager) -> Entry:
    """Return the page of a package manager."""
    facts = [
        ("name", found.name),
        ("for", ", ".join(found.distributions)),
        ("installs with", shlex.join(found.by_hand.install)),
        ("removes with", shlex.join(found.by_hand.remove)),
        ("reinstalls with", shlex.join(found.by_hand.reinstall)),
        ("proves with", shlex.join(found.query)),
        ("lists with", shlex.join(found.listing)),
        ("simulates", "yes" if found.simulate is not None else "no"),
        ("locks", ", ".join((*found.locks, *([found.lock_file] if found.lock_file else [])))),
    ]
    return Entry(
        kind="package manager",
        title=f"{found.manager}: {found.name}",
        facts=stated(facts + as_a_whole(found)),
        sources=found.sources,
    )
