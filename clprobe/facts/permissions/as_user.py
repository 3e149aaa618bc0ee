# SPDX-License-Identifier: MIT
"""Turns a snapshot into what it would be for another user, as far as permissions decide that."""

import difflib

from msgspec.structs import asdict, replace

from clprobe.facts.permissions.nodes import judge_node
from clprobe.facts.permissions.prediction import predicted_read_error
from clprobe.model.errors import ClprobeError
from clprobe.model.hardware import DeviceNode
from clprobe.model.opencl import Answer, Icd
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, Limits, ServiceUnit, User
from clprobe.model.unknown import NOT_STATED, NOT_TRIED, Unknown, listed

_DENIED = ("EACCES", "EPERM")
_NO_ID = Unknown("the snapshot does not state it")


def as_user(snapshot: Snapshot, user: User, unit: ServiceUnit) -> Snapshot:
    """Return the snapshot as this user would take it; nobody becomes that user.

    Nodes and files count as not tried, so that errnos are predicted. What drivers answered stays
    where permissions are the same; where they differ it is unknown, but for drivers that showed
    nothing but CPUs. What belongs to the process that asked (variables, limits) is left out.
    """
    virtualization = replace(snapshot.system.virtualization, service=unit.name)
    system = replace(
        snapshot.system, service_unit=unit, virtualization=virtualization, limits=Limits()
    )
    seen = replace(snapshot, user=user, system=system, environment={}, perspectives=())
    if not isinstance(snapshot.device_nodes, Unknown):
        nodes = tuple(_untried(node) for node in snapshot.device_nodes)
        seen = replace(seen, device_nodes=nodes)
    if not isinstance(snapshot.icds, Unknown):
        seen = replace(seen, icds=tuple(_untried_icd(icd) for icd in snapshot.icds))
    if _permissions_agree(snapshot, seen):
        return seen
    views = snapshot.views if snapshot.views == () else NOT_TRIED
    if not isinstance(seen.icds, Unknown):
        icds = tuple(replace(icd, answer=_predictable(icd.answer)) for icd in seen.icds)
        seen = replace(seen, icds=icds)
    return replace(seen, views=views)


def spoken_name(user: User, unit: ServiceUnit) -> str:
    """Return how texts name whoever is asked about."""
    if isinstance(unit.name, str):
        return unit.name
    return user.name if isinstance(user.name, str) else f"user {user.uid}"


def _untried(node: DeviceNode) -> DeviceNode:
    passed = not isinstance(node.open_error, Unknown) and node.open_error not in _DENIED
    device_error = node.open_error if passed else node.device_error
    return replace(node, open_error=NOT_TRIED, device_error=device_error)


def _untried_icd(icd: Icd) -> Icd:
    """Return the ICD with nothing tried; an error that is none of permission stays."""
    file_error = NOT_TRIED if icd.open_error in (None, *_DENIED) else icd.open_error
    error = icd.library.open_error
    library = replace(icd.library, open_error=NOT_TRIED if error in (None, *_DENIED) else error)
    if library.format == "unreadable":
        library = replace(library, format=NOT_TRIED)
    return replace(icd, open_error=file_error, library=library)


def _permissions_agree(now: Snapshot, then: Snapshot) -> bool:
    """Whether every node and every driver file is as open to the one as to the other."""
    if isinstance(now.device_nodes, Unknown) or isinstance(then.device_nodes, Unknown):
        return False
    pairs = zip(now.device_nodes, then.device_nodes, strict=True)
    nodes_agree = all(_may_open(one, now) == _may_open(two, then) for one, two in pairs)
    return nodes_agree and all(_reads(icd, then) for icd in listed(then.icds))


def _may_open(node: DeviceNode, snapshot: Snapshot) -> object:
    judged = judge_node(node, snapshot.user, snapshot.system, NOT_STATED)
    # Two unknowns agree in nothing.
    return object() if isinstance(judged.may_open, Unknown) else judged.may_open


def _reads(icd: Icd, snapshot: Snapshot) -> bool:
    accesses = (icd.file_access, icd.library.access)
    stated = [access for access in accesses if not isinstance(access.mode, Unknown)]
    errors = (predicted_read_error(one, snapshot.user, snapshot.system) for one in stated)
    return all(error is None for error in errors)


def _predictable(answer: Answer) -> Answer:
    types = {device.type for _, device in answer.shown()}
    return answer if types == {"cpu"} else Answer(**dict.fromkeys(asdict(answer), NOT_TRIED))


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
    unstated = asdict(Snapshot())
    stated = {
        name: value
        for name, value in asdict(own).items()
        if name not in ("user", "schema", "perspectives") and value != unstated[name]
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
