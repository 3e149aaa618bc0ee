# SPDX-License-Identifier: MIT
"""Reads how programs died: aborts of drivers, signals, assertions, and what they printed last."""

import re
from collections.abc import Iterator

from clprobe.model.opencl import Answer, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Context, Paste, Reading

_ABORT = re.compile(r"Abort was called at -?\d{1,6} line in file:? ?(?P<file>\S{0,300})")
_SOURCE_FILE = re.compile(r"[\w./+-]{3,300}\.(?:cpp|h|c|inl|rs)$")
_DEATHS = (
    (
        re.compile(
            r"(?i)segmentation fault|sigsegv|segfault\b|speicherzugriffsfehler|erreur de "
            r"segmentation|violación de segmento"
        ),
        "SIGSEGV",
    ),
    (
        re.compile(
            r"(?i)^(?:.{0,60}[: ])?abort(?:ed|ado|i)?\b(?: .{0,40})?$|sigabrt|aborted "
            r"\(core dumped\)|abgebrochen \(speicherabzug"
        ),
        "SIGABRT",
    ),
    (re.compile(r"(?i)illegal (?:instruction|hardware instruction)|sigill\b"), "SIGILL"),
    (re.compile(r"(?i)\bbus error|sigbus\b"), "SIGBUS"),
    (re.compile(r"(?i)floating point exception|sigfpe\b"), "SIGFPE"),
    (re.compile(r"^(?:.{0,60}\s)?Killed(?:\s+\S{1,80})?$|SIGKILL"), "SIGKILL"),
)
_FORM = re.compile(
    r"(?:[\w./-]{0,60}: line \d+: +)?(?:\[\d\]\s*\+? *)?\d* *(?:Segmentation fault"
    r"|Aborted|Abort|Illegal (?:hardware )?instruction|Bus error|Floating point exception"
    r"|Killed|Speicherzugriffsfehler|Abgebrochen|Abandon|Erreur de segmentation|Violación "
    r"de segmento)"
    r"(?: \(.{0,60}\))?(?: +\S{1,200}){0,6}$"
    r"|(?:Program|Thread .{1,60}) (?:received|terminated with) signal SIG\w+.*|Fatal "
    r"Python error: .*|zsh: .{1,60}|fish: .{1,200}terminated by signal .*"
    r"|.{0,80}terminated by signal SIG\w+.*|\[\d\] +\d+ (?:segmentation fault|abort"
    r"|illegal hardware instruction|bus error).*|Command terminated by signal \d+|\+\+\+ "
    r"killed by SIG\w+.*"
    r"|Caught signal \d+ .*|SIG(?:SEGV|ABRT|ILL|BUS|FPE)\b.{0,100}"
)
_LAST_WORDS = re.compile(
    r"double free or corruption|terminate called|what\(\): |free\(\): invalid|malloc\(\): "
    r"|munmap_chunk|corrupted size|Assertion .{1,300} failed|assertion failed"
    r"|registered more than once|inconsistency in registered CommandLine|LLVM ERROR:"
    r"|stack smashing|pure virtual method|CommandLine Error:|PLEASE submit a bug report"
    r"|Stack dump:|\*\*\* Error in|dumped core|core dumped|UNREACHABLE executed|thread "
    r"'.{1,60}' panicked"
)
_MOST_LINES = 40
_NEAR = 8


def read_crashes(paste: Paste) -> Iterator[Reading]:
    """Give the programs that died: signal, and the last words printed before."""
    lines: list[int] = []
    for index, line in paste.free():
        continues = bool(lines) and index - lines[-1] <= _NEAR and len(lines) < _MOST_LINES
        follows_abort = continues and index - lines[-1] == 1 and _SOURCE_FILE.match(line)
        if not (
            _ABORT.search(line) or _FORM.match(line) or _LAST_WORDS.search(line) or follows_abort
        ):
            continue
        if lines and (not continues or _context(paste, lines[0]) != _context(paste, index)):
            yield _death(lines, paste)
            lines = []
        lines.append(index)
    if lines:
        yield _death(lines, paste)


def _context(paste: Paste, index: int) -> Context:
    return paste.contexts[index]


def _death(lines: list[int], paste: Paste) -> Reading:
    texts = [paste.lines[index].strip() for index in lines]
    signal = next((found for text in texts if (found := signal_of(text)) is not None), None)
    aborted = any(_ABORT.search(text) or "registered more than once" in text for text in texts)
    printed = "\n".join(texts)
    if signal is None and not aborted:
        return Reading(lines=tuple(lines), facts=Snapshot(messages=(printed,)), private=True)
    answer = Answer(
        outcome="crash", signal=signal or ("SIGABRT" if aborted else NOT_STATED), printed=printed
    )
    view = View(viewer=viewer_of(paste.contexts[lines[0]], texts), answer=answer)
    return Reading(lines=tuple(lines), facts=Snapshot(views=(view,)), private=True)


def signal_of(text: str) -> str | None:
    """Return the signal that a line tells of; None if it tells of none."""
    return next((name for form, name in _DEATHS if form.search(text)), None)


def viewer_of(context: Context, texts: list[str]) -> str:
    """Return the program that the lines are about, by its command or its name in the lines."""
    if context.program in ("strace", "ltrace", "gdb", "timeout", "env"):
        words = [word for word in context.command.split()[1:] if not word.startswith("-")]
        known = [
            word.rpartition("/")[2]
            for word in words
            if re.fullmatch(r"[\w./-]*clinfo|python3?|hashcat|darktable\S*|ffmpeg|clpeak", word)
        ]
        return known[0] if known else context.program
    if context.program.startswith("python"):
        return "pyopencl"
    if re.fullmatch(r"[\w.+-]{1,60}", context.program):
        return context.program
    named = re.search(
        r"\b(clinfo|hashcat|darktable(?:-cltest)?|ffmpeg|clpeak|blender|python3?|rocminfo"
        r"|sycl-ls)\b",
        " ".join(texts)[:4000],
    )
    return named[1] if named else "application"
