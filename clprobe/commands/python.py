# SPDX-License-Identifier: MIT
"""Virtual environments, conda's, and what pip installs into them."""

from clprobe.commands.lines import Commands, commands_of, is_of_system
from clprobe.model import action as actions


@commands_of.register
def _(action: actions.MakeEnvironment) -> Commands:
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


@commands_of.register
def _(action: actions.PipInstall) -> Commands:
    pip = (action.python, "-m", "pip")
    more: tuple[str, ...] = ("--upgrade",) if action.upgrade else ()
    if action.wheels is not None:
        more = (*more, "--no-index", "--find-links", action.wheels)
    index = ("--index-url", action.index) if action.index is not None else ()
    return Commands(
        argv=(*pip, "install", *more, *action.requirements, *index),
        needs_root=is_of_system(action.python),
        # Nothing needs to fit yet where pip alone is made newer.
        verify=None if action.upgrade else (*pip, "check"),
    )


@commands_of.register
def _(action: actions.MakeCondaEnvironment) -> Commands:
    create = ("conda", "create", "--yes", "--prefix", action.path)
    channel = ("--override-channels", "--channel", action.channel)
    return Commands(
        argv=(*create, *channel, *action.packages),
        undo=("rm", "-r", action.path),
        verify=("test", "-x", f"{action.path}/bin/{action.program}"),
    )
