# SPDX-License-Identifier: MIT
"""Judges how a program that was looked at fared: by its end, its words and its calls."""

from clprobe.facts.derive_views import tells_of_nothing
from clprobe.knowledge.printed import Forms
from clprobe.model.program import Program
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

DEADLY = ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS")
"""Signals by which a faulty library ends its process; others come from outside."""
_FORMS = Forms("watched")
_STOPPED = (124, 130, 137, 143)
"""Exit statuses of what was stopped from outside, as timeout(1) and shells give them."""
_OF_SHELL = {132: "SIGILL", 134: "SIGABRT", 135: "SIGBUS", 136: "SIGFPE", 139: "SIGSEGV"}
"""Exit statuses by which shells tell of a signal: 128 and its number."""


def fails_of(program: Program) -> Fact[bool]:
    """Return whether it wanted a device and did without: by its end, its words, or its calls."""
    if any(one.kernels for one in listed(program.kernels)):
        return False
    if ended_badly(program):
        return True
    if isinstance(program.printed, str) and (
        _FORMS.falls_back.search(program.printed) or tells_of_nothing(program.printed)
    ):
        return True
    if listed(program.failed_calls) and not listed(program.found_types):
        return True
    # What printed something and ended well would have complained.
    is_content = program.exit_status == 0 and program.printed not in ("", NOT_STATED)
    if isinstance(program.kernels, Unknown) and program.linkage != "static" and not is_content:
        return program.kernels
    return False


def nothing_ran(program: Program) -> Fact[bool]:
    """Return whether it enqueued no kernel."""
    if isinstance(program.kernels, Unknown):
        return program.kernels
    return not any(one.kernels for one in program.kernels)


def ended_badly(program: Program) -> bool:
    """Return whether it ended by a fault or with an error, not because somebody stopped it."""
    status = program.exit_status
    is_bad = isinstance(status, int) and status not in (0, *_STOPPED)
    return program.signal in DEADLY or is_bad


def died_of(program: Program) -> str | None:
    """Return the signal that ended it, also where a shell tells it by its exit status."""
    if isinstance(program.signal, str):
        return program.signal
    return _OF_SHELL.get(program.exit_status) if isinstance(program.exit_status, int) else None


def both(one: Fact[bool], two: Fact[bool]) -> Fact[bool]:
    """Return whether both hold; what is unknown decides only where the other one holds."""
    if one is False or two is False:
        return False
    return next((fact for fact in (one, two) if isinstance(fact, Unknown)), True)


def either(one: Fact[bool], two: Fact[bool]) -> Fact[bool]:
    """Return whether one of them holds; what is unknown decides only where the other one fails."""
    if one is True or two is True:
        return True
    return next((fact for fact in (one, two) if isinstance(fact, Unknown)), False)


def negated(one: Fact[bool]) -> Fact[bool]:
    """Return the opposite of what is known."""
    return one if isinstance(one, Unknown) else not one


def never_wanted(program: Program) -> Fact[bool]:
    """Return whether it neither loaded an OpenCL loader nor asked for one."""
    for fact in (program.loader, program.refused):
        if isinstance(fact, Unknown):
            return fact
    return program.loader is None and not any(
        is_loader(one.name) for one in listed(program.refused)
    )


def is_loader(name: str) -> bool:
    """Return whether the file is an OpenCL loader by its name."""
    return name.rpartition("/")[2].startswith("libOpenCL")
