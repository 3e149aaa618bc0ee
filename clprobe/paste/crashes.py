# SPDX-License-Identifier: MIT
"""Reads how programs died: aborts of drivers, signals, assertions, and what they printed last."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, listed
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("crashes")
_MOST_LINES = 40
_NEAR = 8


def read_crashes(paste: Paste) -> Iterator[Reading]:
    """Give the programs that died: signal, and the last words printed before."""
    deaths = list(_deaths(paste))
    told = [one for one in deaths if one.lines[0] > 0 and one.facts.messages == NOT_STATED]
    for one in deaths:
        # A title says again what is shown below it, and is no death of its own.
        is_again = one.lines == (0,) and any(_may_be_same(one, other) for other in told)
        yield msgspec.structs.replace(one, facts=Snapshot()) if is_again else one


def _may_be_same(title: Reading, other: Reading) -> bool:
    """Tell whether a title that names no program tells of the death that is shown below."""
    (named,), (shown,) = listed(title.facts.views) or (None,), listed(other.facts.views)[:1]
    return (
        named is not None
        and named.viewer == "application"
        and (named.answer.signal in (shown.answer.signal, NOT_STATED))
    )


def _deaths(paste: Paste) -> Iterator[Reading]:
    lines: list[int] = []
    for index, line in paste.free():
        continues = bool(lines) and index - lines[-1] <= _NEAR and len(lines) < _MOST_LINES
        follows_abort = continues and index - lines[-1] == 1 and _FORMS.source_file.match(line)
        if not (
            _FORMS.abort.search(line)
            or _FORMS.shell_line.match(line)
            or _FORMS.last_words.search(line)
            or follows_abort
            or _FORMS.core_frame.match(line)
            or (continues and _FORMS.frame.match(line))
        ):
            continue
        if not continues and _FORMS.spoken.search(line):
            continue  # a sentence, of which the words around say what it is about
        if lines and (not continues or paste.contexts[lines[0]] != paste.contexts[index]):
            yield _death(lines, paste)
            lines = []
        lines.append(index)
    if lines:
        yield _death(lines, paste)


def _death(lines: list[int], paste: Paste) -> Reading:
    texts = [paste.lines[index].strip() for index in lines]
    signal = next((name for text in texts if (name := _FORMS.meaning("deaths", text))), None)
    aborted = any(
        _FORMS.abort.search(text) or "registered more than once" in text for text in texts
    )
    printed = "\n".join(texts)
    if _FORMS.no_platform.search(printed):
        answer = Answer(outcome="error", message=printed, platforms=())
        view = View(viewer=viewer_of(paste.contexts[lines[0]], texts), answer=answer)
        return Reading(lines=tuple(lines), facts=Snapshot(views=(view,)), private=True)
    if signal in (None, "SIGABRT") and _gives_up(lines, paste):
        if not _FORMS.no_device.search(printed):
            return Reading(lines=tuple(lines), facts=Snapshot())  # others have read what it said
        answer = Answer(outcome="no-devices", message=printed)
        view = View(viewer=viewer_of(paste.contexts[lines[0]], texts), answer=answer)
        return Reading(lines=tuple(lines), facts=Snapshot(views=(view,)), private=True)
    if signal is None and not aborted:
        return Reading(lines=tuple(lines), facts=Snapshot(messages=(printed,)), private=True)
    answer = Answer(
        outcome="crash", signal=signal or ("SIGABRT" if aborted else NOT_STATED), printed=printed
    )
    view = View(viewer=viewer_of(paste.contexts[lines[0]], texts), answer=answer)
    return Reading(lines=tuple(lines), facts=Snapshot(views=(view,)), private=True)


def _gives_up(lines: list[int], paste: Paste) -> bool:
    """Tell whether an exception that a program leaves uncaught says that it finds no device."""
    return any(
        _FORMS.no_device.search(paste.lines[index]) for index in range(lines[0], lines[-1] + 1)
    )


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
    if re.fullmatch(r"[\w.+-]{1,60}", context.program) and not _FORMS.of_the_shell.match(
        context.program
    ):
        return context.program
    named = _FORMS.program.search(" ".join(texts)[:4000])
    return named[1] if named else "application"
