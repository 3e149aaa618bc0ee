# SPDX-License-Identifier: MIT
"""Finds people and hosts where texts and facts name them, without asking any host."""

from collections.abc import Iterator
from typing import Any

from clprobe.knowledge.printed import Forms
from clprobe.model.placeholders import is_person
from clprobe.scrub.known import Known, Person
from clprobe.scrub.replacing import has_stand_in

_FORMS = Forms("private_names")


def known_in_text(text: str) -> Known:
    """Return the people and hosts that a text gives away: prompts, `id`, home folders, logs."""
    hosts = [match["host"] for match in _FORMS.syslog.finditer(text)]
    hosts += [match["host"] for match in _FORMS.uname.finditer(_lines_with("Linux ", text=text))]
    people = [
        Person(name=match["name"], uid=int(match["id"]))
        for match in _FORMS.identity.finditer(_lines_with("uid=", text=text))
        if is_person(int(match["id"]))
    ]
    for match in _FORMS.at.finditer(_lines_with("@", text=text)):
        if not _FORMS.no_host.fullmatch(match["host"]) and not has_stand_in(match[0]):
            hosts.append(match["host"])
            if match["name"] not in _FORMS.words["system_accounts"]:
                people.append(Person(name=match["name"]))
    nobody = _FORMS.words["home_of_nobody"] | _FORMS.words["system_accounts"]
    for match in _FORMS.home.finditer(_lines_with("/home", "Users", text=text)):
        name = match["name"]
        is_pattern = name.startswith(("$", "~", "*", "%", ".", "{"))
        if not (is_pattern or name in nobody or has_stand_in(name)):
            # Build servers leave /home/build in libraries: such a name tells nobody elsewhere.
            people.append(Person(name=name, spoken=False))
    return Known(people=tuple(people), host_names=tuple(dict.fromkeys(hosts)))


def _lines_with(*marks: str, text: str) -> str:
    """Return the lines that hold one of the marks: no other holds a form that has to have it."""
    if not any(mark in text for mark in marks):
        return ""
    return "\n".join(line for line in text.split("\n") if any(mark in line for mark in marks))


def people_in(document: dict[str, Any]) -> list[Person]:
    """Return the people whom facts name: users, owners, access lists, groups of one's own."""
    people: list[Person] = []
    system = {*_FORMS.words["system_accounts"]}
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
        and name not in _FORMS.words["shared_groups"]
    ]


def _named_in_list(entries: object) -> Iterator[str]:
    for entry in entries if isinstance(entries, list | tuple) else ():
        kind, _, rest = str(entry).partition(":")
        name = rest.partition(":")[0]
        if kind == "user" and name and not name.isdecimal():
            yield name
