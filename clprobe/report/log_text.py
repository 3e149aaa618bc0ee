# SPDX-License-Identifier: MIT
"""The log of a device for people: a line per step, below it the facts that tell."""

import json
from collections.abc import Iterator

from clprobe.model.device_log import DeviceLog, LogStep, StepVerdict
from clprobe.model.evidence import Evidence
from clprobe.report.markdown_text import plain, table
from clprobe.report.terminal import INDENT, Screen

_KINDS = {"yes": "fine", "no": "error", "not-known": "undetermined"}
_WORDS: dict[StepVerdict, str] = {"yes": "yes", "no": "no", "not-known": "not known"}
_WIDTH = 11
_MOST_FACTS = 3
_LONGEST = 100


def show_log(screen: Screen, log: DeviceLog, *, verbosity: int) -> None:
    """Print each step with its verdict; facts below it, from -v on all of them."""
    screen.heading(f"The way of {log.device}", first=verbosity < 0)
    for step in log.steps:
        words = _WORDS[step.verdict].ljust(_WIDTH)
        end = "  <- here it ends" if step.id == log.first_no else ""
        screen.marked(_KINDS[step.verdict], f"{words}{step.title}{end}", indent=INDENT)
        if verbosity >= 0:
            for line in _lines(step, whole=verbosity > 0):
                screen.wrapped(line, INDENT + 2 + _WIDTH, hang=2)
    if log.also:
        screen.blank()
        screen.wrapped(f"{log.asked!r} fits these too: {'; '.join(log.also)}", 0, hang=INDENT)


def _lines(step: LogStep, *, whole: bool) -> Iterator[str]:
    if step.findings:
        yield f"{'perhaps ' if step.verdict == 'not-known' else ''}{', '.join(step.findings)}"
    if step.because:
        yield step.because
    if step.verdict == "not-known" and not whole:
        return
    told = [one for one in step.evidence if whole or _is_known(one)]
    most = len(told) if whole or step.verdict == "no" else _MOST_FACTS
    for one in told[:most]:
        yield _fact(one)


def log_rows(log: DeviceLog) -> Iterator[tuple[str, ...]]:
    """Yield verdict, step, findings and facts of each step."""
    for step in log.steps:
        facts = "; ".join(_fact(one) for one in step.evidence if _is_known(one))
        yield _WORDS[step.verdict], step.title, ", ".join(step.findings), facts or step.because


def log_as_markdown(log: DeviceLog) -> Iterator[str]:
    """Yield the lines of a table below its heading."""
    yield f"**The way of {plain(log.device)}**"
    yield ""
    yield from table("| passed | step | findings | facts |", log_rows(log))


def _is_known(evidence: Evidence) -> bool:
    return not (isinstance(evidence.value, dict) and "unknown" in evidence.value)


def _fact(evidence: Evidence) -> str:
    value = json.dumps(evidence.value, ensure_ascii=False)
    if len(value) > _LONGEST:
        value = f"{value[:_LONGEST]}…"
    if not _is_known(evidence):
        value = f"not known: {evidence.value['unknown']}"
    origin = f" ({evidence.read_from})" if evidence.read_from else ""
    return f"{evidence.fact.rsplit('].', 1)[-1]} = {value}{origin}"
