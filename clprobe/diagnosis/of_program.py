# SPDX-License-Identifier: MIT
"""What a diagnosis says of the program that was looked at, and which findings concern it."""

from collections.abc import Iterator, Sequence

from clprobe.diagnosis.rank import SEVERITIES, Ranked
from clprobe.facts.derive_kept import view_of_program
from clprobe.facts.facts import Facts, ProgramFacts
from clprobe.model.finding import KernelReport, ProgramReport
from clprobe.model.opencl import View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown, known, listed
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.templates import on_one_line


def focused(
    ranked: Sequence[Ranked], facts: Facts, snapshot: Snapshot
) -> tuple[list[Ranked], tuple[str, ...]]:
    """Return the findings that concern the program, its own first, and the ids of the others.

    A problem of the machine concerns it if a problem of the program follows from it; an error
    does also where the program is not known to fare well.
    """
    if not facts.program.watched:
        return list(ranked), ()
    view = view_of_program(snapshot)
    families = list(_families(ranked))
    own = [family for family in families if any(_is_about(one.outcome, view) for one in family)]
    fares_well = _fares_well(facts.program, view) and not any(map(_is_bad, own))
    rest = [family for family in families if family not in own]
    kept = [] if fares_well else [one for one in rest if one[0].severity == "error"]
    left_out = [one.outcome.rule.id for family in rest if family not in kept for one in family]
    told = sorted((*own, *kept), key=lambda family: not _is_bad(family))
    return [one for family in told for one in family], tuple(dict.fromkeys(left_out))


def _families(ranked: Sequence[Ranked]) -> Iterator[list[Ranked]]:
    family: list[Ranked] = []
    for one in ranked:
        if one.depth == 0 and family:
            yield family
            family = []
        family.append(one)
    if family:
        yield family


def _is_about(outcome: Outcome, view: View | None) -> bool:
    asks_of_it = any(use.fact.startswith("program.") for use in outcome.answer.used)
    return asks_of_it or (view is not None and outcome.subject == view.viewer)


def _is_bad(family: Sequence[Ranked]) -> bool:
    return SEVERITIES.index(family[0].severity) > SEVERITIES.index("note")


def _fares_well(program: ProgramFacts, view: View | None) -> bool:
    if program.signal is not None and program.died_in_opencl is not False:
        return False
    if program.ran_on or program.wants_opencl is False or program.never_calls is True:
        return True
    if view is None or view.answer.outcome == "error":  # also of work on a device that it was shown
        return False
    return any(True for _ in view.answer.shown())


def program_report(facts: Facts) -> ProgramReport | None:
    """Return what is said of the program; None: none was looked at."""
    program = facts.program
    if not program.watched:
        return None
    return ProgramReport(
        name=program.name,
        key=known(program.key),
        looked_at=program.looked_at,
        says=_says(program),
        exit_status=known(program.exit_status),
        signal=known(program.signal),
        elapsed_ms=known(program.elapsed_ms),
        loader=known(program.loader),
        apis=known(program.apis),
        drivers=tuple(one.path for one in listed(program.libraries) if one.role == "opencl-driver"),
        refused=tuple(one.name for one in listed(program.refused)),
        nodes=tuple(one.path for one in listed(program.nodes) if one.error is None),
        sandbox=known(program.sandbox),
        kernels=None
        if isinstance(program.kernels, Unknown)
        else tuple(
            KernelReport(
                device=known(one.device),
                platform=known(one.platform),
                type=known(one.type),
                kernels=known(one.kernels),
                refused=known(one.refused),
                error_code=known(one.error_code),
                busy_share=known(one.busy_share),
            )
            for one in program.kernels
        ),
        variables={name: known(value) for name, value in program.environment.items()},
        unseen=program.unseen,
    )


def _says(program: ProgramFacts) -> str:
    """Return in one sentence how the program used OpenCL, and how it ended."""
    return on_one_line(f"{program.name} {_use(program)}{_end(program)}.")


def _use(program: ProgramFacts) -> str:
    ran = [one for one in listed(program.kernels) if known(one.kernels)]
    if ran:
        return " and ".join(
            f"ran {one.kernels} {'kernel' if one.kernels == 1 else 'kernels'} on {one.device}"
            + (f" ({one.busy_share:.0%} of its time)" if isinstance(one.busy_share, float) else "")
            for one in ran
        )
    if program.hides_use:
        return "is static, so what it did with OpenCL was not seen"
    if program.lacks_loader is True:
        return "asked for an OpenCL loader and got none"
    if program.wants_opencl is False:
        others = ", ".join(listed(program.apis))
        return "never asked for OpenCL" + (f"; it loaded {others}" if others else "")
    if program.loader is None:
        return "has loaded no OpenCL loader; whether it asked for one is not known"
    return _idle(program) if isinstance(program.loader, str) else "could not be looked into"


def _idle(program: ProgramFacts) -> str:
    """Return what a program did that loaded a loader and of which no kernel is known."""
    if program.never_calls is True:
        return "loaded an OpenCL loader and called none of its functions"
    if isinstance(program.kernels, Unknown):
        return f"loaded OpenCL through {program.loader}; whether kernels ran is not known"
    return "loaded OpenCL and never enqueued anything"


def _end(program: ProgramFacts) -> str:
    if isinstance(program.signal, str):
        where = listed(program.died_in)
        within = f" in {where[-1]}" if where and program.died_in_opencl is True else ""
        return f", and was ended by {program.signal}{within}"
    if isinstance(program.exit_status, int) and program.exit_status:
        return f", and ended with exit status {program.exit_status}"
    return ""
