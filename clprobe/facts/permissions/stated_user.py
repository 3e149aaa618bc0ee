# SPDX-License-Identifier: MIT
"""Finds the user of `--as` in a snapshot that somebody else took."""

import difflib

from msgspec.structs import fields, replace

from clprobe.facts.permissions.as_user import as_user
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, ServiceUnit, User
from clprobe.model.unknown import Unknown

_NO_ID = Unknown("the snapshot does not state it")


def as_stated_user(snapshot: Snapshot, text: str) -> Snapshot:
    """Return the snapshot as the user `text` would take it, from what it says of that user.

    It may be the snapshot's own user or service, one whose perspective it holds, root, or bare
    numbers with groups (1000:1000,109).

    Raises: ClprobeError if the snapshot does not say which groups the user has.
    """
    for perspective in snapshot.perspectives:
        if text in _names(perspective.facts.user) or perspective.who == text:
            return _overlaid(snapshot, perspective.facts, text)
    if text in (*_names(snapshot.user), snapshot.system.service_unit.name):
        return snapshot
    return as_user(snapshot, _given(text, snapshot), ServiceUnit(name=None))


def _names(user: User) -> set[str]:
    named = {user.name} if isinstance(user.name, str) else set()
    return named if isinstance(user.uid, Unknown) else {*named, str(user.uid)}


def _overlaid(snapshot: Snapshot, own: Snapshot, text: str) -> Snapshot:
    """Return the snapshot with the perspective's facts where it states any."""
    user = own.user if own.user != User() else User(name=text, uid=0 if text == "root" else _NO_ID)
    seen = as_user(snapshot, user, ServiceUnit(name=None))
    default = Snapshot()
    stated = {
        field.name: getattr(own, field.name)
        for field in fields(Snapshot)
        if field.name not in ("user", "schema", "perspectives")
        and getattr(own, field.name) != getattr(default, field.name)
    }
    return replace(seen, user=replace(user, is_asker=False), **stated)


def _given(text: str, snapshot: Snapshot) -> User:
    if text in {"root", "0"}:
        return User(uid=0, name="root", groups=(Group(gid=0, name="root"),), is_asker=False)
    uid, colon, groups = text.partition(":")
    numbers = groups.split(",")
    if not (colon and uid.isdecimal() and all(number.strip().isdecimal() for number in numbers)):
        raise _not_stated(text, snapshot)
    listed = tuple(Group(gid=int(number)) for number in numbers)
    return User(uid=int(uid), name=None, groups=listed, database_groups=listed, is_asker=False)


def _not_stated(text: str, snapshot: Snapshot) -> ClprobeError:
    users = [snapshot.user, *(perspective.facts.user for perspective in snapshot.perspectives)]
    known = {name for user in users for name in _names(user)}
    known |= {one.who for one in snapshot.perspectives if isinstance(one.who, str)}
    close = difflib.get_close_matches(text, known, n=3)
    listed = f" It speaks of {', '.join(map(repr, sorted(known)))}." if known else ""
    return ClprobeError(
        reference="user-not-in-snapshot",
        message=f"The snapshot does not say which groups {text!r} has.{listed}",
        hint=f"Did you mean {' or '.join(map(repr, close))}?"
        if close
        else "Give UID:GID,GID… instead.",
    )
