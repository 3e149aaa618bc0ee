# SPDX-License-Identifier: MIT
"""The lexicon's entries of third parties' package repositories."""

from collections.abc import Iterator

from clprobe.diagnosis.diagnose import Knowledge
from clprobe.explain.lexicon_entry import Entry, as_a_whole, squeezed, stated
from clprobe.knowledge.origin_table import Origin, Repository


def origins(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the repository of that name."""
    for key, found in knowledge.tables.origins().items():
        # "Intel Graphics" is no repository: the key counts as it is spelt.
        if name.lower() == key or squeezed(name) == squeezed(found.name):
            yield origin_entry(found)


def origin_entry(found: Origin) -> Entry:
    """Return the page of a repository."""
    places = [f"{release}: {_as_apt_is_told(one)}" for release, one in found.repositories.items()]
    facts = [
        ("name", found.name),
        ("made by", found.maker),
        ("for", "\n".join(places)),
        ("signing key", found.key_url),
        ("its fingerprint", found.fingerprint or "none that a source vouches for: not used"),
        ("note", found.note or ""),
    ]
    return Entry(
        kind="origin",
        title=f"{found.origin}: {found.name}",
        facts=stated(facts + as_a_whole(found)),
        sources=found.sources,
    )


def _as_apt_is_told(repository: Repository) -> str:
    return " ".join((repository.uri, repository.suite, *repository.components))
