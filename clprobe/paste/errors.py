# SPDX-License-Identifier: MIT
"""Reads how any program says that OpenCL gave it nothing: error codes, Python tracebacks."""

import re
from collections.abc import Iterator
from functools import cache

from clprobe.knowledge.often import Often
from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Outcome, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown
from clprobe.paste.crashes import viewer_of
from clprobe.paste.reading import Context, Paste, Reading
from clprobe.paste.spoken import reader as programs

_FORMS = Forms("errors")


def read_tracebacks(paste: Paste) -> Iterator[Reading]:
    """Give the exceptions that end Python's tracebacks; the frames above them tell no fact.

    An exception that is some program's own words is left to who knows that program.
    """
    lines: list[int] = []
    for index, line in paste.free():
        if line.startswith("Traceback (most recent call last)"):
            lines = [index]
        elif lines and index - lines[-1] <= 2 and len(lines) < 400:
            found = _FORMS.exception.match(line)
            if found is not None and not _FORMS.frame.match(line):
                yield _raised([*lines, index], line, paste.contexts[index])
                lines = []
            elif _FORMS.frame.match(line) or paste.lines[index][:1] in " \t" or _is_code(line):
                lines.append(index)
            else:
                lines = []


def _is_code(line: str) -> bool:
    # Pastes lose the indentation that marks the quoted source lines of a traceback.
    return bool(re.search(r"[()=\[\].]", line)) and not line.endswith((".", "?", "!"))


def _raised(lines: list[int], line: str, context: Context) -> Reading:
    if programs.knows(line):
        return Reading(lines=tuple(lines[:-1]), facts=Snapshot())
    about = of_opencl(line, context)
    facts = about if about is not None else Snapshot(messages=(line,))
    return Reading(lines=tuple(lines), facts=facts, private=True)


def forms_of_opencl() -> tuple[re.Pattern[str], ...]:
    """Return forms of which one is found in each line that says that OpenCL gave nothing."""
    return _FORMS.no_loader, _FORMS.no_platform, _FORMS.no_device, _FORMS.cl_call


@cache
def _forms() -> tuple[Often, ...]:
    return tuple(map(Often, forms_of_opencl()))


def of_opencl(line: str, context: Context) -> Snapshot | None:
    """Return what a line tells that says that no platform, no device or no loader was found."""
    if len(line) > 600 or line.endswith("?"):
        return None
    no_loader, no_platform, no_device, cl_call = _forms()
    if no_loader.search(line):
        said_none = re.search(r"(?i)no OpenCL.{0,60}installation found|libOpenCL", line)
        loaders = () if said_none else NOT_STATED
        view = View(viewer=_viewer(line, context), loader=None)
        return Snapshot(views=(view,), loaders=loaders, messages=(line,))
    code = -1001 if no_platform.search(line) else -1 if no_device.search(line) else None
    if code is None:
        failed = cl_call.search(line)
        if failed is None or not re.search(r"(?i)fail|error|=|return", line):
            return None
        return Snapshot(messages=(line,))
    # "No platforms found" names no code, and none is concluded.
    told = code if _FORMS.names_code.search(line) else NOT_STATED
    outcome: Outcome = "error" if told == code else "no-devices"
    answer = Answer(outcome=outcome, error_code=told, message=line, platforms=_platforms_of(code))
    view = View(viewer=_viewer(line, context), answer=answer)
    return Snapshot(views=(view,), messages=(line,))


def _platforms_of(code: int | Unknown) -> Fact[tuple[Platform, ...]]:
    """Return that there is no platform where the code says so: the loader names none."""
    return () if code == -1001 else NOT_STATED


def _viewer(line: str, context: Context) -> str:
    named = _FORMS.programs.search(line)
    if named is not None:
        name = named[1].lower()
        return _FORMS.tables["called"].get(name, name)
    if "OpenCL platforms: -" in line:
        return "ffmpeg"
    if re.search(r"\bcl\.|LogicError|_cl\b", line):
        return "pyopencl"
    return viewer_of(context, [line])
