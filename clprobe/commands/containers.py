# SPDX-License-Identifier: MIT
"""Containers that may use the GPU, and what is done in them."""

from collections.abc import Callable
from typing import Any

from clprobe.commands import packages
from clprobe.commands.lines import Commands
from clprobe.model.action import (
    Check,
    InContainer,
    RemoveContainer,
    StartContainer,
)
from clprobe.model.mending import Argv

_NODES = "/dev/dri"


def _needs_root(engine: str) -> bool:
    return engine == "docker"


def _start(action: StartContainer) -> Commands:
    engine, name = action.engine, action.name
    remove = _remove(RemoveContainer(engine=engine, name=name)).argv
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


def _remove(action: RemoveContainer) -> Commands:
    return Commands(
        argv=(action.engine, "rm", "--force", action.name), needs_root=_needs_root(action.engine)
    )


def _inside(action: InContainer) -> Commands:
    done = action.action
    if isinstance(done, Check):
        inner = Commands(argv=done.argv)
    else:
        inner = packages.BUILDERS[type(done)](done)
    return Commands(
        argv=_entered(action, inner.argv),
        needs_root=_needs_root(action.engine),
        undo=_entered(action, inner.undo),
        verify=_entered(action, inner.verify),
    )


def _entered(action: InContainer, argv: Argv | None) -> Argv | None:
    """Return the command as root in the container runs it."""
    if argv is None:
        return None
    pairs = tuple(f"{key}={value}" for key, value in action.variables)
    words = ("env", *pairs, *argv) if pairs else argv
    if action.engine == "distrobox":
        return ("distrobox", "enter", "--name", action.name, "--", "sudo", *words)
    return (action.engine, "exec", action.name, *words)


BUILDERS: dict[type, Callable[[Any], Commands]] = {
    StartContainer: _start,
    RemoveContainer: _remove,
    InContainer: _inside,
}
