# SPDX-License-Identifier: MIT
"""The shell's environment, Linux at boot, checks, clprobe itself, and what people must do."""

from clprobe.commands.lines import Commands, commands_of
from clprobe.model import action as actions
from clprobe.model.shell_words import assignment, can_be_typed


@commands_of.register
def _(action: actions.SetVariable) -> Commands:
    return Commands(argv=None, undo_in_words=f"unset {action.name}")


@commands_of.register
def _(action: actions.UnsetVariable) -> Commands:
    if action.value is None or not can_be_typed(action.value):
        return Commands(argv=None)
    return Commands(argv=None, undo_in_words=assignment(action.name, action.value))


@commands_of.register
def _(action: actions.BootParameter) -> Commands:
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


@commands_of.register
def _(action: actions.LoadModule) -> Commands:
    return Commands(
        argv=("modprobe", action.module),
        needs_root=True,
        undo=("modprobe", "-r", action.module),
        verify=("test", "-d", f"/sys/module/{action.module.replace('-', '_')}"),
    )


@commands_of.register
def _(action: actions.Check) -> Commands:
    return Commands(argv=action.argv)


@commands_of.register
def _(_: actions.Look) -> Commands:
    return Commands(argv=("clprobe", "info"))


@commands_of.register
def _(action: actions.SeePlan) -> Commands:
    goal = () if action.goal == "opencl" else ("--goal", action.goal)
    file = () if action.snapshot is None else ("--from", action.snapshot)
    gpu = () if action.gpu is None else ("--gpu", action.gpu)
    backend = () if action.backend is None else ("--backend", action.backend)
    return Commands(argv=("clprobe", "install-plan", *goal, *file, *gpu, *backend))


@commands_of.register
def _(_: actions.Advise) -> Commands:
    return Commands(argv=None)


@commands_of.register
def _(action: actions.Command) -> Commands:
    return Commands(
        argv=action.argv, needs_root=action.needs_root, undo=action.undo, verify=action.verify
    )
