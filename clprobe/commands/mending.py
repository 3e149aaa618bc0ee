# SPDX-License-Identifier: MIT
"""What doctor's remedies do beside plans: settings, services, nodes, modules, this shell."""

from clprobe.commands.lines import Commands, commands_of, holds_line, shell
from clprobe.knowledge.package_managers import manager_named
from clprobe.model import mending
from clprobe.model.mending import Argv
from clprobe.model.placeholders import USER

# Constant programs: what rules or facts say reaches them as arguments alone.
APPLIES = {
    "/etc/udev/rules.d/": "udevadm control --reload && udevadm trigger",
    "/etc/ld.so.conf.d/": "ldconfig",
    "/etc/security/limits.d/": "",
    "/etc/modprobe.d/": "",
    "/etc/OpenCL/vendors/": "",
}
"""What lets a file of this folder take effect; "": nothing before the next log-in or boot."""
# -C: what is there already is not overwritten.
_WRITE = 'mkdir -p "${1%/*}" && set -C && printf "%s\\n" "$2" > "$1"'
_REMOVE = 'rm -f "$1"'
_RESTART = 'systemctl daemon-reload && systemctl restart "$1"'
_ADD_SETTINGS = (
    'unit=$1 file=$2; shift 2; mkdir -p "${file%/*}" && '
    'printf "%s\\n" "[Service]" "$@" > "$file" && set -- "$unit" && ' + _RESTART
)
_DROP_SETTINGS = f'rm -f "$2" && {_RESTART}'
_GIVE = 'chgrp "$2" "$1" && chmod "$3" "$1"'
_IS_GIVEN = (
    "import grp, os, sys; path, group, mode = sys.argv[1:]; found = os.stat(path); "
    "sys.exit((found.st_gid, found.st_mode & 0o7777) != "
    "(grp.getgrnam(group).gr_gid, int(mode, 8)))"
)
_HAS_NO_LIST = "import os, sys; sys.exit('system.posix_acl_access' in os.listxattr(sys.argv[1]))"
_IS_ALLOWED = 'test "$(getsebool "$1")" = "$1 --> on"'
_RELOAD = 'modprobe -r "$1" && modprobe "$1"'
# The patterns are the rules' own and hold no blanks; unquoted the shell makes names of them.
_WRITE_VALUE = (
    'value=$1; shift; for file in $*; do test ! -e "$file" || echo "$value" > "$file"; done'
)
_KEEPERS: dict[str, Argv] = {
    "login": ("loginctl", "terminate-user", USER),
    "tmux": ("tmux", "kill-server"),
    "screen": ("screen", "-X", "quit"),
}


def env_command(action: mending.HideDrivers) -> Argv:
    """Return the command that prints the lines which hide drivers."""
    only = () if action.only is None else ("--only", action.only)
    without = () if action.without is None else ("--without", action.without)
    return ("clprobe", "env", *only, *without)


@commands_of.register(mending.ContainerOptions)
@commands_of.register(mending.LiftLimit)
def _(_: object) -> Commands:
    return Commands(argv=None)


@commands_of.register
def _(action: mending.Show) -> Commands:
    return Commands(argv=action.argv, needs_root=action.needs_root)


@commands_of.register
def _(action: mending.Complete) -> Commands:
    return Commands(argv=None, needs_root=action.needs_root)


@commands_of.register
def _(action: mending.SetVariables) -> Commands:
    names = " ".join(name for name, _ in action.variables)
    return Commands(argv=None, undo_in_words=f"unset {names}")


@commands_of.register
def _(_: mending.HideDrivers) -> Commands:
    return Commands(argv=None, undo_in_words='eval "$(clprobe env --undo)"')


@commands_of.register
def _(action: mending.EnterGroup) -> Commands:
    return Commands(argv=("newgrp", action.group))


@commands_of.register
def _(action: mending.EndSession) -> Commands:
    return Commands(argv=_KEEPERS[action.keeper])


@commands_of.register
def _(action: mending.WriteSetting) -> Commands:
    after = APPLIES[f"{action.path.rpartition('/')[0]}/"]
    then = f" && {after}" if after else ""
    return Commands(
        argv=shell(f"{_WRITE}{then}", action.path, action.line),
        needs_root=True,
        undo=shell(f"{_REMOVE}{then}", action.path),
        verify=holds_line(action.path, action.line),
    )


