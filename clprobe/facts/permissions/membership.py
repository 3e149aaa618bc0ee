# SPDX-License-Identifier: MIT
"""Compares users and groups with owners of files, by number where it is known, else by name."""

from clprobe.model.system import Group, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

OVERFLOW_ID = 65534
"""The id that a user namespace shows for every id that it does not map (user_namespaces(7))."""

_USUAL_NUMBERS = {"root": 0, "nobody": OVERFLOW_ID, "nogroup": OVERFLOW_ID}


def is_root(user: User) -> Fact[bool]:
    """Return whether the user is root; a list of groups without group 0 says that it is not."""
    if not isinstance(user.uid, Unknown):
        return user.uid == 0
    if isinstance(user.name, str):
        return user.name == "root"
    if isinstance(user.groups, Unknown) or user.uid != NOT_STATED:
        return user.uid
    return user.uid if is_member(user.groups, 0, "root") is not False else False


def groups_of(user: User) -> Fact[tuple[Group, ...]]:
    """Return the user's groups; root's are root's alone where nobody stated them."""
    if user.groups == NOT_STATED and is_root(user) is True:
        return (Group(gid=0, name="root"),)
    return user.groups


def is_same_user(
    uid: Fact[int], name: Fact[str | None], user: User, *, mapped: bool = False
) -> Fact[bool]:
    """Return whether a file's owner is this user; an owner that nobody stated is root.

    `mapped` says that a user namespace maps ids: then two unmapped ids look alike.
    """
    owner = number_of(uid, name)
    if owner is None and uid == NOT_STATED and not isinstance(name, str):
        owner = 0
    own = number_of(user.uid, user.name)
    if owner == 0:
        return is_root(user)
    if owner is not None and own is not None:
        unsure = mapped and owner == own == OVERFLOW_ID
        return Unknown("a user namespace hides the owner") if unsure else owner == own
    if isinstance(name, str) and isinstance(user.name, str):
        return name == user.name
    return Unknown("the owner and the user cannot be compared")


def is_member(
    groups: Fact[tuple[Group, ...]],
    gid: Fact[int],
    name: Fact[str | None],
    *,
    mapped: bool = False,
) -> Fact[bool]:
    """Return whether one of the groups is the one with this number, or else with this name."""
    if isinstance(groups, Unknown):
        return groups
    if isinstance(gid, Unknown) and not isinstance(name, str):
        return gid
    answers = [_is_same_group(group, gid, name) for group in groups]
    if True in answers:
        hidden = mapped and gid == OVERFLOW_ID
        return Unknown("a user namespace hides which groups these are") if hidden else True
    return next((answer for answer in answers if isinstance(answer, Unknown)), False)


def _is_same_group(group: Group, gid: Fact[int], name: Fact[str | None]) -> Fact[bool]:
    own, other = number_of(group.gid, group.name), number_of(gid, name)
    if own is not None and other is not None:
        return own == other
    if not isinstance(group.name, Unknown) and not isinstance(name, Unknown):
        # A group that has a name is none that has no name, and the nameless ones go by number.
        names_tell = group.name is not None or name is not None
        return group.name == name if names_tell else Unknown("neither group has a name here")
    return Unknown("a group is known by its name here and by its number there")


def number_of(number: Fact[int], name: Fact[str | None]) -> int | None:
    """Return the number; root's, nobody's and that of digits for a name are known anyway."""
    if not isinstance(number, Unknown):
        return number
    if isinstance(name, str):
        return int(name) if name.isdecimal() else _USUAL_NUMBERS.get(name)
    return None
