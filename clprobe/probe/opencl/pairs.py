# SPDX-License-Identifier: MIT
"""Loads every two ICDs that answer alone into one process: two LLVMs clash only there."""

import itertools
import os
import time
from collections.abc import Iterator, Sequence

from clprobe.model.opencl import Answer, Icd, Pair
from clprobe.model.unknown import Unknown
from clprobe.probe.host import Host, OpenclRequest, Pending
from clprobe.probe.opencl.enumeration import answer_of

_FAILED = ("crash", "hang", "error")
_SHORTEST_S = 0.05


def probe_pairs(host: Host, icds: Sequence[Icd], timeout_s: float) -> tuple[Pair, ...]:
    """Return every pair of ICDs that some loader reads; all children together get `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    together: dict[str, str] = {}
    for icd in icds:
        if icd.searched_by and icd.answer.outcome in ("ok", "no-devices"):
            library = icd.library.path
            if isinstance(library, str):
                together.setdefault(host.real_path(library), icd.path)
    orders = itertools.permutations(together.items(), 2)
    answers: dict[tuple[str, str], Answer] = {}
    for batch in _batches(orders, max(2, os.cpu_count() or 2)):
        asked = {
            (first[1], second[1]): _ask(host, first[0], second[0], deadline)
            for first, second in batch
        }
        answers |= {icds: _answer(pending, timeout_s) for icds, pending in asked.items()}
    return tuple(_worse(answers, pair) for pair in itertools.combinations(together.values(), 2))


def _batches(
    orders: Iterator[tuple[tuple[str, str], ...]], size: int
) -> Iterator[list[tuple[tuple[str, str], ...]]]:
    while batch := list(itertools.islice(orders, size)):
        yield batch


def _ask(host: Host, library: str, beside: str, deadline: float) -> Pending | None:
    """Start a child for one order of one pair; None: there is no time left for it."""
    left_s = deadline - time.monotonic()
    if left_s < _SHORTEST_S:
        return None
    request = OpenclRequest(role="icd", library=library, beside=beside, timeout_s=left_s)
    return host.start_opencl(request)


def _answer(pending: Pending | None, timeout_s: float) -> Answer:
    if pending is None:
        why = Unknown(f"other pairs took all of the {timeout_s:g} s that there were")
        return Answer(stage=why, outcome=why, message=why, printed=why, platforms=why)
    return answer_of(pending.wait(), timeout_s)


def _worse(answers: dict[tuple[str, str], Answer], pair: tuple[str, str]) -> Pair:
    """Return the pair in the order that failed; the first order if none did."""
    orders = (pair, (pair[1], pair[0]))
    failed = next((order for order in orders if answers[order].outcome in _FAILED), None)
    unknown = next((order for order in orders if isinstance(answers[order].outcome, Unknown)), pair)
    chosen = failed or unknown
    return Pair(icds=chosen, answer=answers[chosen])
