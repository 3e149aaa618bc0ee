# SPDX-License-Identifier: MIT
"""Asks the lexicon over clprobe's own rules and tables."""

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon import Explained, explain

KNOWLEDGE = Knowledge.load()


def told(name: str) -> Explained:
    """Return what `explain` says of a name."""
    return explain(name, KNOWLEDGE)


def text_of(name: str) -> str:
    """Return that as text, a line per entry."""
    return "\n".join(
        " ".join((entry.title, *(f"{label} {text}" for label, text in entry.facts)))
        for entry in told(name).entries
    )
