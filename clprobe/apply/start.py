# SPDX-License-Identifier: MIT
"""The journal of a run that has not begun: the steps of a route, as they run here."""

from clprobe import __version__
from clprobe.apply.journal import Journal, StepRecord, plan_id
from clprobe.apply.person import Person
from clprobe.apply.questions import packages
from clprobe.apply.work import now_in_words
from clprobe.commands.commands import with_action
from clprobe.commands.packages import manager_of
from clprobe.model.plan import InstallPlan, Route


def new_journal(made: InstallPlan, route: Route, person: Person) -> Journal:
    """Return the journal of a route with the package list of now.

    Raises: ClprobeError if the packages cannot be listed.
    """
    named = (with_action(step, person.named_in(step.action)) for step in route.steps)
    steps = tuple(
        StepRecord(
            title=step.title,
            action=step.action,
            argv=step.argv,
            needs_root=step.needs_root,
            undo=step.undo,
            verify=step.verify,
        )
        for step in named
    )
    manager = next((one for step in steps if (one := manager_of(step.action)) is not None), None)
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
