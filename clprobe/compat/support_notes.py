# SPDX-License-Identifier: MIT
"""What else to know of a version of an implementation on a generation, for the support matrix."""

from collections.abc import Iterator, Sequence

from clprobe.knowledge.table_types import Implementation, Release


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
