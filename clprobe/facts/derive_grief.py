# SPDX-License-Identifier: MIT
"""Judges over what a program that was looked at came to grief before its first kernel."""

import re
from typing import Any

from clprobe.facts.absent_choice import Absent, absent_choice
from clprobe.facts.derive_fared import (
    both,
    ended_badly,
    fails_of,
    is_loader,
    negated,
    never_wanted,
    nothing_ran,
)
from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import View
from clprobe.model.program import Program
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.watch.complaints import headers_in

_FORMS = Forms("watched")
_BUILDS = Forms("builds")
_BUILDING = ("clBuildProgram", "clCompileProgram", "clLinkProgram")
_OF_SHELL = {137: "SIGKILL", 152: "SIGXCPU", 153: "SIGXFSZ"}
"""Exit statuses by which shells tell of signals that come from outside: 128 and their number."""
_FEW_BYTES = 1 << 20
_BY_OTHERS = ("SIGKILL", "SIGXCPU")
_NEARLY = 0.8
"""Part of a limit on processor time that must be used up: the last of it may not be told."""


def judge_grief(program: Program, view: View | None) -> dict[str, Any]:
    """Return the facts by name; `view` is what its loader shows."""
    library, other = _missing_library(program), _other_library(program)
    complaint = next(iter(listed(program.complaints)), "")
    absent = absent_choice(program.numbers, view)
    killed_by = _killed_by(program)
    return {
        "missing_library": library,
        "lacks_library": library is not None and _kept_from_start(program),
        "other_library": other,
        "has_other_library": other is not None and _kept_from_start(program),
        "builds_fail": builds_fail(program),
        "failed_build": " and ".join(_failed_builds(program)),
        "complaint": complaint or "the driver says no more",
        "absent_header": _absent_header(program),
        "lacks_driver_files": _lacks_driver_files(program),
        "hides_files": both(
            bool(program.hidden_files), both(nothing_ran(program), fails_of(program))
        ),
        "hidden": " and ".join(program.hidden_files),
        "shadowed_by": " and ".join(dict.fromkeys(map(_base, program.shadowing))),
        "is_shadowed": bool(program.shadowing) and nothing_ran(program),
        "build_lacks_opencl": _build_lacks_opencl(program),
        "absent_choice": "" if absent is None else absent.choice,
        "choices": "" if absent is None else absent.there_are,
        "chooses_absent": both(_chooses_absent(program, absent), _has_loader(program)),
        "killed_by": killed_by or "",
        "is_out_of_time": _is_out_of_time(program, killed_by),
        "is_killed": killed_by in _BY_OTHERS and _wants_and_ran_nothing(program),
        "writes_too_much": _writes_too_much(program, killed_by),
        "most_written": _most_written(program),
    }


def _kept_from_start(program: Program) -> Fact[bool]:
    return both(ended_badly(program), nothing_ran(program))


def _missing_library(program: Program) -> str | None:
    """Return the library without which it was not started; a loader has rules of its own."""
    if not isinstance(program.printed, str):
        return None
    found = (_base(_text(one)) for one in _FORMS.missing_library.finditer(program.printed))
    return next((name for name in found if not is_loader(name)), None)


def _other_library(program: Program) -> str | None:
    """Return the symbol or version that a library of another release does not hold."""
    if not isinstance(program.printed, str):
        return None
    found = _FORMS.other_library.search(program.printed)
    if found is None:
        return None
    if found["version"]:
        return f"{found['version']} of {found['library']}"
    asker = found["file"] or found["module"] or found["relocating"]
    return f"{found['symbol'] or found['missed'] or found['lost']}, which {asker} needs"


def _text(found: re.Match[str]) -> str:
    return next((text for text in found.groups() if text), "")


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _failed_builds(program: Program) -> list[str]:
    return [
        f"{one.call} returned {one.error_code}"
        for one in listed(program.failed_calls)
        if one.call in _BUILDING
    ]


def builds_fail(program: Program) -> Fact[bool]:
    """Return whether its kernels did not build, and none ran."""
    if isinstance(program.failed_calls, Unknown):
        says = isinstance(program.printed, str) and _BUILDS.speaks.search(program.printed)
        return program.failed_calls if says and fails_of(program) is not False else False
    return both(bool(_failed_builds(program)), nothing_ran(program))


def _absent_header(program: Program) -> str:
    return _base(next(headers_in(listed(program.complaints)), ""))


def _lacks_driver_files(program: Program) -> bool:
    """Whether the header that is not found is one of the driver's own."""
    return _absent_header(program) in _BUILDS.words["of_drivers"]


def _build_lacks_opencl(program: Program) -> Fact[bool]:
    """Whether it was asked for OpenCL, refuses the word, and neither has nor opens a loader."""
    if not isinstance(program.printed, str):
        return False
    wanted = never_wanted(program)
    if _FORMS.built_without.search(program.printed):
        return wanted
    refuses = program.names_opencl and _FORMS.refuses_word.search(program.printed) is not None
    if not refuses or not ended_badly(program):
        return False
    return both(wanted, negated(program.names_loader))


def _has_loader(program: Program) -> Fact[bool]:
    return program.loader if isinstance(program.loader, Unknown) else program.loader is not None


def _chooses_absent(program: Program, absent: Absent | None) -> Fact[bool]:
    """Whether it takes no device, and fails where the number may be right by another count."""
    if absent is None or program.calls_opencl is False:
        return False
    takes_none = both(negated(program.made_context), nothing_ran(program))
    return takes_none if absent.is_sure else both(takes_none, fails_of(program))


def _killed_by(program: Program) -> str | None:
    """Return the signal from outside that ended it, also by a shell's exit status."""
    if program.signal in _OF_SHELL.values():
        return str(program.signal)
    return _OF_SHELL.get(program.exit_status) if isinstance(program.exit_status, int) else None


def _is_out_of_time(program: Program, killed_by: str | None) -> Fact[bool]:
    limit_s = program.processor_limit_s
    if killed_by not in _BY_OTHERS or limit_s is None:
        return False
    if isinstance(limit_s, Unknown):
        return killed_by == "SIGXCPU" or limit_s
    spent_ms = program.processor_ms
    if isinstance(spent_ms, Unknown):
        return spent_ms
    return spent_ms >= limit_s * 1000 * _NEARLY


def _writes_too_much(program: Program, killed_by: str | None) -> Fact[bool]:
    """Whether a limit on files ended it, or is too low for what drivers write and it fails."""
    limit = program.file_limit_bytes
    is_low = isinstance(limit, int) and limit <= _FEW_BYTES
    return killed_by == "SIGXFSZ" or both(is_low, fails_of(program))


def _most_written(program: Program) -> str:
    limit = program.file_limit_bytes
    return f"{limit} bytes" if isinstance(limit, int) else "what it may write"


def _wants_and_ran_nothing(program: Program) -> Fact[bool]:
    return both(_has_loader(program), nothing_ran(program))
