# SPDX-License-Identifier: MIT
"""Takes out of a snapshot what tells who and where; what findings need stays.

A replayed snapshot must give the findings of the live run: versions, PCI addresses and ids, modes
and numbers of users stay, and whoever is the same person, host or id stays the same. Names of
people (user ids from 1000 on) become `user`, `user2` …; root, nobody and service accounts keep
theirs, because which of them asks is often the diagnosis.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown
from clprobe.probe.host import Host
from clprobe.scrub.finding_names import known_in_text, people_in
from clprobe.scrub.known import Known, Person, known_here
from clprobe.scrub.names import Names, stand_ins_in
from clprobe.scrub.replacing import Removed
from clprobe.scrub.walk import Walk

__all__ = [
    "Known",
    "Person",
    "known_here",
    "known_in_text",
    "scrub",
    "scrub_document",
    "scrub_here",
    "scrub_text",
]


def scrub(
    snapshot: Snapshot,
    *,
    home: str | None = None,
    host_name: str = "",
    known: Known = Known(),  # noqa: B008 - frozen
) -> Snapshot:
    """Return the snapshot without what identifies a person or a host.

    `home` is that of the snapshot's user; `known` is what the host or a paste gives away besides.
    """
    document = msgspec.to_builtins(snapshot)
    known = Known(
        people=(*_asker(snapshot, home), *known.people, *people_in(document)),
        host_names=(host_name, *known.host_names),
        identifiers=known.identifiers,
    )
    changed, removed = _walked(document, known)
    counts = Counter(snapshot.scrubbed) + removed
    scrubbed = {"scrubbed": dict(sorted(counts.items()))} if counts else {}
    return msgspec.convert({**changed, **scrubbed}, Snapshot)


def scrub_here(snapshot: Snapshot, host: Host) -> Snapshot:
    """Return the snapshot without what identifies this person or this host."""
    return scrub(snapshot, known=known_here(host))


def scrub_document(document: dict[str, Any], known: Known) -> dict[str, Any]:
    """Return plain data that is no snapshot, such as a report, scrubbed like one."""
    return _walked(document, known)[0]


def _walked(document: dict[str, Any], known: Known) -> tuple[dict[str, Any], Counter[str]]:
    """Return the document without what is known or told by its texts, and what was replaced."""
    text = json.dumps(document, ensure_ascii=False)
    texts = tuple(_texts(document))
    found = known_in_text("\n".join(texts))
    both = Known(
        people=(*known.people, *found.people),
        host_names=(*known.host_names, *found.host_names),
        identifiers=known.identifiers,
    )
    removed = Removed(text, texts)
    names = Names(both, stand_ins_in(text), removed.counts)
    changed = Walk(names, removed, known.identifiers).apply(document)
    return changed, removed.counts


def scrub_text(text: str, known: Known) -> str:
    """Return one text, such as a line of progress, scrubbed like one in a snapshot."""
    scrubbed: str = scrub_document({"text": text}, known)["text"]
    return scrubbed


def _asker(snapshot: Snapshot, home: str | None) -> tuple[Person, ...]:
    """Return the snapshot's user first, who so becomes `user`."""
    own = people_in({"user": {"name": snapshot.user.name, "uid": snapshot.user.uid}})
    if isinstance(snapshot.user.name, Unknown):
        return ()
    return tuple(msgspec.structs.replace(person, home=home) for person in own)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
