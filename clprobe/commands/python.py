# SPDX-License-Identifier: MIT
"""Virtual environments, conda's, and what pip installs into them."""

from collections.abc import Callable
from typing import Any

from clprobe.commands.lines import Commands, is_of_system
from clprobe.model.action import MakeCondaEnvironment, MakeEnvironment, PipInstall


def _make(action: MakeEnvironment) -> Commands:
    path, make = action.path, (*action.python, "-m", "venv", action.path)
    if action.windows:
        return Commands(
            argv=make,
            undo=("py", "-c", f"import shutil; shutil.rmtree('{path}')"),
            verify=(f"{path}\\Scripts\\python.exe", "--version"),
        )
    return Commands(
        argv=make,
        needs_root=is_of_system(path),
        undo=("rm", "-r", path),
        verify=("test", "-x", f"{path}/bin/python"),
    )


def _pip(action: PipInstall) -> Commands:
    pip = (action.python, "-m", "pip")
    more: tuple[str, ...] = ("--upgrade",) if action.upgrade else ()
    if action.wheels is not None:
        more = (*more, "--no-index", "--find-links", action.wheels)
    return Commands(
        argv=(*pip, "install", *more, *action.requirements),
        needs_root=is_of_system(action.python),
        # Nothing needs to fit yet where pip alone is made newer.
        verify=None if action.upgrade else (*pip, "check"),
    )


def _conda(action: MakeCondaEnvironment) -> Commands:
    create = ("conda", "create", "--yes", "--prefix", action.path)
    channel = ("--override-channels", "--channel", action.channel)
    return Commands(
        argv=(*create, *channel, *action.packages),
        undo=("rm", "-r", action.path),
        verify=("test", "-x", f"{action.path}/bin/{action.program}"),
    )


BUILDERS: dict[type, Callable[[Any], Commands]] = {
    MakeEnvironment: _make,
    PipInstall: _pip,
    MakeCondaEnvironment: _conda,
}
