# SPDX-License-Identifier: MIT
"""Finds what a name means: a rule, GPU, generation, driver, package, release or stack."""

import contextlib
import difflib
import re
import unicodedata
from collections.abc import Callable, Iterator

import msgspec

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain import lexicon_hardware as hardware
from clprobe.explain import lexicon_interfaces, lexicon_linux, lexicon_programs
from clprobe.explain import lexicon_packages as packages
from clprobe.explain import lexicon_releases as releases
from clprobe.explain import lexicon_software as software
from clprobe.explain.lexicon_entry import Entry, Fact, page, squeezed
from clprobe.explain.lexicon_pairs import pairs
from clprobe.knowledge import gpu_spelling as spelling
from clprobe.knowledge.table_types import GpuEntry
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.resources import rules_path
from clprobe.ruleset.consequences import consequences_of
from clprobe.ruleset.rule import Action, Rule
from clprobe.ruleset.rules import load_rules

__all__ = ["Entry", "Explained", "explain", "explain_shipped"]

_LONGEST = 240  # lspci -nn writes lines of 170 characters
_LONGEST_FILE = 255  # bytes, of names on most disks
_SURE = 0.85
_SHORTEST = 4
"""Letters below which a misspelling is no longer told from another name."""
_MOST_WORDS = 8
_BETWEEN = frozenset({"on", "with", "under", "in", "and", "for", "+", "vs"})
_GENERAL_HINT = "lspci -nn shows the PCI id of a GPU, `clprobe info` which drivers are installed."
_OTHER_HINT = (
    'Give a GPU ("HD 4600"), a PCI id (8086:0412), a chip (Haswell), a driver (beignet), '
    "a release (debian-12) or a stack (pytorch-xpu)."
)


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
    rule = knowledge.rule(asked)
    if rule is not None:  # doctor's reader asks for it, not for the GPUs whose words are in its id
        return Explained(name=asked, taken_for=None, entries=(rule_entry(rule, knowledge),))
    return _explain_name(asked, knowledge)


def explain_shipped(name: str) -> Explained:
    """Return what `explain` does by clprobe's own database.

    Its rules take a tenth of the time, and are read for names that may be one, or are unknown.
    """
    asked, tables = _readable(name), Tables.load()
    if not any(map(_may_be_rule, (asked, spelling.plain(asked)))):
        with contextlib.suppress(ClprobeError):
            explained = explain(name, Knowledge((), tables))
            if explained.taken_for is None:  # else it may be a misspelt rule
                return explained
    return explain(name, Knowledge(load_rules(), tables))


def _may_be_rule(name: str) -> bool:
    """Tell whether there is a file of that rule."""
    file = f"{_rule_id(name)}.yaml"
    if "/" in file or len(file.encode()) > _LONGEST_FILE:
        return False
    return any((folder / file).is_file() for folder in rules_path().iterdir())


def _rule_id(name: str) -> str:
    return re.sub(r"[ _]+", "-", name.lower())


def _explain_name(asked: str, knowledge: Knowledge) -> Explained:
    of_both = pairs(asked, knowledge)
    if of_both:
        return Explained(name=asked, taken_for=None, entries=of_both)
    named = knowledge.tables.named_gpu(asked)
    if named.pci_id is not None:
        if not named.is_known:
            raise _unlisted(named.pci_id)
        return Explained(
            name=asked, taken_for=None, entries=hardware.named_entries(asked, named, knowledge)
        )
    plain = spelling.plain(asked)
    # UHD Graphics (CML GT2) is what the letters say, not all that is called UHD Graphics.
    decided = named.read_as is not None and named.read_as not in plain
    for reading in (asked,) if decided else dict.fromkeys((asked, plain)):
        found = _found(reading, knowledge)
        if found:
            return Explained(name=asked, taken_for=None, entries=found)
    several = _several(plain.split(), knowledge) if _BETWEEN & set(plain.split()) else None
    taken = named.read_as if several is None else None
    if taken is None and spelling.is_general(plain):
        raise _nothing(f"{asked!r} names no single thing.", _GENERAL_HINT)
    found = tuple(packages.of_role(plain, knowledge))
    if not found:
        taken = taken or _misspelt(plain, knowledge)
        if taken is not None:
            return Explained(name=asked, taken_for=taken, entries=_found(taken, knowledge))
        found = tuple(packages.packages_like(plain, knowledge))
    if found:
        return Explained(name=asked, taken_for=None, entries=found)
    raise _nothing(f"Nothing is known of {asked!r}.", _hint(plain, knowledge))


