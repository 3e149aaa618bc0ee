# SPDX-License-Identifier: MIT
"""The version matrix as cells, for the table, Markdown and HTML alike."""

from collections.abc import Iterable, Sequence

from clprobe.knowledge.versions import upstream
from clprobe.model.plan import VersionRow

SHORT_HEADINGS = ("stack", "torch", "Python", "on", "status")
HEADINGS = ("stack", "version", "torch", "Python", "driver", "its version", "releases", "status")


def cells(rows: Iterable[VersionRow]) -> list[tuple[str, ...]]:
    """Return a line per combination, the releases with the same answer in one cell."""
    merged: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        key = (
            row.stack,
            row.version or "-",
            row.torch or "-",
            row.python,
            row.driver,
            row.driver_version or "-",
            row.status,
        )
        merged.setdefault(key, []).append(row.release)
    return [(*key[:-1], ", ".join(releases), key[-1]) for key, releases in merged.items()]


def short_cells(rows: Iterable[VersionRow]) -> list[tuple[str, ...]]:
    """Return narrower lines for a terminal: the drivers with the same answer in one cell."""
    merged: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        name = f"{row.stack} {row.version}" if row.version is not None else row.stack
        on = f"{row.driver} {_short(row.driver_version)}".strip()
        merged.setdefault((name, row.torch or "-", row.python, row.status), []).append(on)
    return [(*key[:-1], ", ".join(dict.fromkeys(on)), key[-1]) for key, on in merged.items()]


def _short(version: str | None) -> str:
    return ".".join(upstream(version).split(".")[:2]) if version is not None else ""


def of_release(rows: Iterable[VersionRow], release: str | None) -> list[VersionRow]:
    """Return the rows of one release, and those that hold on any; all if it has none."""
    listed = list(rows)
    own = [row for row in listed if row.release in (release, "any")]
    return own if any(row.release == release for row in own) else listed


def reasons(rows: Sequence[VersionRow]) -> list[tuple[str, str]]:
    """Return stack and reason of what fails on this hardware."""
    return [(row.stack, row.why) for row in rows if row.status == "no"]
