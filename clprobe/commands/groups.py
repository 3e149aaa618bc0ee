# SPDX-License-Identifier: MIT
"""Groups, and who is in them."""

from collections.abc import Callable
from typing import Any

from clprobe.commands.lines import Commands
from clprobe.model.action import JoinGroup, MakeGroup, NameGroup

_IS_MEMBER = (
    "import grp, os, pwd, sys; user, group = sys.argv[1:]; sys.exit(grp.getgrnam(group).gr_gid "
    "not in os.getgrouplist(user, pwd.getpwnam(user).pw_gid))"
)


def _make(action: MakeGroup) -> Commands:
    # udev makes it; a container without udev has none, and usermod would stop there.
    return Commands(
        argv=("groupadd", "--system", "--force", action.group),
        needs_root=True,
        verify=("getent", "group", action.group),
    )


def _join(action: JoinGroup) -> Commands:
    user, group = action.user, action.group
    several = "," in group
    return Commands(
        argv=("usermod", "-aG", group, user),
        needs_root=True,
        # gpasswd takes one group at a time.
        undo=None if several else ("gpasswd", "-d", user, group),
        verify=None if several else ("python3", "-c", _IS_MEMBER, user, group),
    )


def _name(action: NameGroup) -> Commands:
    return Commands(
        argv=("groupadd", "--gid", action.gid, "--users", action.user, action.group),
        needs_root=True,
        undo=("groupdel", action.group),
    )


BUILDERS: dict[type, Callable[[Any], Commands]] = {
    MakeGroup: _make,
    JoinGroup: _join,
    NameGroup: _name,
}
