# SPDX-License-Identifier: MIT
"""Containers that may use the GPU, and what is done in them."""

from clprobe.commands.lines import Commands, commands_of
from clprobe.model import action as actions
from clprobe.model.mending import Argv

_NODES = "/dev/dri"


def _needs_root(engine: str) -> bool:
    return engine == "docker"


@commands_of.register
def _(action: actions.StartContainer) -> Commands:
    engine, name = action.engine, action.name
    remove = commands_of(actions.RemoveContainer(engine=engine, name=name)).argv
    if engine == "distrobox":
        return Commands(
            argv=("distrobox", "create", "--yes", "--name", name, "--image", action.image),
            undo=remove,
            verify=("distrobox", "enter", "--name", name, "--", "true"),
        )
    device: Argv = ("--device", _NODES)
    if engine == "podman":
        # The container's processes keep the user's groups, render among them.
        device = ("--replace", *device, "--group-add", "keep-groups")
        check: Argv = ("podman", "container", "exists", name)
    else:
        check = ("docker", "container", "inspect", "--format", "{{.State.Running}}", name)
    return Commands(
        argv=(
            *(engine, "run", "--detach", "--name", name, *device),
            *(action.image, "sleep", "infinity"),
        ),
        needs_root=_needs_root(engine),
        undo=remove,
        verify=check,
    )


@commands_of.register
def _(action: actions.RemoveContainer) -> Commands:
    return Commands(
        argv=(action.engine, "rm", "--force", action.name), needs_root=_needs_root(action.engine)
    )


@commands_of.register
def _(action: actions.InContainer) -> Commands:
    inner = commands_of(action.action)
    return Commands(
        argv=_entered(action, inner.argv),
        needs_root=_needs_root(action.engine),
        undo=_entered(action, inner.undo),
        verify=_entered(action, inner.verify),
    )


def _entered(action: actions.InContainer, argv: Argv | None) -> Argv | None:
    """Return the command as root in the container runs it."""
    if argv is None:
        return None
    pairs = tuple(f"{key}={value}" for key, value in action.variables)
    words = ("env", *pairs, *argv) if pairs else argv
    if action.engine == "distrobox":
        return ("distrobox", "enter", "--name", action.name, "--", "sudo", *words)
    return (action.engine, "exec", action.name, *words)
