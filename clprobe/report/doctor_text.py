# SPDX-License-Identifier: MIT
"""A diagnosis for people: the result first, one root cause, its consequences folded under it."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from clprobe.model.finding import Diagnosis, DriverReport, Finding, Remedy
from clprobe.model.unknown import NOT_STATED
from clprobe.report.plan_script import command_line
from clprobe.report.terminal import in_ascii, mark, safe, speaks_utf8
from clprobe.report.unread_text import unread_lines

INDENT = 2
LABEL = 9
_OUTCOMES = {
    "ok": "fine",
    "no-devices": "note",
    "error": "error",
    "crash": "error",
    "hang": "error",
}


class DoctorText:
    """Prints diagnoses to one console; `verbosity` is -1 for findings only, 1 adds evidence."""

    def __init__(self, console: Console, *, verbosity: int = 0) -> None:
        self._console = console
        self._verbosity = verbosity
        self._plain = not speaks_utf8(console)

    def show(self, diagnosis: Diagnosis, *, checks: int, elapsed_ms: int) -> None:
        """Print the whole diagnosis."""
        self._verdict(diagnosis)
        questions, findings = shared_questions(diagnosis.findings)
        for alike in grouped(folded(findings)):
            if alike[0][0].severity != "note" or self._verbosity > 0:
                self._blank()
                self._finding(*alike[0], also=[finding for finding, _ in alike[1:]])
        for reason, alike_findings in questions.items():
            self._blank()
            self._open_questions(reason, alike_findings)
        if self._verbosity >= 0:
            self._notes(findings)
            self._drivers(diagnosis.drivers)
            self._devices(diagnosis)
            self._unread(diagnosis.unread)
            self._blank()
            self._line(summary(diagnosis, checks=checks, elapsed_ms=elapsed_ms))

    def _verdict(self, diagnosis: Diagnosis) -> None:
        kind = {"healthy": "fine", "problems": "error"}.get(diagnosis.status, "undetermined")
        style = kind if kind != "undetermined" else "warning"
        self._marked(kind, verdict(diagnosis), style=style)
        if diagnosis.asked_as:
            who = f"Asked for {diagnosis.asked_as}: permissions are predicted, not tried."
            self._wrapped(who, INDENT)

    def _finding(
        self, finding: Finding, consequences: list[Finding], *, also: list[Finding]
    ) -> None:
        kind = finding.severity if finding.verdict == "present" else "undetermined"
        style = finding.severity if finding.verdict == "present" else "note"
        self._console.print(Text.assemble((f"{kind}  ", style), (finding.id, "heading")))
        self._wrapped(finding.title, INDENT)
        self._labelled("because", finding.because)
        for number, remedy in enumerate(finding.remedies):
            self._remedy("do" if number == 0 else "or", remedy)
        if self._verbosity > 0:
            self._evidence(finding)
        for line in consequence_lines(consequences):
            self._labelled("hence", line)
        for other in also:
            self._labelled("also", other.title)
        self._labelled("more", f"clprobe explain {finding.id}")

    def _open_questions(self, reason: str, findings: list[Finding]) -> None:
        ids = dict.fromkeys(finding.id for finding in findings)
        title = f"{_counted(len(ids), 'check')} could not be made, for one reason"
        self._console.print(Text.assemble(("undetermined  ", "note"), (title, "heading")))
        self._labelled("because", f"{reason}.")
        self._labelled("these", ", ".join(ids))
        self._labelled("more", f"clprobe explain {findings[0].id}")

    def _evidence(self, finding: Finding) -> None:
        for evidence in finding.evidence:
            value = json.dumps(evidence.value, ensure_ascii=False)
            origin = f"  ({evidence.read_from})" if evidence.read_from else ""
            self._labelled("seen", f"{evidence.fact} = {value}{origin}")

    def _remedy(self, label: str, remedy: Remedy) -> None:
        when = "" if remedy.takes_effect.startswith("when ") else remedy.takes_effect
        if remedy.argv is None:
            effect = f" (takes effect {when})" if when and when != "at once" else ""
            self._labelled(label, f"{remedy.title}{effect}")
        else:
            self._command(label, remedy.argv, remedy)
            self._labelled("", f"{remedy.title}; takes effect {when}.")
        if isinstance(remedy.undo, str):
            self._labelled("undo", remedy.undo)
        elif remedy.undo is not None:
            self._command("undo", remedy.undo, remedy)

    def _command(self, label: str, argv: tuple[str, ...], remedy: Remedy) -> None:
        """Print on one line however long it is, so that it can be copied."""
        lead = Text(" " * INDENT + label.ljust(LABEL), "label")
        line = self._clean(command(argv, remedy))
        style = "command" if label != "undo" else ""
        self._console.print(Text.assemble(lead, (line, style)), soft_wrap=True)

    def _notes(self, findings: tuple[Finding, ...]) -> None:
        roots = [(one, rest) for one, rest in folded(findings) if one.severity == "note"]
        if not roots or self._verbosity > 0:
            return
        self._heading("Notes")
        for finding, consequences in roots:
            self._marked("note", f"{finding.title} ({finding.id})", indent=INDENT)
            for line in consequence_lines(consequences):
                self._marked("note", line, indent=INDENT + 2)

    def _drivers(self, drivers: tuple[DriverReport, ...]) -> None:
        if not drivers:
            return
        self._heading("Drivers")
        width = max(len(_file_name(driver.icd)) for driver in drivers)
        for driver in drivers:
            kind = _OUTCOMES.get(driver.outcome or "", "undetermined")
            name = safe(_file_name(driver.icd)).ljust(width)
            said = driver.detail or driver.outcome or "not known"
            self._marked(kind, f"{name}  {said}", indent=INDENT, hang=width + 2)

    def _unread(self, unread: tuple[str, ...]) -> None:
        for number, line in enumerate(unread_lines(unread, verbosity=self._verbosity)):
            if number == 0:
                self._blank()
            self._wrapped(line, 0 if number == 0 else INDENT)

    def _devices(self, diagnosis: Diagnosis) -> None:
        if not diagnosis.devices:
            return
        self._heading("Devices")
        for device in diagnosis.devices:
            names = [device.marketing_name or device.name or "?"]
            if device.marketing_name and device.name:
                names.append(f"({device.name})")
            facts = [device.generation, device.driver_version]
            detail = ", ".join(part for part in facts if part)
            text = f"{device.type or '?'}  {' '.join(names)}"
            tail = f"{device.platform or '?'} {detail}".strip()
            self._wrapped(f"{device.index}  {text}: {tail}", INDENT, hang=3)

    def _heading(self, text: str) -> None:
        self._blank()
        self._console.print(Text(text, "heading"))

    def _blank(self) -> None:
        self._console.print()

    def _line(self, text: str) -> None:
        self._console.print(Text(self._clean(text)))

    def _marked(
        self, kind: str, text: str, *, indent: int = 0, hang: int = 0, style: str | None = None
    ) -> None:
        sign = mark(kind, plain=self._plain)
        chosen = style or (kind if kind != "undetermined" else "note")
        self._wrapped(text, indent + 2, hang=hang, lead=Text(" " * indent + sign + " ", chosen))

    def _labelled(self, label: str, text: str) -> None:
        if text:
            lead = Text(" " * INDENT + label.ljust(LABEL), "label")
            self._wrapped(text, INDENT + LABEL, lead=lead)

    def _wrapped(self, text: str, indent: int, *, hang: int = 0, lead: Text | None = None) -> None:
        """Print with a hanging indent."""
        width = max(self._console.width - indent - hang, 20)
        for number, line in enumerate(_lines(self._clean(text), width, width + hang)):
            blank = Text(" " * (indent if number == 0 else indent + hang))
            start = lead if number == 0 and lead is not None else blank
            self._console.print(Text.assemble(start, line), soft_wrap=True)

    def _clean(self, text: str) -> str:
        return in_ascii(safe(text)) if self._plain else safe(text)


def verdict(diagnosis: Diagnosis) -> str:
    """Return the result in one line."""
    count = len(diagnosis.devices)
    devices = f"{count} OpenCL device{'' if count == 1 else 's'}"
    if diagnosis.status == "healthy":
        return f"Healthy: {devices}."
    if diagnosis.status == "undetermined":
        return f"Could not decide: {devices} known, but not everything could be found out."
    root = next((f for f in diagnosis.findings if f.id == diagnosis.root_cause), None)
    title = root.title.rstrip(".") if root is not None else "There are problems"
    verb = "is" if count == 1 else "are"
    return f"{title}. {devices} {verb} listed." if count else f"{title}."


def folded(findings: Iterable[Finding]) -> Iterator[tuple[Finding, list[Finding]]]:
    """Yield each finding without a cause with all that follows from it."""
    head: Finding | None = None
    consequences: list[Finding] = []
    for finding in findings:
        if finding.caused_by is not None and head is not None:
            consequences.append(finding)
            continue
        if head is not None:
            yield head, consequences
        head, consequences = finding, []
    if head is not None:
        yield head, consequences


def grouped(
    families: Iterable[tuple[Finding, list[Finding]]],
) -> Iterator[list[tuple[Finding, list[Finding]]]]:
    """Yield families grouped by problem; one that explains an error stands alone."""
    group: list[tuple[Finding, list[Finding]]] = []
    for finding, consequences in families:
        is_alike = bool(group) and (finding.id, finding.verdict) == _kind(group[0][0])
        if is_alike and not any(one.severity == "error" for one in consequences):
            group.append((finding, consequences))
            continue
        if group:
            yield group
        group = [(finding, consequences)]
    if group:
        yield group


def _kind(finding: Finding) -> tuple[str, str]:
    return finding.id, finding.verdict


def shared_questions(
    findings: tuple[Finding, ...],
) -> tuple[dict[str, list[Finding]], tuple[Finding, ...]]:
    """Return the open questions that lack their facts for one reason, by reason; and the rest."""
    by_reason: dict[str, list[Finding]] = {}
    for finding in findings:
        reasons = _reasons(finding)
        if finding.verdict == "undetermined" and len(reasons) == 1:
            by_reason.setdefault(reasons.pop(), []).append(finding)
    shared = {reason: alike for reason, alike in by_reason.items() if len(alike) > 1}
    folded_away = [finding for alike in shared.values() for finding in alike]
    return shared, tuple(finding for finding in findings if finding not in folded_away)


def _reasons(finding: Finding) -> set[str]:
    values = (evidence.value for evidence in finding.evidence)
    unknown = {str(value["unknown"]) for value in values if isinstance(value, dict)}
    return unknown - {NOT_STATED.unknown}  # silence is no reason


def consequence_lines(consequences: list[Finding]) -> Iterator[str]:
    """Yield a line per kind of consequence: its title, or its subjects where there are several."""
    by_id: dict[str, list[Finding]] = {}
    for finding in consequences:
        by_id.setdefault(finding.id, []).append(finding)
    for rule_id, alike in by_id.items():
        if len(alike) == 1:
            yield f"{alike[0].title} ({rule_id})"
        else:
            yield f"{rule_id}: {', '.join(_file_name(finding.subject) for finding in alike)}"


def command(argv: tuple[str, ...], remedy: Remedy) -> str:
    """Return a line to copy; root's commands start with sudo."""
    return ("sudo " if remedy.needs_root else "") + command_line(argv)


def summary(diagnosis: Diagnosis, *, checks: int, elapsed_ms: int) -> str:
    """Return the last line: how many of what, and how long it took."""
    present = [f for f in diagnosis.findings if f.verdict == "present"]
    counts = Counter(f.severity for f in present if f.caused_by is None)
    open_questions = sum(f.verdict == "undetermined" for f in diagnosis.findings)
    parts = [
        _counted(counts["error"], "problem"),
        _counted(counts["warning"], "warning"),
        _counted(counts["note"], "note"),
    ]
    if open_questions:
        parts.append(_counted(open_questions, "open question"))
    return ", ".join([*parts, _counted(checks, "check"), f"{elapsed_ms / 1000:.2f} s"])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _lines(text: str, width: int, first_width: int) -> Iterator[str]:
    """Break at blanks; a word longer than the line stays whole, as paths must."""
    for paragraph in text.split("\n"):
        line, room = "", first_width
        for word in paragraph.split(" "):
            if line and len(line) + 1 + len(word) > room:
                yield line
                line, room = word, width
            else:
                line = f"{line} {word}" if line else word
        yield line
