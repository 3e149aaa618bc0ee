# SPDX-License-Identifier: MIT
"""Who runs this, and in which groups: as the process has them and as the database has them."""

from clprobe.model.system import Group, User
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask
from clprobe.probe.host import Host


def probe_user(host: Host) -> User:
    """Return the effective user; after `usermod` the two lists of groups differ until log-in."""
    identity = ask(host.identity)
    if isinstance(identity, Unknown):
        return User(uid=identity, name=identity, groups=identity, database_groups=identity)
    name = ask(host.user_name, identity.uid)
    gids = tuple(dict.fromkeys((identity.gid, *identity.groups)))
    return User(
        uid=identity.uid,
        name=name,
        groups=_named(host, gids),
        database_groups=_database_groups(host, name, identity.gid),
    )


def _database_groups(
    host: Host, name: str | Unknown | None, gid: int
) -> tuple[Group, ...] | Unknown:
    if isinstance(name, Unknown):
        return name
    if name is None:
        return Unknown("the user id has no name, so the group database cannot be asked")
    gids = ask(host.database_groups, name, gid)
    return gids if isinstance(gids, Unknown) else _named(host, gids)


def _named(host: Host, gids: tuple[int, ...]) -> tuple[Group, ...]:
    return tuple(Group(gid=gid, name=ask(host.group_name, gid)) for gid in gids)