@commands_of.register
def _(action: mending.WriteKernelValue) -> Commands:
    return Commands(
        argv=shell(_WRITE_VALUE, action.value, *action.paths),
        needs_root=True,
        undo_in_words="boot anew",
    )


def drop_in(action: mending.ConfigureService) -> str:
    """Return the file that holds the settings."""
    name = action.settings[0].partition("=")[0]
    return f"/etc/systemd/system/{action.unit}.d/opencl-{name}.conf"


@commands_of.register
def _(action: mending.ConfigureService) -> Commands:
    file = drop_in(action)
    return Commands(
        argv=shell(_ADD_SETTINGS, action.unit, file, *action.settings),
        needs_root=True,
        undo=shell(_DROP_SETTINGS, action.unit, file),
        verify=("systemctl", "is-active", "--quiet", action.unit),
    )


@commands_of.register
def _(action: mending.StartService) -> Commands:
    return Commands(
        argv=("systemctl", "start", action.unit),
        needs_root=True,
        undo=("systemctl", "stop", action.unit),
        verify=("systemctl", "is-active", "--quiet", action.unit),
    )


@commands_of.register
def _(action: mending.EnableServices) -> Commands:
    return Commands(
        argv=("systemctl", "enable", *action.units),
        needs_root=True,
        undo=("systemctl", "disable", *action.units),
        verify=("systemctl", "is-enabled", "--quiet", *action.units),
    )


@commands_of.register
def _(action: mending.GiveToGroup) -> Commands:
    return Commands(
        argv=shell(_GIVE, action.path, action.group, "0660"),
        needs_root=True,
        undo=shell(_GIVE, action.path, action.former, action.mode),
        verify=("python3", "-c", _IS_GIVEN, action.path, action.group, "0660"),
    )


@commands_of.register
def _(action: mending.DropAccessList) -> Commands:
    return Commands(
        argv=("setfacl", "-b", action.path),
        needs_root=True,
        verify=("python3", "-c", _HAS_NO_LIST, action.path),
    )


@commands_of.register
def _(action: mending.RenewNode) -> Commands:
    return Commands(argv=("udevadm", "trigger", "--action=change", action.path), needs_root=True)


@commands_of.register
def _(action: mending.ReloadModule) -> Commands:
    return Commands(argv=shell(_RELOAD, action.module), needs_root=True)


@commands_of.register
def _(_: mending.BuildModules) -> Commands:
    return Commands(argv=("dkms", "autoinstall"), needs_root=True)


@commands_of.register
def _(action: mending.AllowSelinux) -> Commands:
    return Commands(
        argv=("setsebool", "-P", action.boolean, "on"),
        needs_root=True,
        undo=("setsebool", "-P", action.boolean, "off"),
        verify=shell(_IS_ALLOWED, action.boolean),
    )


@commands_of.register
def _(action: mending.SwitchMigOff) -> Commands:
    switch = ("nvidia-smi", "-i", action.gpu, "-mig")
    return Commands(argv=(*switch, "0"), needs_root=True, undo=(*switch, "1"))


@commands_of.register
def _(_: mending.UpdateWsl) -> Commands:
    return Commands(argv=("wsl.exe", "--update"))


@commands_of.register
def _(_: mending.RestartWsl) -> Commands:
    return Commands(argv=("wsl.exe", "--shutdown"))


@commands_of.register
def _(action: mending.RepairPackages) -> Commands:
    return Commands(argv=manager_named(action.manager).by_hand.repair, needs_root=True)


@commands_of.register
def _(action: mending.FindOwner) -> Commands:
    return Commands(argv=(*manager_named(action.manager).by_hand.owner, action.path))


@commands_of.register
def _(action: mending.CondaInstall) -> Commands:
    return Commands(
        argv=("conda", "install", "--channel", action.channel, action.package),
        undo=("conda", "remove", action.package),
    )


@commands_of.register
def _(action: mending.PipBuild) -> Commands:
    install = ("python3", "-m", "pip", "install", "--force-reinstall", "--no-deps")
    return Commands(
        argv=(*install, "--no-binary", action.package, action.package),
        undo=(*install, action.package),
    )
