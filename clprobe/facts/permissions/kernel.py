# SPDX-License-Identifier: MIT
"""The permission check of Linux on one file, entry by entry, in three-valued logic.

Users and groups are compared by number where it is known, else by name.

Source: fs/namei.c (acl_permission_check, generic_permission) and fs/posix_acl.c of Linux, as
acl(5), path_resolution(7), capabilities(7) and user_namespaces(7) describe them.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from clprobe.model.access import FileAccess, Folder
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import Group, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

READ, WRITE, SEARCH = 4, 2, 1
_BITS = {"r": READ, "w": WRITE, "x": SEARCH}
Owned: TypeAlias = DeviceNode | FileAccess | Folder
"""What has an owner, a group, a mode and an access list."""
OVERFLOW_ID = 65534
"""The id that a user namespace shows for every id that it does not map (user_namespaces(7))."""

_USUAL_NUMBERS = {"root": 0, "nobody": OVERFLOW_ID, "nogroup": OVERFLOW_ID}


class Entry(NamedTuple):
    """The one entry that decides: owner, named-user, group, named-group or other; its rights."""

    kind: str
    rights: int

    def grants(self, wanted: int) -> bool:
        """Tell whether the entry holds all wanted rights."""
        return self.rights & wanted == wanted


def admits(file: Owned, wanted: int, user: User, *, mapped: bool = False) -> Fact[bool]:
    """Return whether permissions grant `wanted` to the user; `mapped`: in a user namespace.

    **Source**: generic_permission() asks the entries, then CAP_DAC_OVERRIDE.
    """
    override = overrides(file, user, mapped=mapped)
    if override is True:
        return True
    if isinstance(file.mode, Unknown):
        return file.mode
    verdicts = {entry.grants(wanted) for entry in deciding(file, wanted, user, mapped=mapped)}
    if verdicts == {True}:
        return True
    if isinstance(override, Unknown):
        return override
    if verdicts == {False}:
        return False
    unknown = (fact for fact in (user.groups, user.uid, file.gid) if isinstance(fact, Unknown))
    return next(unknown, Unknown("more than one entry may decide"))


def overrides(file: Owned, user: User, *, mapped: bool = False) -> Fact[bool]:
    """Return whether CAP_DAC_OVERRIDE makes the entries void.

    In a user namespace it counts only for files whose owner and group are mapped there.
    """
    capable = user.overrides_permissions
    if isinstance(capable, Unknown):
        capable = is_root(user)
    if capable is not True or not mapped:
        return capable
    if has_hidden_ids(file):
        return False
    return next((fact for fact in (file.uid, file.gid) if isinstance(fact, Unknown)), True)


def has_hidden_ids(file: Owned) -> bool:
    """Tell whether owner or group is shown as the id that stands for all unmapped ones."""
    return OVERFLOW_ID in (number_of(file.uid, file.owner), number_of(file.gid, file.group))


def deciding(file: Owned, wanted: int, user: User, *, mapped: bool = False) -> Iterator[Entry]:
    """Yield every entry that may be the one that decides; one, if all facts are known.

    **Source**: acl_permission_check(): the owner's bits, the access list unless all group bits
    are clear, the group's or the others' bits. Nobody falls through to a later class.
    """
    if isinstance(file.mode, Unknown):
        return
    bits = int(file.mode, 8)
    is_owner = is_same_user(file.uid, file.owner, user, mapped=mapped)
    if is_owner is not False:
        yield Entry("owner", bits >> 6 & 7)
    if is_owner is True:
        return
    # Whoever states a mode has seen `ls -l`, which marks access lists: unstated means none. A list
    # that is marked and not shown may name anybody, with the group bits as its mask.
    if isinstance(file.acl, Unknown) and file.acl != NOT_STATED and bits & 0o070:
        yield Entry("named-user", bits >> 3 & 7)
    entries = listed(file.acl)
    if entries and bits & 0o070:
        yield from _listed(file, entries, wanted, user, mapped=mapped)
        return
    belongs = is_member(groups_of(user), file.gid, file.group, mapped=mapped)
    if belongs is not False:
        yield Entry("group", bits >> 3 & 7)
    if belongs is not True:
        yield Entry("other", bits & 7)


def _listed(
    file: Owned, entries: tuple[str, ...], wanted: int, user: User, *, mapped: bool
) -> Iterator[Entry]:
    """Yield what posix_acl_permission() may pick for somebody who is not the owner."""
    parsed = [_parsed(entry) for entry in entries]
    bits = int(str(file.mode), 8)
    # With an access list, the group bits of the mode are its mask.
    mask = next((rights for kind, _, rights in parsed if kind == "mask"), bits >> 3 & 7)
    for kind, name, rights in parsed:
        if kind == "user" and name:
            same = is_same_user(Unknown("given by name"), name, user, mapped=mapped)
            if same is not False:
                yield Entry("named-user", rights & mask)
            if same is True:
                return
    yield from _grouped(file, parsed, mask, wanted, user, mapped=mapped)


def _grouped(  # noqa: PLR0913 - one step of _listed
    file: Owned,
    parsed: list[tuple[str, str, int]],
    mask: int,
    wanted: int,
    user: User,
    *,
    mapped: bool,
) -> Iterator[Entry]:
    """Yield the first group entry with all wanted rights; any other match denies."""
    certain: list[Entry] = []
    possible: list[Entry] = []
    may_be_other = True
    for kind, name, rights in _group_entries(parsed):
        gid = file.gid if not name else Unknown("given by name")
        belongs = is_member(groups_of(user), gid, name or file.group, mapped=mapped)
        label = "named-group" if name else "group"
        if belongs is True and kind == "group":
            certain.append(Entry(label, rights))
        elif belongs is not False:
            possible += [Entry(label, rights)] + [Entry(label, 0)] * (kind == "unstated")
            may_be_other = may_be_other and belongs is not True
    granting = [entry for entry in certain if entry.grants(wanted)]
    chosen = granting[:1] or [*certain[:1], *possible]
    yield from (Entry(kind, rights & mask) for kind, rights in chosen)
    if may_be_other and not certain:
        yield Entry("other", int(str(file.mode), 8) & 7)


def _group_entries(parsed: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    groups = [entry for entry in parsed if entry[0] == "group"]
    if any(not name for _, name, _ in groups):
        return groups
    return [("unstated", "", READ | WRITE | SEARCH), *groups]


def _parsed(entry: str) -> tuple[str, str, int]:
    """Return kind, name and rights of `user:alice:rw-`, as getfacl writes it."""
    kind, _, rest = entry.partition(":")
    name, _, rights = rest.partition(":")
    return kind, name, sum(_BITS.get(letter, 0) for letter in set(rights[:3]))


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
