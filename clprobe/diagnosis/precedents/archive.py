# SPDX-License-Identifier: MIT
"""The solved reports, ready to be searched; what clprobe's own are made to is kept between runs."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from clprobe.derived import code_of, derived
from clprobe.diagnosis.precedents.word_index import WordIndex
from clprobe.diagnosis.precedents.words import words_of, words_of_facts
from clprobe.knowledge.solved_reports import SolvedReport, load_reports
from clprobe.resources import rules_path

_MADE_BY = ("diagnosis/precedents", "knowledge/checked_yaml.py", "knowledge/solved_reports.py")


class Archive(msgspec.Struct, frozen=True):
    """Solved reports: the index of their words, and each by its place there.

    `usual` says of how many reports each rule is the cause.
    """

    words: WordIndex
    report: Callable[[int], SolvedReport]
    usual: Mapping[str, int]


class _Kept(msgspec.Struct, frozen=True):
    words: bytes
    reports: tuple[msgspec.Raw, ...]
    usual: dict[str, int]


def archive_of(reports: Sequence[SolvedReport]) -> Archive:
    """Return these reports, ready to be searched."""
    texts = (" ".join(words_of(one.told) + words_of_facts(one.facts)) for one in reports)
    usual = Counter(rule for one in reports for rule in one.rules)
    return Archive(WordIndex.of(texts), tuple(reports).__getitem__, usual)


def shipped_archive() -> Archive:
    """Return clprobe's own. Raises: ClprobeError if one is malformed."""
    sources = (rules_path() / "reports", *code_of(*_MADE_BY))
    kept = derived("reports", _Kept, sources, _made)
    if not kept.words:
        return archive_of(load_reports())
    return Archive(
        WordIndex.from_bytes(kept.words),
        lambda place: msgspec.msgpack.decode(kept.reports[place], type=SolvedReport),
        kept.usual,
    )


def _made() -> _Kept:
    reports = load_reports()
    archive = archive_of(reports)
    raw = (msgspec.Raw(msgspec.msgpack.encode(one)) for one in reports)
    return _Kept(archive.words.to_bytes(), tuple(raw), dict(archive.usual))
