# SPDX-License-Identifier: MIT
"""pasted(): the steps of a route as lines that a person pastes into a shell, as few as can be.

They do what the steps do, in people's words: with sudo, with questions asked, and with packages
gathered in one line. What `--apply` runs stands in the steps themselves.
"""

from collections.abc import Sequence

import msgspec

from clprobe.commands.lines import in_shell, typed
from clprobe.commands.packages import asked_for
from clprobe.model import action as actions
from clprobe.model.action import Action
from clprobe.model.placeholders import USER
from clprobe.model.plan import Step
from clprobe.model.shell_words import command_line, windows_word


class Typist(msgspec.Struct, frozen=True, kw_only=True):
    """Who pastes the lines: the log-in name, None: the shell knows it; root needs no sudo."""

    user: str | None = None
    is_root: bool = False


ANYBODY = Typist()


class _Line:
    """A line in the making: commands that are joined by &&, and the action of the last."""

    def __init__(self, action: Action, command: list[str]) -> None:
        self.action = action
        self.commands = [command]

    def join(self, action: Action, command: list[str]) -> None:
        self.action = action
        self.commands.append(command)

    def text(self) -> str:
        return " && ".join(" ".join(command) for command in self.commands)


def pasted_step(step: Step, typist: Typist = ANYBODY) -> str:
    """Return one step as it is pasted."""
    return " ".join(_command(step.action, typist))


def pasted(steps: Sequence[Step], typist: Typist = ANYBODY) -> tuple[str, ...]:
    """Return the lines that do all of the steps; those that only look are left out."""
    todo = [step.action for step in steps]
    lines: list[_Line] = []
    shop: tuple[_Shop, list[str]] | None = None  # and its line, which takes more packages
    for action in _without_vain(todo):
        if isinstance(action, actions.Install | actions.InstallFiles):
            where = _shop(action)
            if shop is not None and shop[0] == where:
                shop[1].extend(command_line((word,)) for word in asked_for(action))
                continue
            shop = (where, _command(action, typist))
            command = shop[1]
        else:
            command = _command(action, typist)
            if not isinstance(action, _BESIDE):
                shop = None
        if lines and _belong_together(lines[-1].action, action):
            lines[-1].join(action, command)
        else:
            lines.append(_Line(action, command))
    return tuple(line.text() for line in lines)


_Shop = tuple[str, str | None]
"""A manager, and the suite from which it takes packages."""


def _shop(action: actions.Install | actions.InstallFiles) -> _Shop:
    return action.manager, action.suite if isinstance(action, actions.Install) else None


_BESIDE = actions.MakeGroup | actions.JoinGroup | actions.Check | actions.CheckHashes
"""What neither needs the packages of later steps nor decides what the manager can get."""
_ADDS_NO_REPOSITORY = (
    actions.Install
    | actions.InstallFiles
    | actions.MakeEnvironment
    | actions.PipInstall
    | actions.StartContainer
    | actions.InContainer
)


def _without_vain(todo: Sequence[Action]) -> list[Action]:
    """Return the actions without looks at the end; an index is read right before it is needed."""
    kept: list[Action] = []
    to_read: Action | None = None
    index_is_read = False
    for action in todo:
        if isinstance(action, actions.Look):
            continue
        if isinstance(action, actions.Check) and action.argv[0] == "test":
            continue  # nothing is seen of it; what needs the file names it, too
        if isinstance(action, actions.Refresh):
            to_read = None if index_is_read else action
            continue
        if isinstance(action, actions.Install | actions.InstallFiles) and to_read is not None:
            kept.append(to_read)
            to_read, index_is_read = None, True
        elif not isinstance(action, _BESIDE | _ADDS_NO_REPOSITORY):
            index_is_read = False
        kept.append(action)
    return kept


def _belong_together(former: Action, action: Action) -> bool:
    """Whether both are one matter, so that the second must not run where the first fails."""
    if isinstance(former, actions.PipInstall) and isinstance(action, actions.PipInstall):
        return former.python == action.python
    if isinstance(former, actions.InContainer) and isinstance(action, actions.InContainer):
        return isinstance(former.action, actions.Refresh)
    return (type(former), type(action)) in _PAIRS


_PAIRS: set[tuple[type, type]] = {
    (actions.Refresh, actions.Install),
    (actions.Refresh, actions.InstallFiles),
    (actions.MakeFolder, actions.FetchKey),
    (actions.MakeGroup, actions.JoinGroup),
}


def _command(action: Action, typist: Typist) -> list[str]:
    commands = typed(action)
    sudo = "sudo " if commands.needs_root and not typist.is_root else ""
    shell = in_shell(action, sudo)
    if shell is not None:
        return [shell]
    argv = commands.argv or ()
    if typist.user is not None:
        argv = tuple(typist.user if word == USER else word for word in argv)
    if "\\" in "".join(argv[:1]) or argv[:1] == ("py",):
        return [windows_word(word) for word in argv]
    return [*sudo.split(), *(command_line((word,)) for word in argv)]
