# SPDX-License-Identifier: MIT
"""Groups, and who is in them."""

from clprobe.commands.lines import Commands, commands_of
from clprobe.model import action as actions

_IS_MEMBER = (
    "import grp, os, pwd, sys; user, group = sys.argv[1:]; sys.exit(grp.getgrnam(group).gr_gid "
    "not in os.getgrouplist(user, pwd.getpwnam(user).pw_gid))"
)


@commands_of.register
def _(action: actions.MakeGroup) -> Commands:
    # udev makes it; a container without udev has none, and usermod would stop there.
    return Commands(
        argv=("groupadd", "--system", "--force", action.group),
        needs_root=True,
        verify=("getent", "group", action.group),
    )


@commands_of.register
def _(action: actions.JoinGroup) -> Commands:
    user, group = action.user, action.group
    several = "," in group
    return Commands(
        argv=("usermod", "-aG", group, user),
        needs_root=True,
        # gpasswd takes one group at a time.
        undo=None if several else ("gpasswd", "-d", user, group),
        verify=None if several else ("python3", "-c", _IS_MEMBER, user, group),
    )


@commands_of.register
def _(action: actions.NameGroup) -> Commands:
    return Commands(
        argv=("groupadd", "--gid", action.gid, "--users", action.user, action.group),
        needs_root=True,
        undo=("groupdel", action.group),
        verify=("python3", "-c", _IS_MEMBER, action.user, action.group),
    )
