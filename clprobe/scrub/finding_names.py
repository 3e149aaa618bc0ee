# SPDX-License-Identifier: MIT
"""Finds people and hosts where texts and facts name them, without asking any host."""

import re
from collections.abc import Iterator
from typing import Any

from clprobe.model.placeholders import is_person
from clprobe.scrub.common_words import SHARED_GROUPS, SYSTEM_ACCOUNTS
from clprobe.scrub.known import Known, Person
from clprobe.scrub.replacing import has_stand_in

_PROMPT_NAME = r"[A-Za-z_][\w.-]{0,31}\$?"
_HOST_NAME = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]+)*"
AT = re.compile(rf"(?<![\w.@%+/=-])(?P<name>{_PROMPT_NAME})@(?P<host>{_HOST_NAME})(?![\w@])")
NO_HOST = re.compile(
    r"(?i)(?=\d)(?![0-9a-f]{12}$).*|plt|entry|base|tty\d*|[0-9a-f]{4,11}|github|gitlab|"
    r"(?:.*\.)?(?:service|socket|slice|scope|mount|target|timer|path|so)"
)
_IDENTITY = re.compile(r"\be?uid=(?P<id>\d+)\((?P<name>[^()\s]{1,32})\)")
HOME = re.compile(
    r"(?P<folder>/home|\b[A-Za-z]:\\+Users|/mnt/[a-z]/Users|(?<![\w.])/Users)"
    r"(?P<slash>[/\\]+)(?P<name>[^/\\\s:'\",;()<>=]+)"
)
_SYSLOG = re.compile(
    r"(?m)^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) "
    rf"(?P<host>{_HOST_NAME}) (?=[\w.()/-]+(?:\[\d+\])?: )"
)
_UNAME = re.compile(rf"(?m)(?:^|[$#] ?|\b)Linux (?P<host>{_HOST_NAME}) \d+\.\d+\S* #")
_HOME_OF_NOBODY = frozenset({"linuxbrew", "conda", "runner", ".snapshots", "lost+found", "USER"})


def known_in_text(text: str) -> Known:
    """Return the people and hosts that a text gives away: prompts, `id`, home folders, logs."""
    hosts = [match["host"] for pattern in (_SYSLOG, _UNAME) for match in pattern.finditer(text)]
    people = [
        Person(name=match["name"], uid=int(match["id"]))
        for match in _IDENTITY.finditer(text)
        if is_person(int(match["id"]))
    ]
    for match in AT.finditer(text):
        if not NO_HOST.fullmatch(match["host"]) and not has_stand_in(match[0]):
            hosts.append(match["host"])
            if match["name"] not in SYSTEM_ACCOUNTS:
                people.append(Person(name=match["name"]))
    for match in HOME.finditer(text):
        name = match["name"]
        is_pattern = name.startswith(("$", "~", "*", "%", ".", "{"))
        is_nobody = name in _HOME_OF_NOBODY or name in SYSTEM_ACCOUNTS
        if not (is_pattern or is_nobody or has_stand_in(name)):
            # Build servers leave /home/build in libraries: such a name tells nobody elsewhere.
            people.append(Person(name=name, spoken=False))
    return Known(people=tuple(people), host_names=tuple(dict.fromkeys(hosts)))


def people_in(document: dict[str, Any]) -> list[Person]:
    """Return the people whom facts name: users, owners, access lists, groups of one's own."""
    people: list[Person] = []
    system = {*SYSTEM_ACCOUNTS}
    node_groups = set()
    for key, facts in _mappings(document, ""):
        if key == "user":
            people += _account(facts.get("name"), facts.get("uid"), system)
            people += _private_groups(facts)
        people += _account(facts.get("owner"), facts.get("uid"), system)
        people += [Person(name=name) for name in _named_in_list(facts.get("acl"))]
        # As an unknown it is a mapping.
        node_groups.add(str(facts.get("group")))
    return [
        person
        for person in people
        if person.name not in system and not (person.uid is None and person.name in node_groups)
    ]


def _mappings(value: Any, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from _mappings(part, key)
    elif isinstance(value, dict):
        yield key, value
        for name, part in value.items():
            yield from _mappings(part, name)


def _account(name: object, uid: object, system: set[str]) -> list[Person]:
    """Return the person of that name; a service's name goes to `system`."""
    if not isinstance(name, str) or not name:
        return []
    if isinstance(uid, int) and not is_person(uid):
        system.add(name)
        return []
    return [Person(name=name, uid=uid if isinstance(uid, int) else None)]


def _private_groups(user: dict[str, Any]) -> list[Person]:
    """Return the groups that look like somebody's own: a person's number, an unusual name."""
    listed = [user.get(key) for key in ("groups", "database_groups")]
    groups = [group for part in listed if isinstance(part, list | tuple) for group in part]
    return [
        Person(name=name)
        for group in groups
        if is_person(group.get("gid"))
        and isinstance(name := group.get("name"), str)
        and name not in SHARED_GROUPS
    ]


def _named_in_list(entries: object) -> Iterator[str]:
    for entry in entries if isinstance(entries, list | tuple) else ():
        kind, _, rest = str(entry).partition(":")
        name = rest.partition(":")[0]
        if kind == "user" and name and not name.isdecimal():
            yield name
