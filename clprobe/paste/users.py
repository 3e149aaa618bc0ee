# SPDX-License-Identifier: MIT
"""Reads who the user is: id, groups, whoami, getent group."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, System, User
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Paste, Reading

_MOST_GROUPS = 300
_FORMS = Forms("users")
_GROUPS = re.compile(r"groups\b|id -[nGr]*G")


def read_ids(paste: Paste) -> Iterator[Reading]:
    """Give what `id` printed: with a name as argument it tells the database, not the process."""
    for index, line in paste.free():
        found = _FORMS.id.search(line) if "uid=" in line else None
        if found is None:
            continue
        uid = int(found["uid"])
        listed = found["groups"] or f"{found['gid']}({found['group']})"
        groups = tuple(
            Group(gid=int(gid), name=name or None if "(" in listed else NOT_STATED)
            for gid, name in _FORMS.group.findall(listed)[:_MOST_GROUPS]
        )
        words = paste.contexts[index].command.split()
        of_database = words[:1] == ["id"] and any(not word.startswith("-") for word in words[1:])
        user = _member(groups, of_database=of_database)
        user = msgspec.structs.replace(user, uid=uid, name=found["user"] or NOT_STATED)
        around = paste.contexts[index]
        # `id jellyfin` tells of the account in question, whoever asked.
        about = msgspec.structs.replace(around, who="user") if of_database else around
        facts = Snapshot(user=user)
        yield Reading(lines=(index,), facts=facts, private=True, context=about)


def read_groups(paste: Paste) -> Iterator[Reading]:
    """Give what `groups`, `id -nG` or `whoami` printed."""
    for index, line in paste.free():
        command = paste.contexts[index].command
        _, colon, names = line.partition(" : ")
        words = (names if colon else line).split()
        if command.split() == ["whoami"] and len(words) == 1:
            user = User(uid=0, name="root") if line == "root" else User(name=line)
            yield Reading(lines=(index,), facts=Snapshot(user=user), private=True)
            continue
        asked = bool(_GROUPS.match(command)) and index > 0
        familiar = sum(word in _FORMS.words["familiar"] for word in words)
        is_familiar = familiar >= 3 and familiar * 2 >= len(words)
        if not (asked or is_familiar):
            continue
        is_list = 0 < len(words) <= _MOST_GROUPS and all(
            re.fullmatch(r"[A-Za-z_0-9][\w.$-]{0,60}\\?[\w.-]{0,40}", word) for word in words
        )
        if not is_list:
            continue
        groups = tuple(
            Group(gid=int(word[:10])) if word.isdigit() else Group(name=word) for word in words
        )
        is_database = colon != "" or (len(command.split()) > 1 and not command.startswith("id -"))
        user = _member(groups, of_database=is_database)
        yield Reading(lines=(index,), facts=Snapshot(user=user), private=True)


def _member(groups: tuple[Group, ...], *, of_database: bool) -> User:
    return User(database_groups=groups) if of_database else User(groups=groups)


def read_group_entries(paste: Paste) -> Iterator[Reading]:
    """Give the lines of /etc/group: groups of a user of this paste, and numbers of GPU groups."""
    people = {
        found["user"]
        for line in paste.lines
        if "uid=" in line and (found := _FORMS.id.search(line.strip())) is not None
    }
    for index, line in paste.free():
        found = _FORMS.entry.match(line) if line.count(":") == 3 else None
        if found is None:
            continue
        members = found["members"].split(",")
        asked = _FORMS.group_command.match(paste.contexts[index].command)
        if asked is not None and found["name"] in _FORMS.words["of_gpus"]:
            group = Group(gid=int(found["gid"]), name=found["name"])
            yield Reading(lines=(index,), facts=Snapshot(system=System(gpu_groups=(group,))))
        if any(member in people for member in members):
            group = Group(gid=int(found["gid"]), name=found["name"])
            facts = Snapshot(user=User(database_groups=(group,)))
            yield Reading(lines=(index,), facts=facts, private=True)
        else:
            yield Reading(lines=(index,), facts=Snapshot())
