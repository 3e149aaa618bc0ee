# SPDX-License-Identifier: MIT
"""fixes(): what a machine can do about doctor's findings, as steps, and what only a person can."""

from collections.abc import Callable, Iterable, Iterator

import msgspec
from msgspec.structs import replace

from clprobe.apply.kinds import can_be_carried_out
from clprobe.commands import commands
from clprobe.commands.packages import manager_of
from clprobe.install.advised import Best
from clprobe.model.action import Action, Install, JoinGroup, Look, Refresh, Reinstall, SeePlan
from clprobe.model.finding import Diagnosis, Finding, Remedy
from clprobe.model.plan import Step
from clprobe.model.shell_words import command_line

Here = Callable[[Step], Step | str]
"""Gives a step as it is on this host, or why it is left to a person."""

_SEEN_AT_ONCE = (
    "at once",
    "when done",
    "when installed",
    "when removed",
    "once its steps are done",
)


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """What is done about one finding; `by_hand` is what a person must do, before it or instead.

    Without either, the steps of a finding before it are its own, too.
    """

    finding: Finding
    steps: tuple[Step, ...] = ()
    by_hand: tuple[str, ...] = ()


def fixes(
    diagnosis: Diagnosis, best: Best, here: Here, is_done: Callable[[Step], bool]
) -> tuple[Fix, ...]:
    """Return the fix of each error and warning that no other finding explains, in their order.

    Of its remedies the first that a machine can carry out counts, with what comes after it. One
    that `is_done` since an earlier fix has not helped, or does not take effect yet.
    """
    made: list[Fix] = []
    listed: set[Action] = set()
    for finding in diagnosis.findings:
        if finding.verdict == "present" and finding.severity != "note" and not finding.caused_by:
            fix = _fix(finding, best, here, is_done)
            new = tuple(step for step in fix.steps if step.action not in listed)
            listed |= {step.action for step in new}
            made.append(replace(fix, steps=new))
    return tuple(made)


def _fix(finding: Finding, best: Best, here: Here, is_done: Callable[[Step], bool]) -> Fix:
    refused: list[str] = []
    chains = list(_chains(finding.remedies))
    for chain in chains:
        steps: list[Step] = []
        rest = list(chain)
        while rest and (found := _steps(rest[0], best, here)):
            if isinstance(found, str):
                refused.append(found)
                break
            steps += found
            del rest[0]
        if steps and all(is_done(step) for step in steps if not isinstance(step.action, Refresh)):
            effect = chain[0].takes_effect
            if effect not in _SEEN_AT_ONCE:
                waits = f"{chain[0].title}: already done; takes effect {effect}"
                return Fix(finding=finding, by_hand=(waits, *map(_in_words, rest)))
            refused.append(f"{chain[0].title}: already done, but it did not help")
        elif steps:
            return Fix(finding=finding, steps=tuple(steps), by_hand=tuple(map(_in_words, rest)))
    by_hand = tuple(refused) or tuple(_in_words(one) for chain in chains[:1] for one in chain)
    return Fix(finding=finding, by_hand=by_hand)


def _chains(remedies: Iterable[Remedy]) -> Iterator[list[Remedy]]:
    """Yield each way to mend it: a remedy, and those that come after it."""
    chain: list[Remedy] = []
    for remedy in remedies:
        if chain and not remedy.then:
            yield chain
            chain = []
        chain.append(remedy)
    if chain:
        yield chain


def _steps(remedy: Remedy, best: Best, here: Here) -> list[Step] | str:
    """Return the steps of a remedy, none if a person must do it; why not where a path bars it."""
    action = remedy.action
    if isinstance(action, SeePlan):
        route = best(action)
        wanted = list(route.steps) if route is not None else []
        # doctor itself looks when all is done.
        wanted = [step for step in wanted if not isinstance(step.action, Look)]
    else:
        wanted = [
            commands.step(title, one)
            for title, one in _parts(remedy.title, action)
            if can_be_carried_out(one)
        ]
    steps: list[Step] = []
    for step in wanted:
        found = here(step)
        if isinstance(found, str):
            return f"{remedy.title} (left to you: {found})"
        steps.append(found)
    return steps


def _parts(title: str, action: Action) -> Iterator[tuple[str, Action]]:
    """Yield the actions of one remedy; what cannot be taken back as one is done one by one."""
    if isinstance(action, JoinGroup) and "," in action.group:
        for group in action.group.split(","):
            yield f"{title}: {group}", replace(action, group=group)
        return
    manager = manager_of(action)
    installs = isinstance(action, Install | Reinstall)
    if installs and manager is not None and manager.unattended.refresh is not None:
        yield "Read the package index", Refresh(manager=manager.manager)
    yield title, action


def _in_words(remedy: Remedy) -> str:
    if remedy.argv is None:
        return remedy.title
    sudo = "sudo " if remedy.needs_root else ""
    return f"{remedy.title}: {sudo}{command_line(remedy.argv)}"
