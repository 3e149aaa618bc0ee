# SPDX-License-Identifier: MIT
"""The paths that fixes change: only where no other user decides what they lead to."""

import os
import stat
from pathlib import Path

from msgspec.structs import replace

from clprobe.apply.journal import Problem
from clprobe.apply.person import Person
from clprobe.commands.commands import with_action
from clprobe.commands.mending import drop_in
from clprobe.model.action import (
    Action,
    CleanIcdFile,
    LinkFile,
    Permit,
    PointIcdAt,
    PutAside,
)
from clprobe.model.mending import (
    ConfigureService,
    DropAccessList,
    GiveToGroup,
    RenewNode,
    WriteSetting,
)
from clprobe.model.plan import Step
from clprobe.private_folders import why_others_decide


def as_it_is_here(step: Step, person: Person) -> Step | str:
    """Return the step with who owns a path and its mode as they are now; else why not to do it.

    So --undo restores what was there when the step began, and not what a diagnosis saw.
    """
    action = person.named_in(step.action)
    why = why_not_here(action)
    path = _changed(action)
    if why is not None or path is None:
        return why or with_action(step, action)
    try:
        action = _with_status(action)
        is_roots = _owner(action, path) not in (person.uid, None)
    except PermissionError:
        is_roots = True
    except OSError as error:
        return f"{path}: {error.strerror}"
    return replace(with_action(step, action), needs_root=step.needs_root or is_roots)


def path_problem(action: Action) -> Problem | None:
    """Return why an action must not run now, though it was listed."""
    why = why_not_here(action)
    if why is None:
        return None
    return Problem("path-not-safe", f"Not run: {why}.", "Settle that by hand, then run it again.")


def why_not_here(action: Action) -> str | None:
    """Return why an action on a path is left to a person; None: it may be done."""
    path = _changed(action)
    if path is None:
        return None
    try:
        return _why_not(action, path)
    except OSError as error:
        if isinstance(error, PermissionError) and os.geteuid() != 0:
            return None  # root will see
        return f"{path}: {error.strerror}"


def why_taken(action: Action) -> str | None:
    """Return why a step would write over something: what it makes is there before it began."""
    path = None
    if isinstance(action, PutAside):
        path = f"{action.path}.disabled"
    elif isinstance(action, LinkFile | WriteSetting | ConfigureService):
        path = _changed(action)
    return f"{path} is there already" if path is not None and os.path.lexists(path) else None


def _changed(action: Action) -> str | None:
    if isinstance(action, ConfigureService):
        return drop_in(action)
    if isinstance(action, LinkFile):
        return action.link
    on_paths = PutAside | Permit | CleanIcdFile | PointIcdAt | WriteSetting
    on_nodes = GiveToGroup | DropAccessList | RenewNode
    return action.path if isinstance(action, on_paths | on_nodes) else None


def _why_not(action: Action, path: str) -> str | None:
    for one in (path, *_trusted_too(action)):
        if not one.startswith("/"):
            return f"{one} is no full path"
        # mv renames a link itself.
        why = why_others_decide(Path(one), follow=not isinstance(action, PutAside))
        if why is not None:
            return why
    if isinstance(action, CleanIcdFile | PointIcdAt) and not _is_plain(path):
        return f"{path} is a link, or no plain file"
    return None


def _trusted_too(action: Action) -> tuple[str, ...]:
    """Return what programs will load because of the action."""
    if isinstance(action, LinkFile):
        return (action.target,)
    if isinstance(action, PointIcdAt) and "/" in action.library:
        return (action.library,)
    return ()


def _is_plain(path: str) -> bool:
    return stat.S_ISREG(Path(path).lstat().st_mode)


def _with_status(action: Action) -> Action:
    if isinstance(action, Permit):
        return replace(action, mode=_mode(Path(action.path).stat()))
    if isinstance(action, GiveToGroup):
        status = Path(action.path).stat()
        return replace(action, former=str(status.st_gid), mode=_mode(status))
    return action


def _mode(status: os.stat_result) -> str:
    return f"{stat.S_IMODE(status.st_mode):04o}"


def _owner(action: Action, path: str) -> int | None:
    """Return whose right it takes; None where a folder is missing."""
    if isinstance(action, Permit | PointIcdAt):
        return Path(path).stat().st_uid
    folder = Path(path).parent
    return folder.stat().st_uid if folder.exists() else None
