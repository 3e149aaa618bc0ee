# SPDX-License-Identifier: MIT
"""Reads pasted output of clinfo: every format and version, whole or damaged, several at once.

What the text does not say stays not stated. A platform or device that clinfo announced and the
text lacks is one whose facts are all unknown, so that the counts still hold.
"""

from collections.abc import Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.clinfo.answer import answer_of, counts_that_differ
from clprobe.paste.clinfo.blocks import Found, Texts, blocks_of
from clprobe.paste.clinfo.facts import text_of, value_of
from clprobe.paste.clinfo.lines import Lines, read_lines
from clprobe.paste.clinfo.raw_tree import raw_tree_runs
from clprobe.paste.clinfo.split import NEO_ABORT, Run, death_of, split
from clprobe.paste.clinfo.tokens import plain
from clprobe.paste.clinfo.whole_json import json_runs

_FORMS = Forms("clinfo")


class ClinfoRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of clinfo in a text.

    `lines` are the indexes of its lines, `unread` those among them that were not understood.
    `form` is human, raw, json, tree, raw-tree or amd.
    """

    lines: frozenset[int]
    unread: tuple[int, ...]
    form: str
    answer: Answer
    loader_name: Fact[str] = NOT_STATED
    loader_vendor: Fact[str] = NOT_STATED
    loader_version: Fact[str] = NOT_STATED
    kind: Fact[str] = NOT_STATED
    remarks: tuple[str, ...] = ()


def clinfo_runs(lines: Sequence[str]) -> tuple[ClinfoRun, ...]:
    """Return the runs of clinfo in a text, in its order."""
    texts = [plain(line) for line in lines]
    blocks = [("json", run.lines, run.found, run.printed) for run in json_runs(texts)]
    inside = {index for _, lines, _, _ in blocks for index in lines}
    outside = ["" if index in inside else text for index, text in enumerate(texts)]
    blocks += [("raw-tree", run.lines, run.found, "") for run in raw_tree_runs(outside)]
    starts = {lines.start for _, lines, _, _ in blocks}
    tails = ["" if index in starts else text for index, text in enumerate(texts)]
    runs = [_of_block(tails, *block) for block in blocks]
    taken = frozenset(index for run in runs for index in run.lines)
    read = read_lines(texts, taken)
    runs += [_of_lines(read, run) for run in split(read, taken)]
    return tuple(sorted(runs, key=lambda run: min(run.lines)))


def _of_block(
    tails: Sequence[str], form: str, lines: range, found: Found, printed: str
) -> ClinfoRun:
    stop = lines.stop
    tail = tails[stop] if stop < len(tails) else ""
    if NEO_ABORT in printed and tail.rstrip().endswith(".cpp"):
        printed = f"{printed}\n{tail}"
        stop += 1
    signal = death_of(tails[stop]) if stop < len(tails) else ""
    stop += bool(signal)
    signal = "SIGABRT" if NEO_ABORT in printed else signal
    answer = answer_of(found, (), signal, printed)
    return _with_loader(form, frozenset(range(lines.start, stop)), (), answer, found)


def _of_lines(read: Lines, run: Run) -> ClinfoRun:
    found = blocks_of(run.tokens)
    failures = [token for token in run.tokens if token.kind == "failure"]
    unread = [index for index in run.foreign if _is_unknown_property(read.texts[index])]
    noise = sorted(set(run.foreign).difference(unread))
    printed = "\n".join(read.texts[index] for index in noise).replace("\t", " ")
    answer = answer_of(found, failures, run.signal, printed)
    first = run.tokens[0].line
    last = max(run.tokens[-1].line, *run.foreign, *run.deaths, first)
    while last + 1 in read.continuations:
        last += 1
    found.remarks += versions_that_fit(run, read.texts)
    lines = frozenset(range(first, last + 1))
    return _with_loader(run.form, lines, tuple(unread), answer, found)


def _is_unknown_property(text: str) -> bool:
    """Tell whether a line looks like a property that no known clinfo prints."""
    label, gap, value = text.strip().partition("  ")
    return bool(gap and value.strip()) and len(label) < 80


def _with_loader(
    form: str, lines: frozenset[int], unread: tuple[int, ...], answer: Answer, found: Found
) -> ClinfoRun:
    loader = _without_unit(found.loader)
    name = value_of(loader, "CL_ICDL_NAME", text_of)
    vendor = value_of(loader, "CL_ICDL_VENDOR", text_of)
    return ClinfoRun(
        lines=lines,
        unread=unread,
        form=form or "human",
        answer=answer,
        loader_name=name,
        loader_vendor=vendor,
        loader_version=value_of(loader, "CL_ICDL_VERSION", text_of),
        kind=_kind(name, vendor),
        remarks=(*counts_that_differ(found), *found.remarks),
    )


def _without_unit(loader: Texts) -> Texts:
    """Drop the unit that clinfo 3.0.20 and later leave behind where no device was shown."""
    if not all(text.endswith("ns") for text in loader.values()):
        return loader
    return {name: text.removesuffix("ns") for name, text in loader.items()}


def _kind(name: Fact[str], vendor: Fact[str]) -> Fact[str]:
    kinds = _FORMS.tables["loaders"]
    told = [part for part in (name, vendor) if isinstance(part, str)]
    return next((kinds[part] for part in told if part in kinds), NOT_STATED)


_FIRST, _LAST = "2.0", "3.0.25"


def versions_that_fit(run: Run, texts: Sequence[str]) -> list[str]:
    """Return a remark on the versions; nothing where no line tells."""
    if run.form != "human":
        return []
    labels = {texts[token.line].strip().partition("  ")[0] for token in run.tokens}
    at_least, at_most = _FORMS.tables["at_least"], _FORMS.tables["at_most"]
    least = [_number(at_least[label]) for label in labels & at_least.keys()]
    most = [_number(at_most[label]) for label in labels & at_most.keys()]
    if run.tokens[0].kind == "platforms" and run.tokens[0].value == "0" and run.in_loader:
        least.append(_number("3.0.23"))
    if not least and not most:
        return []
    lowest, highest = max(least, default=_number(_FIRST)), min(most, default=_number(_LAST))
    if lowest > highest:
        return ["no version of clinfo prints all of these lines"]
    low, high = (".".join(str(part) for part in version) for version in (lowest, highest))
    return [f"printed by clinfo {low}" if low == high else f"printed by clinfo {low} to {high}"]


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
