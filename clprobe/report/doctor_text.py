# SPDX-License-Identifier: MIT
"""A diagnosis for people: the result first, one root cause, its consequences folded under it."""

import json
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from clprobe.model.comparison import Comparison
from clprobe.model.finding import Diagnosis, DriverReport, Finding, Remedy, SeenBefore, TakesEffect
from clprobe.model.statement import Statement
from clprobe.report import doctor_words as words
from clprobe.report.log_text import show_log
from clprobe.report.statement_words import HEADING, statement_lines
from clprobe.report.terminal import INDENT, LABEL, OUTCOMES, Screen, safe
from clprobe.ruleset.templates import on_one_line

_GOES_WITHOUT_SAYING: tuple[TakesEffect, ...] = (
    "at once",
    "when done",
    "when installed",
    "when removed",
)
"""When a remedy that a person carries out takes effect, where its words tell."""


_ONE_SCREEN = 20
"""What a usual terminal of 24 lines shows beside command and prompt; the rest scrolls away."""


class DoctorText:
    """Prints diagnoses to one console.

    `verbosity` is -1 for a line per finding and the verdict, 1 adds evidence.
    """

    def __init__(self, console: Console, *, verbosity: int = 0) -> None:
        self._screen = Screen(console)
        self._verbosity = verbosity

    def show(
        self,
        diagnosis: Diagnosis,
        *,
        checks: int,
        elapsed_ms: int,
        comparison: Comparison | None = None,
        scrubbed: Mapping[str, int] | None = None,
    ) -> None:
        """Print the whole diagnosis; `comparison` is with an earlier snapshot."""
        if self._verbosity < 0:
            self._briefly(diagnosis)
            return
        self._verdict(diagnosis)
        if diagnosis.log is not None:
            show_log(self._screen, diagnosis.log, verbosity=self._verbosity)
        else:
            self._findings(diagnosis)
            self._comparison(comparison)
            if diagnosis.program is None:
                self._notes(_not_shared(diagnosis))
            self._drivers(diagnosis.drivers)
            self._devices(diagnosis)
            if diagnosis.status == "undetermined" or self._verbosity > 0:
                self._seen_before(diagnosis.reports)
            self._statements(diagnosis.statements)
            self._unread(diagnosis.unread)
        self._asked(words.asked_lines(diagnosis))
        if scrubbed and self._verbosity > 0:
            self._screen.blank()
            self._screen.wrapped(words.scrubbed_line(scrubbed), 0, hang=INDENT)
        self._screen.blank()
        if (line := words.ignored_line(diagnosis)) is not None:
            self._screen.wrapped(line, 0, hang=INDENT)
        self._screen.line(words.summary(diagnosis, checks=checks, elapsed_ms=elapsed_ms))
        if self._screen.lines > _ONE_SCREEN:
            self._in_short(diagnosis)

    def _findings(self, diagnosis: Diagnosis) -> None:
        briefly = self._suspects(diagnosis) if self._verbosity <= 0 else ()
        rest = tuple(one for one in diagnosis.findings if one not in briefly)
        questions, findings = words.shared_questions(rest)
        for alike in words.grouped(words.folded(findings)):
            if not _is_noted(alike[0][0], diagnosis) or self._verbosity > 0:
                self._screen.blank()
                self._finding(*alike[0], also=[finding for finding, _ in alike[1:]])
        for reason, alike_findings in questions.items():
            self._screen.blank()
            self._open_questions(reason, alike_findings)

    def _briefly(self, diagnosis: Diagnosis) -> None:
        """Print what a program may cut into pieces: whole lines, the verdict last."""
        if diagnosis.log is not None:
            show_log(self._screen, diagnosis.log, verbosity=self._verbosity)
        else:
            for line in words.finding_lines(diagnosis):
                self._screen.unbroken(on_one_line(line))
        ignored = words.ignored_line(diagnosis)
        verdict = words.verdict(diagnosis)
        self._screen.unbroken(on_one_line(f"{verdict} {ignored}." if ignored else verdict))

    def _in_short(self, diagnosis: Diagnosis) -> None:
        """Print once more what scrolled away: the verdict, and what to do first."""
        kind = _verdict_kind(diagnosis)
        fix = words.first_fix(diagnosis)
        line = words.verdict(diagnosis)
        mark = f"{self._screen.mark(kind)} ", "note" if kind == "undetermined" else kind
        self._screen.unbroken(mark, on_one_line(f"{line} {fix}" if fix else line))

    def _asked(self, lines: tuple[str, ...]) -> None:
        """Print the commands to send back, in a block that a forum shows as it is."""
        if not lines:
            return
        self._screen.heading("To decide it, run this there and send what it prints:")
        for line in ("```", *lines, "```"):
            self._screen.unbroken((line, "command"))

    def _seen_before(self, reports: tuple[SeenBefore, ...]) -> None:
        """Print the solved reports that are like this case."""
        if not reports:
            return
        self._screen.heading("Seen before")
        for one in reports:
            first, *more = words.seen_lines(one)
            self._screen.wrapped(first, INDENT, hang=2 * INDENT)
            for line in more:
                self._screen.wrapped(line, 2 * INDENT, hang=2 * INDENT)

    def _comparison(self, comparison: Comparison | None) -> None:
        if comparison is None:
            return
        self._screen.heading(words.comparison_heading(comparison))
        for line in words.comparison_lines(comparison, whole=self._verbosity > 0):
            self._screen.wrapped(line, INDENT, hang=INDENT)

    def _verdict(self, diagnosis: Diagnosis) -> None:
        kind = _verdict_kind(diagnosis)
        style = kind if kind != "undetermined" else "warning"
        self._screen.marked(kind, words.verdict(diagnosis), style=style)
        if diagnosis.asked_as:
            asker = on_one_line(diagnosis.asked_as)
            who = f"Asked for {asker}: permissions are predicted, not tried."
            self._screen.wrapped(who, INDENT)
        if (outside := words.outside_line(diagnosis)) is not None:
            self._screen.wrapped(on_one_line(outside), INDENT)
        for told in words.program_lines(diagnosis):
            self._screen.wrapped(on_one_line(told), INDENT, hang=2 * INDENT)
        if (read := words.read_line(diagnosis)) is not None:
            self._screen.wrapped(read, INDENT, hang=INDENT)
        line = words.next_line(diagnosis)
        if line is not None:
            self._screen.unbroken(
                (" " * INDENT + f"{words.next_label(diagnosis)}: ", "label"), (line, "command")
            )

    def _suspects(self, diagnosis: Diagnosis) -> tuple[Finding, ...]:
        """Print a line per undecided cause; -v prints them like other findings instead."""
        listed = words.suspects(diagnosis)
        if listed:
            self._screen.heading("Possible causes, the likeliest first")
        for one in listed:
            self._screen.marked(
                "undetermined", f"{one.id}: {words.suspicion(one)}", indent=INDENT, hang=INDENT
            )
            if one.confirmed_by:
                self._screen.wrapped(f"confirmed by {one.confirmed_by}", INDENT + 4, hang=INDENT)
        return listed

    def _finding(
        self, finding: Finding, consequences: list[Finding], *, also: list[Finding]
    ) -> None:
        style = finding.severity if finding.verdict == "present" else "note"
        kind = f"{words.kind_of(finding)}  "
        self._screen.put(Text.assemble((kind, style), (finding.id, "heading")))
        self._screen.wrapped(words.headline(finding), INDENT)
        self._screen.labelled("Why", finding.because)
        for number, remedy in enumerate(finding.remedies):
            self._remedy("Then" if remedy.then else "Or" if number else "Fix", remedy)
        self._screen.labelled("Proof", finding.confirmed_by or "")
        if self._verbosity > 0:
            self._evidence(finding)
        for line in words.consequence_lines(consequences):
            self._screen.labelled("Causes", line)
        for other in also:
            self._screen.labelled("Also", other.title)
        self._screen.labelled("Docs", f"clprobe explain {finding.id}")

    def _open_questions(self, reason: str, findings: list[Finding]) -> None:
        ids = dict.fromkeys(finding.id for finding in findings)
        title = f"{words.counted(len(ids), 'check')} could not be made, for one reason"
        self._screen.put(Text.assemble(("undetermined  ", "note"), (title, "heading")))
        self._screen.labelled("Why", f"{reason}.")
        self._screen.labelled("Checks", ", ".join(ids))
        self._screen.labelled("Docs", f"clprobe explain {findings[0].id}")

    def _evidence(self, finding: Finding) -> None:
        for evidence in finding.evidence:
            value = json.dumps(evidence.value, ensure_ascii=False)
            origin = f"  ({evidence.read_from})" if evidence.read_from else ""
            self._screen.labelled("Evidence", f"{evidence.fact} = {value}{origin}")

    def _remedy(self, label: str, remedy: Remedy) -> None:
        when = remedy.takes_effect
        if remedy.argv is None:
            effect = "" if when in _GOES_WITHOUT_SAYING else f" (takes effect {when})"
            self._screen.labelled(label, f"{remedy.title}{effect}")
        else:
            self._whole_line(label, words.command(remedy.argv, remedy))
            effect = "." if when == "when done" else f"; takes effect {when}."
            self._screen.labelled("", f"{remedy.title.rstrip('.')}{effect}")
        if isinstance(remedy.undo, str):
            self._whole_line("Undo", remedy.undo)
        elif remedy.undo is not None:
            self._whole_line("Undo", words.command(remedy.undo, remedy))

    def _whole_line(self, label: str, line: str) -> None:
        lead = " " * INDENT + label.ljust(LABEL)
        self._screen.unbroken((lead, "label"), (line, "command" if label != "Undo" else ""))

    def _notes(self, findings: tuple[Finding, ...]) -> None:
        roots = [(one, rest) for one, rest in words.folded(findings) if one.severity == "note"]
        if not roots or self._verbosity > 0:
            return
        self._screen.heading("Notes")
        for finding, consequences in roots:
            self._screen.marked("note", f"{words.headline(finding)} ({finding.id})", indent=INDENT)
            for line in words.consequence_lines(consequences):
                self._screen.marked("note", line, indent=INDENT + 2)

    def _drivers(self, drivers: tuple[DriverReport, ...]) -> None:
        if not drivers:
            return
        self._screen.heading("Drivers")
        width = max(len(words.file_name(driver.icd)) for driver in drivers)
        for driver in drivers:
            kind = OUTCOMES.get(driver.outcome or "", "undetermined")
            name = safe(words.file_name(driver.icd)).ljust(width)
            said = driver.detail or driver.outcome or "not known"
            self._screen.marked(kind, f"{name}  {said}", indent=INDENT, hang=width + 2)

    def _statements(self, statements: tuple[Statement, ...]) -> None:
        """Print what a report says, where all is asked for."""
        if not statements or self._verbosity <= 0:
            return
        self._screen.heading(HEADING)
        for line in statement_lines(statements):
            self._screen.wrapped(on_one_line(line), INDENT, hang=2 * INDENT)

    def _unread(self, unread: tuple[str, ...]) -> None:
        for number, line in enumerate(unread_lines(unread, verbosity=self._verbosity)):
            if number == 0:
                self._screen.blank()
            self._screen.wrapped(line, 0 if number == 0 else INDENT)

    def _devices(self, diagnosis: Diagnosis) -> None:
        if not diagnosis.devices:
            return
        self._screen.heading("Devices")
        for device in diagnosis.devices:
            names = [device.marketing_name or device.name or "?"]
            if device.marketing_name and device.name:
                names.append(f"({device.name})")
            facts = [device.generation, device.driver_version]
            detail = ", ".join(part for part in facts if part)
            text = f"{device.type or '?'}  {' '.join(names)}"
            tail = f"{device.platform or '?'} {detail}".strip()
            self._screen.wrapped(f"{device.index}  {text}: {tail}", INDENT, hang=3)


def _verdict_kind(diagnosis: Diagnosis) -> str:
    kinds = {"problems": "error", "undetermined": "undetermined"}
    return kinds.get(diagnosis.status, "fine")


def _is_noted(finding: Finding, diagnosis: Diagnosis) -> bool:
    """Whether a line has to do; what is said of a program that was looked at has more to tell."""
    return finding.severity == "note" and diagnosis.program is None


def _not_shared(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """Return the findings that stand by themselves, not in a list of checks that failed alike."""
    return words.shared_questions(diagnosis.findings)[1]


_MOST = 200


def unread_lines(unread: Sequence[str], *, verbosity: int) -> Iterator[str]:
    """Yield the lines of the screen, none if everything was understood."""
    if not unread or verbosity < 0:
        return
    lines = words.counted(len(unread), "line")
    if verbosity == 0:
        yield f"Not understood: {lines} of the report; -v shows them."
        return
    yield f"Not understood: {lines} of the report:"
    yield from unread[:_MOST]
    if len(unread) > _MOST:
        yield f"… and {len(unread) - _MOST} more; --json has them all."