def _misspelt(name: str, knowledge: Knowledge) -> str | None:
    """Return the one known name that this nearly is."""
    wanted = squeezed(name)
    if len(wanted) < _SHORTEST:
        return None
    spelt = _spelt(knowledge)
    close = difflib.get_close_matches(wanted, list(spelt), n=3, cutoff=_SURE)
    return next((spelt[text] for text in close if _digits(text) == _digits(wanted)), None)


def _hint(name: str, knowledge: Knowledge) -> str:
    """Return what the name might be: spelt alike, or the same word with other numbers."""
    several = _several(name.split(), knowledge)
    if several is not None:
        return f"These are two names; ask for {several[0]!r} and for {several[1]!r}."
    spelt = _spelt(knowledge)
    wanted = squeezed(name)
    near = [
        spelt[text]
        for text in difflib.get_close_matches(wanted, list(spelt), n=9, cutoff=0.7)
        if _digits(text) == _digits(wanted) or _letters(text) == _letters(wanted)
    ]
    return f"Did you mean {' or '.join(near[:3])}?" if near else _OTHER_HINT


def _several(said: list[str], knowledge: Knowledge) -> tuple[str, str] | None:
    """Return the two names that the words are, as in "HD 4600 on Ubuntu 24.04"."""
    for number in range(1, min(len(said), _MOST_WORDS)):
        left, right = said[:number], said[number:]
        between = right[0].lower() in _BETWEEN
        both = " ".join(left), " ".join(right[between:])
        if all(name and _found(name, knowledge) for name in both):
            return both
    return None


def _unlisted(pci_id: str) -> ClprobeError:
    return _nothing(
        f"No table lists the PCI id {pci_id}.",
        "It may be newer than the tables, or no GPU; look up the name that lspci shows.",
    )


def _nothing(message: str, hint: str) -> ClprobeError:
    return ClprobeError(reference="nothing-known", message=message, hint=hint)


def without_entries(name: str) -> Explained:
    """Return the answer for a name that `explain` refused; an unreadable one is not repeated."""
    try:
        return Explained(name=_readable(name), taken_for=None, entries=())
    except ClprobeError:
        return Explained(name="", taken_for=None, entries=())


def _readable(name: str) -> str:
    asked = " ".join(unicodedata.normalize("NFKC", name).split())
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
    if not squeezed(name):
        return ()
    found = {
        (entry.kind, entry.title): entry for find in _FINDERS for entry in find(name, knowledge)
    }
    return tuple(found.values())


def _digits(text: str) -> str:
    """Return the digits: a typo in a number is another chip or another release."""
    return "".join(letter for letter in text if letter.isdigit())


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalpha())


def _spelt(knowledge: Knowledge) -> dict[str, str]:
    return {squeezed(known): known for known in _names(knowledge)}


def _names(knowledge: Knowledge) -> Iterator[str]:
    tables = knowledge.tables
    yield from (rule.id for rule in knowledge.rules)
    for key, generation in tables.generations().items():
        yield key
        for platform in generation.platforms.values():
            yield from platform.names.partition(":")[0].split(", ")
    for table in (tables.implementations(), tables.stacks()):
        for key, named in table.items():
            yield from (key, *named.called)
    yield from (*tables.families(), *tables.interfaces())
    for program in tables.programs():
        yield from lexicon_programs.names_of(program)
    for release in tables.distributions():
        yield release.key
        yield from release.packages
        yield from (text for text in (release.codename, *release.called) if text)
    yield from {entry.name.removeprefix("Intel ") for entry in tables.gpus().values() if entry.name}


