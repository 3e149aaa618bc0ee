# SPDX-License-Identifier: MIT
"""Which repository beyond the distribution's own brought a package, by the lists that apt keeps."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from clprobe.probe.packages.sources import is_own_host, short_name

# The lists of a whole distribution are larger; those of makers and PPAs have a few hundred entries.
_MOST_BYTES = 8 << 20
_SUFFIX = "_Packages"


def origins(folder: Path, packages: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the repository of each (name, version) that a list has; dpkg itself records none."""
    wanted = [
        (name, version, f"\nPackage: {name}\n".encode(), f"\nVersion: {version}\n".encode())
        for name, version in packages
    ]
    found: dict[tuple[str, str], str] = {}
    for place, raw in _foreign_lists(folder):
        for name, version, name_line, version_line in wanted:
            if any(version_line in entry for entry in _entries(raw, name_line)):
                found.setdefault((name, version), place)
    return found


def _foreign_lists(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Give the lists that are plain and small, each with the place that its name tells."""
    left = _MOST_BYTES
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        # apt writes slashes as underscores, and underscores as %5f.
        place = path.name.partition("_dists_")[0].removesuffix(_SUFFIX).replace("_", "/")
        if is_own_host(place.partition("/")[0]):
            continue
        try:
            raw = path.read_bytes() if path.stat().st_size <= left else b""
        except OSError:  # taken away by an apt that runs just now
            continue
        left -= len(raw)
        yield short_name(unquote(place).rstrip("/")), b"\n" + raw


def _entries(raw: bytes, name_line: bytes) -> Iterator[bytes]:
    """Give each paragraph of a package: a repository may hold several versions of it."""
    at = raw.find(name_line)
    while at >= 0:
        end = raw.find(b"\n\n", at + 1)
        yield raw[at : end + 1 if end >= 0 else len(raw)]
        at = raw.find(name_line, at + 1)
