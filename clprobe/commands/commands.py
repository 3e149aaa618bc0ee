# SPDX-License-Identifier: MIT
"""Steps of plans and remedies, each with the commands of its action."""

from msgspec.structs import replace

from clprobe.commands.lines import commands_of, typed
from clprobe.model.action import Action
from clprobe.model.finding import Remedy, TakesEffect
from clprobe.model.plan import Step


def step(title: str, action: Action) -> Step:
    """Return the step of a plan that does it.

    Raises: ValueError if it is of a package manager that no table knows, or a person must do it.
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

    Raises: ValueError if it is of a package manager that no table knows.
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
