# SPDX-License-Identifier: MIT
"""The shell's environment, Linux at boot, checks, clprobe itself, and what people must do."""

from collections.abc import Callable
from typing import Any

from clprobe.commands.lines import Commands
from clprobe.model.action import (
    Advise,
    BootParameter,
    Check,
    Command,
    LoadModule,
    Look,
    SeePlan,
    SetVariable,
    UnsetVariable,
)
from clprobe.model.shell_words import assignment, can_be_typed


def _set(action: SetVariable) -> Commands:
    return Commands(argv=None, undo_in_words=f"unset {action.name}")


def _unset(action: UnsetVariable) -> Commands:
    if action.value is None or not can_be_typed(action.value):
        return Commands(argv=None)
    return Commands(argv=None, undo_in_words=assignment(action.name, action.value))


def _boot(action: BootParameter) -> Commands:
    if action.tool is None:
        opposite = "remove" if action.add else "add"
        words = f"{opposite} {action.parameter} there and run update-grub again"
        return Commands(argv=None, needs_root=True, undo_in_words=words)
    done, undone = "--args=", "--remove-args="
    if not action.add:
        done, undone = undone, done
    grubby = (action.tool, "--update-kernel=ALL")
    return Commands(
        argv=(*grubby, f"{done}{action.parameter}"),
        needs_root=True,
        undo=(*grubby, f"{undone}{action.parameter}"),
    )


def _load(action: LoadModule) -> Commands:
    return Commands(
        argv=("modprobe", action.module), needs_root=True, undo=("modprobe", "-r", action.module)
    )


def _check(action: Check) -> Commands:
    return Commands(argv=action.argv)


def _look(action: Look) -> Commands:  # noqa: ARG001 - one signature for all
    return Commands(argv=("clprobe", "info"))


def _see_plan(action: SeePlan) -> Commands:
    goal = () if action.goal == "opencl" else ("--goal", action.goal)
    file = () if action.snapshot is None else ("--from", action.snapshot)
    backend = () if action.backend is None else ("--backend", action.backend)
    return Commands(argv=("clprobe", "install-plan", *goal, *file, *backend))


def _advise(action: Advise) -> Commands:  # noqa: ARG001 - one signature for all
    return Commands(argv=None)


def _command(action: Command) -> Commands:
    return Commands(
        argv=action.argv, needs_root=action.needs_root, undo=action.undo, verify=action.verify
    )


BUILDERS: dict[type, Callable[[Any], Commands]] = {
    SetVariable: _set,
    UnsetVariable: _unset,
    BootParameter: _boot,
    LoadModule: _load,
    Check: _check,
    Look: _look,
    SeePlan: _see_plan,
    Advise: _advise,
    Command: _command,
}
