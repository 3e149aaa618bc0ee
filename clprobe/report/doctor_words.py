# SPDX-License-Identifier: MIT
"""What a diagnosis says on a screen, before it is laid out: its lines, families and sums."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clprobe.model.comparison import Change, Comparison
from clprobe.model.finding import Diagnosis, Finding, Remedy, SeenBefore
from clprobe.model.shell_words import command_line
from clprobe.model.unknown import NOT_STATED

MOST_CHANGES = 12
"""A reader follows so many; more tell that these are two machines."""
_LONGEST = 60
_SPACES = re.compile(r" {2,}")
_PLURALS = {
    "boot-parameter": "values of boot parameters",
    "email": "e-mail addresses",
    "environment-variable": "environment variables",
    "home-folder": "home folders",
    "host-name": "host names",
    "image": "names of container images",
    "ip-address": "IP addresses",
    "mac-address": "MAC addresses",
    "machine-id": "machine ids",
    "network-name": "names of wireless networks",
    "repository": "names of repositories",
    "serial": "serial numbers",
    "token": "keys, tokens or passwords",
    "user-name": "names of people",
    "uuid": "UUIDs",
}


def verdict(diagnosis: Diagnosis) -> str:
    """Return the result in one line."""
    count = len(diagnosis.devices)
    devices = counted(count, "OpenCL device")
    if diagnosis.status in ("healthy", "cpu-only"):
        if diagnosis.program is not None:
            return diagnosis.program.says
        return _works(diagnosis, devices)
    likeliest = next(iter(suspects(diagnosis)), None)
    if likeliest is not None:
        return f"The cause is not decided; most likely: {suspicion(likeliest)}."
    if diagnosis.status == "undetermined" and diagnosis.unread and not diagnosis.findings:
        return f"Could not decide: {devices} known, nothing wrong in what was understood."
    if diagnosis.status == "undetermined":
        return f"Could not decide: {devices} known, but not everything could be found out."
    root = next((f for f in diagnosis.findings if f.id == diagnosis.root_cause), None)
    title = _squeezed(root.title).rstrip(".") if root is not None else "There are problems"
    verb = "is" if count == 1 else "are"
    return f"{title}. {devices} {verb} listed." if count else f"{title}."


def program_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield what is to be known of the program that was looked at, beyond the verdict."""
    program = diagnosis.program
    if program is None:
        return
    if diagnosis.status not in ("healthy", "cpu-only"):
        yield program.says
    if program.loader is not None:
        yield f"Loader: {program.loader}"
    for name, value in program.variables.items():
        yield f"{name} is {'not set' if value is None else value} in it, unlike in this shell"
    if program.sandbox is not None:
        yield f"Sandbox: {program.sandbox}"
    for unseen in program.unseen:
        yield f"Not seen: {unseen}"
    if diagnosis.beside:
        count = counted(len(diagnosis.beside), "finding")
        yield f"{count} of this machine, not of this program: clprobe doctor"


def first_fix(diagnosis: Diagnosis) -> str | None:
    """Return what to do first, in a line: the root cause's remedy, else the command that decides.

    None where nothing has to be done.
    """
    if diagnosis.status in ("healthy", "cpu-only"):
        return None
    root = next((one for one in diagnosis.findings if one.id == diagnosis.root_cause), None)
    if root is not None and root.remedies:
        first = root.remedies[0]
        told = first.title.rstrip(".") if first.argv is None else command(first.argv, first)
        return f"Fix: {told}"
    line = next_line(diagnosis)
    return f"{next_label(diagnosis)}: {line}" if line is not None else None


def ignored_line(diagnosis: Diagnosis) -> str | None:
    """Return what was left out and does not count; None: nothing."""
    return f"Ignored: {', '.join(diagnosis.ignored)}" if diagnosis.ignored else None


def read_line(diagnosis: Diagnosis) -> str | None:
    """Return what a report told, in a line, where that was too little; None where it was not."""
    host = diagnosis.host
    if diagnosis.status != "undetermined" or host is None or not host.read:
        return None
    return f"Read: {', '.join(host.read)}"


