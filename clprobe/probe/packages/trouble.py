# SPDX-License-Identifier: MIT
"""What a package manager left half done, told by its own records; no command is run."""

import itertools
from collections.abc import Iterator

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask
from clprobe.probe.host import Host, PackageRecord
from clprobe.probe.packages.installed import RELEVANT

_DPKG_JOURNAL = "/var/lib/dpkg/updates"
_PACMAN_LOCK = "/var/lib/pacman/db.lck"
# Several versions of these are installed side by side on purpose.
_SIDE_BY_SIDE = ("kernel", "kmod-", "gpg-pubkey")


def probe_package_trouble(host: Host) -> str | Unknown | None:
    """Return what is wrong with the packages that matter, a line each; None if nothing is.

    Unknown where no package manager's records could be read.
    """
    records = ask(host.packages, RELEVANT)
    if isinstance(records, Unknown):
        return records
    if not records:
        return Unknown("no package manager whose records are known here")
    manager = records[0].manager
    lines = [
        *_interrupted(host, manager),
        *(line for record in records for line in _of_one(record)),
        *(_twice(records) if manager == "rpm" else ()),
    ]
    return "\n".join(f"{manager}: {line}" for line in lines) or None


def _interrupted(host: Host, manager: str) -> Iterator[str]:
    if manager == "dpkg":
        names = ask(host.list_folder, _DPKG_JOURNAL)
        # dpkg's own names for records that it did not come to merge.
        if not isinstance(names, Unknown) and any(name.isdigit() for name in names):
            yield f"it was interrupted, {_DPKG_JOURNAL} holds what it had begun"
    elif manager == "pacman" and not isinstance(ask(host.link_status, _PACMAN_LOCK), Unknown):
        yield f"{_PACMAN_LOCK} is there: a transaction is running or was broken off"


def _of_one(record: PackageRecord) -> Iterator[str]:
    if record.state != "installed":
        yield f"{record.name} {record.version} is {record.state}"
    if record.damaged:
        yield f"{record.name} has to be installed once more"
    if record.held:
        yield f"{record.name} is held at {record.version}"


def _twice(records: tuple[PackageRecord, ...]) -> Iterator[str]:
    """Give packages in two versions: an update that was broken off leaves the old one behind."""
    pairs = itertools.groupby(records, key=lambda record: (record.name, record.architecture))
    for (name, _), group in pairs:
        versions = [record.version for record in group]
        if len(versions) > 1 and not name.startswith(_SIDE_BY_SIDE):
            yield f"{name} is installed twice, as {' and '.join(versions)}"
