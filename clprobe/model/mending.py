# SPDX-License-Identifier: MIT
"""What doctor's remedies may do to a host beside what plans do: one type for each thing."""

from typing import Literal, TypeAlias

import msgspec

Argv = tuple[str, ...]


class Doing(msgspec.Struct, frozen=True, kw_only=True, tag_field="do"):
    """One thing to do; `do` tells which in JSON."""


class Show(Doing, frozen=True, kw_only=True, tag="show"):
    """Run a command that only shows something."""

    argv: Argv
    needs_root: bool = False


class Complete(Doing, frozen=True, kw_only=True, tag="complete"):
    """Run a command in which a person fills in the words of `holes`; each says what it stands for.

    A hole is a word in capitals, alone or within a word of `argv`.
    """

    argv: Argv
    holes: tuple[tuple[str, str], ...]
    needs_root: bool = False


class ContainerOptions(Doing, frozen=True, kw_only=True, tag="container-options"):
    """Start the container with these options beside those that it is started with now."""

    options: Argv


class SetVariables(Doing, frozen=True, kw_only=True, tag="set-variables"):
    """Set several environment variables in the person's shell, which only work together."""

    variables: tuple[tuple[str, str], ...]


class HideDrivers(Doing, frozen=True, kw_only=True, tag="hide-drivers"):
    """Let programs of this shell load the healthy drivers; those of one ICD, or all but it."""

    only: str | None = None
    without: str | None = None


class LiftLimit(Doing, frozen=True, kw_only=True, tag="lift-limit"):
    """Lift a limit of the person's shell."""

    limit: Literal["address-space"]


class EnterGroup(Doing, frozen=True, kw_only=True, tag="enter-group"):
    """Start a shell that has a group which the session does not have yet."""

    group: str


class EndSession(Doing, frozen=True, kw_only=True, tag="end-session"):
    """End what keeps the processes of the log-in, with all programs in it."""

    keeper: Literal["login", "tmux", "screen"]


class WriteSetting(Doing, frozen=True, kw_only=True, tag="write-setting"):
    """Write a file of one line into a folder of settings, and let it take effect."""

    path: str
    line: str


class WriteKernelValue(Doing, frozen=True, kw_only=True, tag="write-kernel-value"):
    """Write a value into files of Linux until the next boot; `paths` are patterns of a shell."""

    paths: tuple[str, ...]
    value: str


class ConfigureService(Doing, frozen=True, kw_only=True, tag="configure-service"):
    """Give a systemd service settings of [Service] in a file of their own, and restart it."""

    unit: str
    settings: tuple[str, ...]


class StartService(Doing, frozen=True, kw_only=True, tag="start-service"):
    """Start a systemd service."""

    unit: str


class EnableServices(Doing, frozen=True, kw_only=True, tag="enable-services"):
    """Let systemd start services by itself from the next boot on."""

    units: tuple[str, ...]


class GiveToGroup(Doing, frozen=True, kw_only=True, tag="give-to-group"):
    """Let a group read and write a device node; `former` and `mode` are what it has."""

    path: str
    group: str
    former: str
    mode: str


class DropAccessList(Doing, frozen=True, kw_only=True, tag="drop-access-list"):
    """Take a file's access list away, so that its mode decides alone."""

    path: str


class RenewNode(Doing, frozen=True, kw_only=True, tag="renew-node"):
    """Let udev set up a device node anew."""

    path: str


class ReloadModule(Doing, frozen=True, kw_only=True, tag="reload-module"):
    """Unload a kernel module and load it again."""

    module: str


class BuildModules(Doing, frozen=True, kw_only=True, tag="build-modules"):
    """Build the modules of DKMS for the running Linux."""


class AllowSelinux(Doing, frozen=True, kw_only=True, tag="allow-selinux"):
    """Switch a boolean of SELinux's policy on, for good."""

    boolean: str


class SwitchMigOff(Doing, frozen=True, kw_only=True, tag="switch-mig-off"):
    """Let an NVIDIA GPU be one whole again; `gpu` is its number."""

    gpu: str


class UpdateWsl(Doing, frozen=True, kw_only=True, tag="update-wsl"):
    """Update WSL from within."""


class RestartWsl(Doing, frozen=True, kw_only=True, tag="restart-wsl"):
    """End WSL with all that runs in it; the next use starts it anew."""


class RepairPackages(Doing, frozen=True, kw_only=True, tag="repair-packages"):
    """Let the package manager finish what it left half done."""

    manager: str


class FindOwner(Doing, frozen=True, kw_only=True, tag="find-owner"):
    """See which package owns a file."""

    manager: str
    path: str


class CondaInstall(Doing, frozen=True, kw_only=True, tag="conda-install"):
    """Install a package of a channel into the conda environment that is active."""

    channel: str
    package: str


class PipBuild(Doing, frozen=True, kw_only=True, tag="pip-build"):
    """Build a Python package here in place of its wheel."""

    package: str


Mending: TypeAlias = (
    Show | Complete | ContainerOptions | SetVariables | HideDrivers | LiftLimit | EnterGroup
    | EndSession | WriteSetting | WriteKernelValue | ConfigureService | StartService
    | EnableServices | GiveToGroup | DropAccessList | RenewNode | ReloadModule | BuildModules
    | AllowSelinux | SwitchMigOff | UpdateWsl | RestartWsl | RepairPackages | FindOwner
    | CondaInstall | PipBuild
)  # fmt: skip
