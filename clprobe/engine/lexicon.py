# SPDX-License-Identifier: MIT
"""Finds what a name means: a rule, GPU, generation, driver, package, release or stack."""

import difflib
from collections.abc import Callable, Iterator

import msgspec

from clprobe.engine import lexicon_hardware as hardware
from clprobe.engine import lexicon_linux
from clprobe.engine import lexicon_software as software
from clprobe.engine.diagnose import Knowledge
from clprobe.engine.lexicon_entry import Entry, squeezed, stated
from clprobe.engine.rule import Rule
from clprobe.model.errors import ClprobeError

__all__ = ["Entry", "Explained", "explain", "look_up_name"]

_LONGEST = 120
_SURE = 0.8


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """What a name stands for; `taken_for` is the known name that a misspelt one was read as."""

    name: str
    taken_for: str | None
    entries: tuple[Entry, ...]


def explain(name: str, knowledge: Knowledge) -> Explained:
    """Return what `name`, or the one known name that it nearly is, stands for.

    Raises: ClprobeError if it stands for nothing, or is no name at all.
    """
    asked = _readable(name)
    found = _found(asked, knowledge)
    if found:
        return Explained(name=asked, taken_for=None, entries=found)
    spelt = {squeezed(known): known for known in _names(knowledge)}
    wanted = squeezed(asked)
    close = difflib.get_close_matches(wanted, list(spelt), n=3, cutoff=_SURE)
    digits = [text for text in close if _digits(text) == _digits(wanted)]
    if digits:
        taken = spelt[digits[0]]
        return Explained(name=asked, taken_for=taken, entries=_found(taken, knowledge))
    near = difflib.get_close_matches(wanted, list(spelt), n=3, cutoff=0.6)
    raise ClprobeError(
        reference="nothing-known",
        message=f"Nothing is known of {asked!r}.",
        hint=f"Did you mean {' or '.join(spelt[text] for text in near)}?"
        if near
        else knowledge.tables.nearest_gpu_names(asked),
    )


def look_up_name(name: str, knowledge: Knowledge) -> tuple[Entry, ...]:
    """Return what `name` stands for; several entries where it stands for several things.

    Raises: ClprobeError if it stands for nothing; the hint names what looks like it.
    """
    return explain(name, knowledge).entries


def _readable(name: str) -> str:
    asked = " ".join(name.split(" ")).strip()
    if asked and len(asked) <= _LONGEST and asked.isprintable() and squeezed(asked):
        return asked
    if len(asked) > _LONGEST:
        what = f"A name has at most {_LONGEST} characters, and this one has {len(asked)}."
    elif not asked:
        what = "The name is empty."
    else:
        what = "The name holds characters that no name has."
    raise ClprobeError(
        reference="name-unreadable",
        message=what,
        hint='Give a GPU ("HD 4600"), a driver (beignet) or a release (debian-12).',
    )


def _found(name: str, knowledge: Knowledge) -> tuple[Entry, ...]:
    found = {
        (entry.kind, entry.title): entry for find in _FINDERS for entry in find(name, knowledge)
    }
    return tuple(found.values())


def _digits(text: str) -> str:
    """Return the digits: a typo in a number is another chip or another release."""
    return "".join(letter for letter in text if letter.isdigit())


def _names(knowledge: Knowledge) -> Iterator[str]:
    tables = knowledge.tables
    yield from (rule.id for rule in knowledge.rules)
    for key, generation in tables.generations().items():
        yield key
        for platform in generation.platforms.values():
            yield from platform.names.partition(":")[0].split(", ")
    yield from tables.implementations()
    yield from tables.stacks()
    yield from tables.families()
    for release in tables.distributions():
        yield release.key
        yield from release.packages
        if release.codename:
            yield release.codename
    yield from {entry.name.removeprefix("Intel ") for entry in tables.gpus().values() if entry.name}


def _rules(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    rule = knowledge.rule(name.replace(" ", "-"))
    if rule is not None:
        yield rule_entry(rule, knowledge)


def rule_entry(rule: Rule, knowledge: Knowledge) -> Entry:
    """Return the page of a rule."""
    causes = [other.id for other in knowledge.rules if rule.id in other.explains]
    facts = [
        ("severity", rule.severity),
        ("chain", rule.link),
        ("because", rule.because),
        ("remedies", "\n".join(_action(kind.kind, kind.arguments) for kind in rule.actions)),
        ("explains", ", ".join(rule.explains)),
        ("caused by", ", ".join(causes)),
        ("since", rule.since),
        ("on this machine", f"clprobe doctor --why {rule.id}"),
    ]
    return Entry(
        kind="rule", title=f"{rule.id}: {rule.title}", facts=stated(facts), sources=rule.sources
    )


def _action(kind: str, arguments: dict[str, str]) -> str:
    return arguments["text"] if kind == "manual" else f"{kind} {' '.join(arguments.values())}"


_FINDERS: tuple[Callable[[str, Knowledge], Iterator[Entry]], ...] = (
    _rules, software.implementations, hardware.generations, software.distributions,
    software.packages, software.stacks, lexicon_linux.linux, hardware.gpus, hardware.families,
)  # fmt: skip
