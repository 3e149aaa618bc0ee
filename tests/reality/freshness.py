# SPDX-License-Identifier: MIT
"""Which rows of the tables are older than what the package indexes in reach say today."""

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import yaml
from debian_archive import Archive
from debian_facts import compare_release, suites_of
from packaging.version import Version

from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare, in_range

_SECONDS = 60
_INDEXED = {"pytorch-cpu": "torch", "clprobe-tensor": "pyopencl"}
"""What pip calls stacks whose own packages are none of its, or not the ones that builds count."""
_OTHER_INDEX = ("pytorch-xpu", "pytorch-cuda", "rocm-pytorch")
"""Their builds come from other indexes than pip's own."""


def behind_lists(distribution: str, tables: Tables, archive: Archive) -> Iterator[str]:
    """Yield each fact of Debian's or Ubuntu's releases that its signed lists say otherwise."""
    for release in tables.distributions():
        if release.id != distribution:
            continue
        suites, missing = suites_of(release, archive)
        if "release" in suites:
            seen = compare_release(release, suites, tables.implementations())
            yield from (*seen.disagreements, *seen.moved_on)
        yield from (
            f"{release.key} {pocket}: not looked at: {why}" for pocket, why in missing.items()
        )
        for suite in suites.values():
            archive.forget(suite)


def behind_pip(tables: Tables) -> Iterator[str]:
    """Yield each package of pip's own index of which there is a newer version than the tables'.

    What needs another Python than this one is not seen.
    """
    for (name, where), known in sorted(_on_pip(tables).items()):
        newest = _newest_on_pip(name, with_previews=Version(known).is_prerelease)
        if newest is None:
            yield f"{name} ({where}): {known} in the tables, and pip finds none"
        elif compare(newest, known, "pep440") > 0:
            yield f"{name} ({where}): {known} in the tables, by now {newest}"


def read_before(day: date, root: Path) -> Iterator[str]:
    """Yield each file of the tables with the sources that were looked at before that day."""
    for path in sorted(root.glob("*/*.yaml")):
        entry = yaml.safe_load(path.read_text("utf-8"))
        sources = entry.get("sources", {}) if isinstance(entry, dict) else {}
        if not isinstance(sources, dict):
            continue
        looks = [str(source["checked"]) for source in sources.values()]
        if "index_date" in entry:
            looks.append(str(entry["index_date"]))
        old = [look for look in looks if date.fromisoformat(look) < day]
        if old:
            name = path.relative_to(root)
            yield f"{name}: {len(old)} of {len(looks)} looks, the first on {min(old)}"


def _on_pip(tables: Tables) -> dict[tuple[str, str], str]:
    """Return the newest version that the tables know for this Python, by package and entry."""
    python = ".".join(map(str, sys.version_info[:2]))
    known = {}
    for key, stack in tables.stacks().items():
        fitting = [one for one in stack.builds if in_range(python, one.python, "pep440")]
        named = _INDEXED.get(key) or next(iter(stack.packages), None)
        if fitting and named is not None and key not in _OTHER_INDEX:
            known[named, key] = fitting[-1].version
    for key, entry in tables.implementations().items():
        for way in entry.elsewhere:
            if way.how == "pip" and way.version is not None:
                known[way.packages[0], key] = way.version
    return known


def _newest_on_pip(name: str, *, with_previews: bool) -> str | None:
    command = [sys.executable, "-m", "pip", "index", "versions", *["--pre"] * with_previews, name]
    done = subprocess.run(
        command,
        capture_output=True, text=True, timeout=_SECONDS, check=False,
    )  # fmt: skip
    found = re.match(r"\S+ \((\S+)\)", done.stdout)
    return found[1] if found is not None else None
