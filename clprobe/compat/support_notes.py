# SPDX-License-Identifier: MIT
"""What else to know of a version of an implementation on a generation, for the support matrix."""

from collections.abc import Iterator, Sequence

from clprobe.compat.linux_support import is_in_range
from clprobe.compat.release_linux import LinuxAnswer
from clprobe.knowledge.table_types import Generation, Implementation, Release
from clprobe.knowledge.versions import upstream


def flaws_of(
    entry: Implementation, version: str, generation: Generation, linux: LinuxAnswer
) -> list[Release]:
    """Return what the tables know to go wrong with this version, on this hardware and Linux."""
    number = version if entry.version_scheme == "debian" else upstream(version)
    return [
        one
        for one in entry.releases
        if (not one.generations or generation.generation in one.generations)
        and is_in_range(number, one.versions, entry.version_scheme) is True
        and version not in one.mended
        and (one.linux == "*" or _is_in(linux.linux, one.linux))
    ]


def notes_of(entry: Implementation, note: str | None, flaws: Sequence[Release]) -> Iterator[str]:
    """Yield the package's own note, the flaws, and the variables that it needs."""
    if note:
        yield note
    yield from (one.note for one in flaws)
    if entry.enable:
        variables = " ".join(f"{key}={value}" for key, value in entry.enable.items())
        yield f"It shows the GPU only with {variables} in the environment"


def needed_variables(entry: Implementation, flaws: Sequence[Release]) -> dict[str, str]:
    """Return the environment variables without which this version shows no GPU here."""
    needed = dict(entry.enable)
    for one in flaws:
        if one.breaks:
            needed |= one.environment
    return needed


def _is_in(linux: str | None, versions: str) -> bool:
    return linux is not None and is_in_range(linux, versions, "linux") is True
