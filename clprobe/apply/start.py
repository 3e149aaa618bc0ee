# SPDX-License-Identifier: MIT
"""The journal of a run that has not begun: the steps of a route, as they run here."""

from clprobe import __version__
from clprobe.apply.journal import Journal, StepRecord, plan_id
from clprobe.apply.kinds import kind_of, manager_of
from clprobe.apply.person import Person
from clprobe.apply.questions import packages
from clprobe.apply.work import now_in_words
from clprobe.model.plan import InstallPlan, Route


def new_journal(made: InstallPlan, route: Route, person: Person) -> Journal:
    """Return the journal of a route with the package list of now.

    Raises: ClprobeError if the packages cannot be listed.
    """
    steps = tuple(
        StepRecord(
            title=step.title,
            argv=person.named_in(step.argv),
            needs_root=step.needs_root,
            kind=kind_of(step.argv),
            undo=person.named_in(step.undo) if step.undo is not None else None,
            verify=person.named_in(step.verify) if step.verify is not None else None,
        )
        for step in route.steps
    )
    manager = next((name for step in steps if (name := manager_of(step.argv)) is not None), None)
    return Journal(
        clprobe=__version__,
        plan_id=plan_id(made.goal, route.backend, route.stack, steps),
        goal=made.goal,
        backend=route.backend,
        stack=route.stack,
        target=made.target,
        user=person.name,
        started=now_in_words(),
        steps=steps,
        packages_before=packages(manager) if manager is not None else (),
    )
