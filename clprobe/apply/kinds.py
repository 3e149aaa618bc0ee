# SPDX-License-Identifier: MIT
"""What carrying out must know of each type of action: its time, its proof, what it leaves."""

import msgspec

from clprobe.commands.lines import commands_of
from clprobe.commands.mending import drop_in
from clprobe.commands.packages import manager_of
from clprobe.model import action as actions
from clprobe.model import mending
from clprobe.model.action import Action

CHECK_LIMIT_S = 120.0
"""Seconds for the command that proves a step, and for questions to the package manager."""
INSTALL_LIMIT_S = 3600.0
"""Seconds for whatever package managers do; pip among them: a build of PyTorch is a gigabyte."""
REFRESH_LIMIT_S = 600.0
"""Seconds for reading a package index."""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a type of action.

    After `limit_s` seconds it counts as hanging. `may_be_so`: it need not run where its proof
    succeeds beforehand; a file may hold something else, pip's check knows nothing of missing
    packages, and package managers find out by themselves. `is_proved_after_break`: its proof tells
    that a run which was killed got through it; half a virtual environment and half a file pass
    theirs, and are made again. `is_undone_by_command`: neither packages nor files that the journal
    keeps take it back, or not they alone. `is_undone_while_so`: only as long as its proof holds;
    afterwards it is somebody else's doing. `leaves_nothing`: by itself it has nothing to take back.
    """

    limit_s: float
    may_be_so: bool = False
    is_proved_after_break: bool = False
    is_undone_by_command: bool = False
    is_undone_while_so: bool = False
    leaves_nothing: bool = False


_INSTALLS = Kind(limit_s=INSTALL_LIMIT_S, is_proved_after_break=True)
_GROUPS = Kind(limit_s=60, may_be_so=True, is_proved_after_break=True, is_undone_by_command=True)
_CHANGES = Kind(
    limit_s=60,
    may_be_so=True,
    is_proved_after_break=True,
    is_undone_by_command=True,
    is_undone_while_so=True,
)
_SETTINGS = Kind(limit_s=300, is_undone_by_command=True)
_SERVICES = Kind(limit_s=300, may_be_so=True, is_proved_after_break=True, is_undone_by_command=True)
_COMMANDS = Kind(limit_s=INSTALL_LIMIT_S, may_be_so=True, is_undone_by_command=True)
KINDS: dict[type, Kind] = {
    actions.Refresh: Kind(limit_s=REFRESH_LIMIT_S, leaves_nothing=True),
    actions.Install: _INSTALLS,
    actions.InstallFiles: _INSTALLS,
    # Its proof holds beforehand too.
    actions.Reinstall: Kind(limit_s=INSTALL_LIMIT_S),
    actions.MakeFolder: Kind(limit_s=30, may_be_so=True),
    actions.FetchKey: Kind(limit_s=600, may_be_so=True),
    actions.WriteFile: Kind(limit_s=30),
    actions.AddSources: Kind(limit_s=60),
    actions.EnableRepository: _COMMANDS,
    actions.MakeEnvironment: Kind(limit_s=300, may_be_so=True),
    actions.MakeCondaEnvironment: Kind(limit_s=INSTALL_LIMIT_S, may_be_so=True),
    # It goes with the environment.
    actions.PipInstall: Kind(limit_s=INSTALL_LIMIT_S, leaves_nothing=True),
    actions.MakeGroup: _GROUPS,
    actions.JoinGroup: _GROUPS,
    actions.NameGroup: _GROUPS,
    actions.PutAside: _CHANGES,
    actions.Permit: _CHANGES,
    actions.LinkFile: _CHANGES,
    actions.CleanIcdFile: Kind(limit_s=30),
    actions.PointIcdAt: Kind(limit_s=30),
    actions.LoadModule: _CHANGES,
    actions.BootParameter: Kind(limit_s=300, is_undone_by_command=True),
    mending.WriteSetting: _SETTINGS,
    mending.ConfigureService: _SETTINGS,
    mending.StartService: _SERVICES,
    mending.EnableServices: _SERVICES,
    mending.AllowSelinux: _SERVICES,
    mending.GiveToGroup: _CHANGES,
    mending.DropAccessList: Kind(limit_s=30, may_be_so=True),
    mending.RenewNode: Kind(limit_s=60),
    mending.WriteKernelValue: Kind(limit_s=30),
    mending.BuildModules: Kind(limit_s=INSTALL_LIMIT_S),
    actions.StartContainer: _COMMANDS,
    actions.RemoveContainer: _COMMANDS,
    actions.InContainer: _COMMANDS,
    # What it asks may be whether PyTorch, just installed, can be imported.
    actions.Check: Kind(limit_s=600, leaves_nothing=True),
    actions.CheckHashes: Kind(limit_s=600, leaves_nothing=True),
    actions.Look: Kind(limit_s=120, leaves_nothing=True),
    actions.Command: _COMMANDS,
}
"""The types that steps of plans and of fixes are of."""


_WRITING = (
    *(actions.WriteFile, actions.FetchKey, actions.AddSources),
    *(actions.CleanIcdFile, actions.PointIcdAt, mending.WriteSetting),
)


def can_be_carried_out(action: Action) -> bool:
    """Whether a machine can do it; else a person must."""
    return type(action) in KINDS and commands_of(action).argv is not None


def can_be_taken_back(action: Action) -> bool:
    """Whether --undo leaves things as they were before it."""
    kind = KINDS[type(action)]
    by_command = kind.is_undone_by_command and (
        isinstance(action, actions.MakeGroup) or commands_of(action).undo is not None
    )
    kept = written_path(action) is not None or made_folder(action) is not None
    added = isinstance(action, actions.Install | actions.InstallFiles)
    return kind.leaves_nothing or by_command or kept or added


def is_install(action: Action) -> bool:
    """Whether it installs packages of the system, so that it must not be broken off."""
    return bool(packages_of(action))


def packages_of(action: Action) -> tuple[str, ...]:
    """Return the packages that it installs."""
    if isinstance(action, actions.Install | actions.InstallFiles):
        return action.packages
    if isinstance(action, actions.Reinstall) and manager_of(action) is not None:
        return (action.package,)
    return ()


def written_path(action: Action) -> str | None:
    """Return the file that it writes, of which the journal keeps what it held."""
    if isinstance(action, mending.ConfigureService):
        return drop_in(action)
    return action.path if isinstance(action, _WRITING) else None


def made_folder(action: Action) -> str | None:
    """Return the folder that it makes and fills."""
    return (
        action.path
        if isinstance(action, actions.MakeEnvironment | actions.MakeCondaEnvironment)
        else None
    )
