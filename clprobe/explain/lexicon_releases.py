# SPDX-License-Identifier: MIT
"""Finds the releases of distributions that a name means, and those built on them."""

import re
from collections.abc import Iterator

from clprobe.diagnosis.diagnose import Knowledge
from clprobe.explain.lexicon_entry import Entry, words
from clprobe.explain.lexicon_software import distribution_entry, is_called
from clprobe.knowledge.table_types import Derived, Distribution


def distributions(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the releases of that name: "Ubuntu 24.04.2", "ubuntu noble", bookworm, fedora."""
    known = knowledge.tables.distributions()
    readings = (name, re.sub(r"(\d)\.\d+$", r"\1", name))  # a point release, RHEL 9.4
    for reading in readings:
        found = [one for one in known if is_called(reading, one.key, _release_names(one))]
        wanted = words(reading)
        loose = [
            one
            for one in known
            if wanted <= words(f"{one.id} {one.release} {one.codename or ''} {' '.join(one.also)}")
        ]
        for one in found or loose:
            yield distribution_entry(one)
        if found or loose:
            return
    for reading in readings:
        pairs = [(one, base) for base in known for one in base.derived]
        derived = [(one, base) for one, base in pairs if _is_part(reading, one.names)]
        for built, base in derived:
            yield derived_entry(built, base)
        if derived:
            return


def _is_part(name: str, names: tuple[str, ...]) -> bool:
    """Whether the name, which a number alone is not, is one of the names or a part of it."""
    wanted = words(name)
    tells = any(re.search("[a-z]", word) for word in wanted)
    return tells and any(wanted <= words(one) for one in names)


def _release_names(found: Distribution) -> tuple[str, ...]:
    return (*found.called, *([found.codename] if found.codename else []))


def derived_entry(derived: Derived, base: Distribution) -> Entry:
    """Return what is known of a release without a table: what it is built on."""
    facts = (
        ("known", "nothing of its own: no table lists its packages"),
        ("built on", f"{base.key}, whose packages it takes over for the most part"),
        ("next", f"clprobe explain {base.key}"),
    )
    return Entry(
        kind="distribution",
        title=f"{derived.names[0]}: not in the tables",
        facts=facts,
        sources=derived.sources,
    )
