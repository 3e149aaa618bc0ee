# SPDX-License-Identifier: MIT
"""commands_of(): what an action is on the command line, one entry for each type of action."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from clprobe.commands import containers, files, groups, mending, others, packages, python
from clprobe.commands.lines import Commands
from clprobe.model.action import Action
from clprobe.model.finding import Remedy, TakesEffect
from clprobe.model.plan import Step

_BUILDERS: dict[type, Callable[[Any], Commands]] = {
    **packages.BUILDERS,
    **python.BUILDERS,
    **files.BUILDERS,
    **groups.BUILDERS,
    **containers.BUILDERS,
    **others.BUILDERS,
    **mending.BUILDERS,
}


def commands_of(action: Action) -> Commands:
    """Return the commands of an action as plans run them, unattended.

    Raises: ValueError if it is of a package manager that no table knows.
    """
    return _BUILDERS[type(action)](action)


def typed(action: Action) -> Commands:
    """Return the commands of an action as people type them.

    Raises: ValueError as above.
    """
    builder = (packages.BY_HAND | files.BY_HAND).get(type(action))
    return builder(action) if builder is not None else commands_of(action)


def step(title: str, action: Action) -> Step:
    """Return the step of a plan that does it.

    Raises: ValueError as above, or if a person must do it.
    """
    commands = commands_of(action)
    if commands.argv is None:
        raise ValueError(f"no command does {action}")
    return Step(
        title=title,
        action=action,
        argv=commands.argv,
        needs_root=commands.needs_root,
        undo=commands.undo,
        verify=commands.verify,
    )


def remedy(title: str, action: Action, takes_effect: TakesEffect = "at once") -> Remedy:
    """Return the remedy that does it.

    Raises: ValueError as above.
    """
    commands = typed(action)
    return Remedy(
        title=title,
        action=action,
        argv=commands.argv,
        needs_root=commands.needs_root,
        takes_effect=takes_effect,
        undo=commands.undo if commands.undo is not None else commands.undo_in_words,
    )


def with_action(step: Step, action: Action) -> Step:
    """Return the step with that action's commands in place of its own."""
    commands = commands_of(action)
    return replace(
        step,
        action=action,
        argv=commands.argv or step.argv,
        undo=commands.undo,
        verify=commands.verify,
    )