def seen_lines(report: SeenBefore) -> tuple[str, ...]:
    """Return what a solved report tells: its cause, what mended it, what is alike, and where."""
    fixed = f"Fixed by: {report.fix}" if report.fix is not None else None
    alike = f"Alike: {'; '.join(report.agrees)}" if report.agrees else None
    unlike = f"Different: {'; '.join(report.differs)}" if report.differs else None
    lines = (f"{report.report}: {report.cause}", fixed, alike, unlike, report.url)
    return tuple(line for line in lines if line is not None)


_ENTER = {
    "podman": "podman exec -it --user 0 NAME sh",
    "docker": "docker exec -it --user 0 NAME sh",
}


def outside_line(diagnosis: Diagnosis) -> str | None:
    """Return from where it was looked at, and where its commands belong; None: from inside."""
    outside = diagnosis.outside
    if outside is None:
        return None
    who = {True: ", as root there", False: ", as the user that its program runs as", None: ""}
    told = f"Looked at from outside, by {outside.by}{who[outside.as_root]}."
    enter = _ENTER.get(outside.by)
    if outside.unseen is not None:
        return f"{told} What it holds is not known: {outside.unseen}."
    if enter is None or diagnosis.root_cause is None:
        return told
    return (
        f"{told} Files and packages are meant inside ({enter}); what is changed there is gone when "
        "the container is made anew, so that it belongs into its image."
    )


