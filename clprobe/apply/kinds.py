# SPDX-License-Identifier: MIT
"""What carrying out must know of each type of action: its time, its proof, what it leaves."""

import msgspec

from clprobe.model import action as actions
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
    keeps take it back.
    """

    limit_s: float
    may_be_so: bool = False
    is_proved_after_break: bool = False
    is_undone_by_command: bool = False


_INSTALLS = Kind(limit_s=INSTALL_LIMIT_S, is_proved_after_break=True)
_GROUPS = Kind(limit_s=60, may_be_so=True, is_proved_after_break=True, is_undone_by_command=True)
_COMMANDS = Kind(limit_s=INSTALL_LIMIT_S, may_be_so=True, is_undone_by_command=True)
KINDS: dict[type, Kind] = {
    actions.Refresh: Kind(limit_s=REFRESH_LIMIT_S),
    actions.Install: _INSTALLS,
    actions.InstallFiles: _INSTALLS,
    actions.MakeFolder: Kind(limit_s=30, may_be_so=True),
    actions.FetchKey: Kind(limit_s=600, may_be_so=True),
    actions.WriteFile: Kind(limit_s=30),
    actions.AddSources: Kind(limit_s=60),
    actions.EnableRepository: _COMMANDS,
    actions.MakeEnvironment: Kind(limit_s=300, may_be_so=True),
    actions.MakeCondaEnvironment: Kind(limit_s=INSTALL_LIMIT_S, may_be_so=True),
    actions.PipInstall: Kind(limit_s=INSTALL_LIMIT_S),
    actions.MakeGroup: _GROUPS,
    actions.JoinGroup: _GROUPS,
    actions.StartContainer: _COMMANDS,
    actions.RemoveContainer: _COMMANDS,
    actions.InContainer: _COMMANDS,
    # What it asks may be whether PyTorch, just installed, can be imported.
    actions.Check: Kind(limit_s=600),
    actions.CheckHashes: Kind(limit_s=600),
    actions.Look: Kind(limit_s=120),
    actions.Command: _COMMANDS,
}
"""The types that steps of plans are of."""


def is_install(action: Action) -> bool:
    """Whether it installs packages of the system, so that it must not be broken off."""
    return isinstance(action, actions.Install | actions.InstallFiles)


def packages_of(action: Action) -> tuple[str, ...]:
    """Return the packages that it installs."""
    return action.packages if isinstance(action, actions.Install | actions.InstallFiles) else ()


def written_path(action: Action) -> str | None:
    """Return the file that it writes."""
    kinds = actions.WriteFile | actions.FetchKey | actions.AddSources
    return action.path if isinstance(action, kinds) else None


def made_folder(action: Action) -> str | None:
    """Return the folder that it makes and fills."""
    return (
        action.path
        if isinstance(action, actions.MakeEnvironment | actions.MakeCondaEnvironment)
        else None
    )
