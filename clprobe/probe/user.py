# SPDX-License-Identifier: MIT
"""Who runs this, and in which groups: as the process has them and as the database has them."""

from msgspec.structs import replace

from clprobe.model.placeholders import SUDO_CALLER, is_person
from clprobe.model.snapshot import Perspective, Snapshot
from clprobe.model.system import Group, User
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask
from clprobe.probe.host import Account, Host
from clprobe.probe.session import probe_session

GPU_GROUPS = ("render", "video")
_CAP_DAC_OVERRIDE = 1


def probe_user(host: Host) -> User:
    """Return the effective user; after `usermod` the two lists of groups differ until log-in."""
    identity = ask(host.identity)
    if isinstance(identity, Unknown):
        return User(uid=identity, name=identity, groups=identity, database_groups=identity)
    name = ask(host.user_name, identity.uid)
    gids = tuple(dict.fromkeys((identity.gid, *identity.groups)))
    capabilities = ask(host.capabilities)
    return User(
        uid=identity.uid,
        name=name,
        groups=named_groups(host, gids),
        database_groups=_database_groups(host, name, identity.gid),
        overrides_permissions=capabilities
        if isinstance(capabilities, Unknown)
        else bool(capabilities >> _CAP_DAC_OVERRIDE & 1),
        session=probe_session(host, identity.uid, name),
    )


def probe_sudo_caller(host: Host) -> tuple[Perspective, ...]:
    """Return, for root by sudo, the user behind it with the groups of the database; no name."""
    uid = host.environment().get("SUDO_UID", "")
    identity = ask(host.identity)
    if isinstance(identity, Unknown) or identity.uid != 0 or not uid.isdecimal() or uid == "0":
        return ()
    groups = _database_groups(host, ask(host.user_name, int(uid)), int(uid))
    if not isinstance(groups, Unknown):
        # A person's own group has the person's name.
        groups = tuple(
            replace(group, name=None) if is_person(group.gid) else group for group in groups
        )
    user = User(uid=int(uid), groups=groups, database_groups=groups)
    return (Perspective(who=SUDO_CALLER, facts=Snapshot(user=user)),)


def probe_gpu_groups(host: Host) -> tuple[Group, ...] | Unknown:
    """Return the groups that udev rules give GPU nodes to, with their numbers here."""
    found = []
    for name in GPU_GROUPS:
        gid = ask(host.group_id, name)
        if isinstance(gid, Unknown):
            return gid
        if gid is not None:
            found.append(Group(gid=gid, name=name))
    return tuple(found)


def named_groups(host: Host, gids: tuple[int, ...]) -> tuple[Group, ...]:
    """Return the groups with their names, where they have any."""
    return tuple(Group(gid=gid, name=ask(host.group_name, gid)) for gid in gids)


def _database_groups(
    host: Host, name: str | Unknown | None, gid: int
) -> tuple[Group, ...] | Unknown:
    if isinstance(name, Unknown):
        return name
    if name is None:
        return Unknown("the user id has no name, so the group database cannot be asked")
    account = ask(host.account, name)
    # The account's own group, not that of this process: newgrp and sg change the latter.
    own = account.gid if isinstance(account, Account) else gid
    gids = ask(host.database_groups, name, own)
    return gids if isinstance(gids, Unknown) else named_groups(host, gids)