def asked_lines(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the commands to send back to whoever reports, none where the cause is known."""
    return diagnosis.ask if diagnosis.status == "undetermined" else ()


def finding_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield a line per finding as compilers print them: severity, id, title."""
    for one in diagnosis.findings:
        yield f"{kind_of(one)}: {one.id}: {headline(one)}"


def _works(diagnosis: Diagnosis, devices: str) -> str:
    """Return the result where nothing is wrong; `devices` tells how many there are."""
    if diagnosis.ignored:
        return f"Nothing is wrong but what is ignored: {devices}."
    untried = _untried(diagnosis)
    if diagnosis.status == "healthy":
        return f"Healthy: {devices}{untried}."
    return f"OpenCL works on the CPU; there is no GPU that it could use: {devices}{untried}."


def _untried(diagnosis: Diagnosis) -> str:
    """Return the words for devices on which no kernel was run, where that is all that is said."""
    untried = sum(one.kernel == "not-run" for one in diagnosis.devices)
    if not untried:
        return ""
    return ", no kernel was run" if untried == len(diagnosis.devices) else f", {untried} untried"


def suspects(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """Return the undecided causes of what is seen, the likeliest first."""
    return tuple(one for one in diagnosis.findings if one.suspect)


def headline(finding: Finding) -> str:
    """Return the title, which says so where nobody knows whether it holds."""
    title = _squeezed(finding.title)
    if finding.suspect:
        return f"Perhaps: {title}"
    return title if finding.verdict == "present" else f"Could not tell: {title}"


def _squeezed(title: str) -> str:
    """Return a title with single spaces: with many a fact, wrapped, could pass for our line."""
    return _SPACES.sub(" ", title)


def kind_of(finding: Finding) -> str:
    """Return the severity, or that nobody knows whether it holds."""
    return finding.severity if finding.verdict == "present" else "undetermined"


def suspicion(suspect: Finding) -> str:
    """Return what a suspect would be, as a sentence without its end."""
    return suspect.title.rstrip(".")


def next_label(diagnosis: Diagnosis) -> str:
    """Return what stands before the command of `next_line`, which may be meant elsewhere."""
    return "Next step" if diagnosis.outside is None else "Next step, inside"


def next_line(diagnosis: Diagnosis) -> str | None:
    """Return the command that decides most of what is open; None if nothing is to be run."""
    one = diagnosis.next_command
    return f"{'sudo ' if one.needs_root else ''}{one.command}" if one is not None else None


def folded(findings: Iterable[Finding]) -> Iterator[tuple[Finding, list[Finding]]]:
    """Yield each finding without a cause with all that follows from it."""
    families: list[tuple[Finding, list[Finding]]] = []
    for finding in findings:
        if finding.caused_by is not None and families:
            families[-1][1].append(finding)
        else:
            families.append((finding, []))
    yield from families


def grouped(
    families: Iterable[tuple[Finding, list[Finding]]],
) -> Iterator[list[tuple[Finding, list[Finding]]]]:
    """Yield families grouped by problem; one that explains an error stands alone."""
    groups: list[list[tuple[Finding, list[Finding]]]] = []
    former = None
    for finding, consequences in families:
        kind = finding.id, finding.verdict
        if kind == former and not any(one.severity == "error" for one in consequences):
            groups[-1].append((finding, consequences))
        else:
            groups.append([(finding, consequences)])
        former = kind
    yield from groups


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
            yield f"{rule_id}: {', '.join(file_name(finding.subject) for finding in alike)}"


def command(argv: tuple[str, ...], remedy: Remedy) -> str:
    """Return a line to copy; root's commands start with sudo."""
    return ("sudo " if remedy.needs_root else "") + command_line(argv)


def driver_rows(diagnosis: Diagnosis) -> list[tuple[str | None, ...]]:
    """Return driver, implementation, stage, outcome and detail of each driver."""
    return [
        (one.icd, one.implementation, one.stage, one.outcome, one.detail)
        for one in diagnosis.drivers
    ]


def device_rows(diagnosis: Diagnosis) -> list[tuple[str | None, ...]]:
    """Return index, name, type, platform, version and generation of each device."""
    return [
        (str(one.index), one.name, one.type, one.platform, one.driver_version, one.generation)
        for one in diagnosis.devices
    ]


def summary(diagnosis: Diagnosis, *, checks: int, elapsed_ms: int) -> str:
    """Return the last line: how many of what, and how long it took."""
    present = [f for f in diagnosis.findings if f.verdict == "present"]
    counts = Counter(f.severity for f in present if f.caused_by is None)
    open_questions = sum(f.verdict == "undetermined" for f in diagnosis.findings)
    parts = [
        counted(counts["error"], "problem"),
        counted(counts["warning"], "warning"),
        counted(counts["note"], "note"),
    ]
    if open_questions:
        parts.append(counted(open_questions, "open question"))
    return ", ".join([*parts, counted(checks, "check"), f"{elapsed_ms / 1000:.2f} s"])


def comparison_heading(comparison: Comparison) -> str:
    """Return what stands above the lines."""
    return f"Since {comparison.since.removeprefix('before ')}"


def comparison_lines(comparison: Comparison, *, whole: bool) -> Iterator[str]:
    """Yield a line for the cause, the problems, and each change; not `whole`: the first changes."""
    if comparison.caused_by_change is not None:
        yield f"Most likely broken by: {told(comparison.caused_by_change)}"
    if comparison.new_findings:
        yield f"New: {', '.join(comparison.new_findings)}"
    if comparison.mended:
        yield f"Fixed: {', '.join(comparison.mended)}"
    differs = comparison.changes or comparison.new_findings or comparison.mended
    if not differs:
        yield "Nothing changed."
    if comparison.new_findings and comparison.caused_by_change is None:
        yield "No change alone explains the new problem."
    shown = comparison.changes if whole else comparison.changes[:MOST_CHANGES]
    for change in shown:
        if change != comparison.caused_by_change:
            yield told(change)
    left = len(comparison.changes) - len(shown)
    if left:
        yield f"and {left} more changes; -v shows them"


def told(change: Change) -> str:
    """Return a change as a line."""
    if change.before is None and change.after is not None:
        return f"{change.what}: new, {_value(change.after)}"
    if change.after is None:
        return f"{change.what}: gone, was {_value(change.before)}"
    return f"{change.what}: {_value(change.before)} → {_value(change.after)}"


def _value(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        value = ", ".join(str(one.get("name") or one.get("gid")) for one in value) or "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def scrubbed_line(counts: Mapping[str, int]) -> str:
    """Return what was replaced and how often, for whoever is about to post the snapshot."""
    if not counts:
        return "nothing had to be scrubbed"
    listed = (f"{_PLURALS.get(kind, kind)} ({count})" for kind, count in counts.items())
    return f"scrubbed: {', '.join(listed)}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 2 problems."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def file_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rsplit("/", 1)[-1]