def _rules(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    rule = knowledge.rule(_rule_id(name))
    if rule is not None:
        yield rule_entry(rule, knowledge)


def rule_entry(rule: Rule, knowledge: Knowledge) -> Entry:
    """Return the page of a rule."""
    by_id = {one.id: one for one in knowledge.rules}
    causes = [one for one in by_id if rule.id in consequences_of(one, by_id)]
    facts: list[Fact] = [
        ("severity", rule.severity),
        ("chain", rule.link),
        ("because", _open(rule.because)),
        ("remedies", map(_action, rule.actions)),
        ("explains", ", ".join(sorted(consequences_of(rule.id, by_id)))),
        ("caused by", ", ".join(causes)),
        ("since", rule.since),
        ("on this machine", f"clprobe doctor --why {rule.id}"),
    ]
    return page("rule", f"{rule.id}: {_open(rule.title)}", facts, rule.sources)


def _action(action: Action) -> str:
    if action.kind == "manual":
        return _open(action.arguments["text"])
    words = f"{action.kind.replace('_', ' ')} {' '.join(action.shown())}"
    if action.kind in ("show", "complete"):
        words = f"{action.arguments['text']}: {' '.join(action.arguments['argv'])}"
    return _open(words)


def _open(text: str) -> str:
    """Return a rule's text with its facts as blanks: <node path> for {node.path}."""
    return re.sub(r"\{(\w+(?:\.\w+)+)\}", lambda m: f"<{re.sub('[._]', ' ', m[1])}>", text)


def entries(knowledge: Knowledge) -> Iterator[tuple[str, Entry]]:
    """Yield the name that stands for it alone and the entry of all that is known, each once."""
    taken = set[str]()
    for of_folder in table_entries(knowledge.tables).values():
        yield from of_folder
        taken |= {name for name, _ in of_folder}
    for program in knowledge.tables.programs():
        entry = lexicon_programs.program_entry(program, knowledge.tables)
        name = program.program
        yield (f"{name} (program)" if name in taken else name), entry
    for rule in knowledge.rules:
        yield rule.id, rule_entry(rule, knowledge)


def table_entries(tables: Tables) -> dict[str, list[tuple[str, Entry]]]:
    """Return names and entries of each folder below rules/tables, by the folder."""
    generations, drivers = tables.generations().items(), tables.implementations().items()
    by_key = sorted(tables.distributions(), key=lambda one: one.key)
    interfaces = tables.interfaces().items()
    managers, families = tables.package_managers().items(), tables.families().items()
    return {
        "generations": [(key, hardware.generation_entry(one, tables)) for key, one in generations],
        "implementations": [
            (key, software.implementation_entry(one, tables)) for key, one in drivers
        ],
        "distributions": [(one.key, releases.distribution_entry(one)) for one in by_key],
        "stacks": [(key, software.stack_entry(one)) for key, one in tables.stacks().items()],
        "origins": [(key, releases.origin_entry(one)) for key, one in tables.origins().items()],
        "package_managers": [(key, releases.manager_entry(one)) for key, one in managers],
        "interfaces": [(key, lexicon_interfaces.interface_entry(one)) for key, one in interfaces],
        "families": [(key, hardware.family_entry(one, tables)) for key, one in families],
        "gpus": [(key, hardware.gpu_entry(key, one, tables)) for key, one in _oldest_first(tables)],
    }


def _oldest_first(tables: Tables) -> list[tuple[str, GpuEntry]]:
    """Return the GPUs by generation and PCI id; chips that were never sold may have none."""
    known = list(tables.generations())

    def order(gpu: tuple[str, GpuEntry]) -> tuple[int, str, str]:
        pci_id, entry = gpu
        at = known.index(entry.generation) if entry.generation in known else len(known)
        return at, entry.generation, pci_id

    return sorted(tables.gpus().items(), key=order)


_FINDERS: tuple[Callable[[str, Knowledge], Iterator[Entry]], ...] = (
    _rules, software.implementations, hardware.generations, releases.distributions,
    packages.packages, packages.plan_packages, software.stacks, lexicon_linux.linux,
    hardware.gpus, releases.origins,
    releases.package_managers, lexicon_programs.programs,
    lexicon_interfaces.interfaces,
)  # fmt: skip
