# SPDX-License-Identifier: MIT
"""Checks of rules/tables/origins: HTTPS alone, whole fingerprints, releases that there are."""

import re
from pathlib import Path

from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.tables import Tables
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place

_FINGERPRINT = re.compile(r"[0-9A-F]{40}")


def origins(files: dict[Path, Origin], tables: Tables) -> Mistakes:
    """Yield what is wrong in the files of third parties' repositories."""
    releases = [distribution.key for distribution in tables.distributions()]
    for path, entry in files.items():
        top = Place(path)
        yield from check.is_named(top.at("origin"), entry.origin)
        yield from check.table_legend(path)
        yield from check.names(top.at("repositories"), entry.repositories, releases, "distribution")
        yield from _https(top.at("key_url"), entry.key_url)
        for key, repository in entry.repositories.items():
            yield from _https(top.at("repositories", key, "uri"), repository.uri)
        if entry.fingerprint is None and entry.note is None:
            yield top.mistake("it has no fingerprint and no note that says why")
        if entry.fingerprint is not None and not _FINGERPRINT.fullmatch(entry.fingerprint):
            yield top.at("fingerprint").mistake(
                "a fingerprint is 40 hexadecimal digits in capitals", "gpg --show-keys prints it."
            )


def _https(place: Place, url: str) -> Mistakes:
    if not url.startswith("https://") or re.search(r"\s", url):
        yield place.mistake(f"{url!r} is no address with https")
