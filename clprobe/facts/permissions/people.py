# SPDX-License-Identifier: MIT
"""Judges users: who asks, how texts and commands name them, and what others would meet."""

from msgspec.structs import asdict, replace

from clprobe.facts.facts import UserFacts
from clprobe.facts.permissions.kernel import is_root
from clprobe.facts.permissions.nodes import judge_node
from clprobe.facts.permissions.prediction import predicted_errno
from clprobe.model.hardware import DeviceNode
from clprobe.model.placeholders import USER, is_person
from clprobe.model.snapshot import Perspective, Snapshot
from clprobe.model.system import System, User
from clprobe.model.unknown import NOT_STATED, Unknown, listed

_WAYS_TO_A_GPU = ("render", "kfd", "nvidia", "dxg")
_MENDED_BY_GROUP = ("not-in-group", "old-session")
_GROUPS_OF_NODES = ("render", "video")


def judge_user(user: User, system: System) -> UserFacts:
    """Return the user with the names that texts and commands use."""
    is_other = user.is_asker is False
    return UserFacts(
        **asdict(user),
        is_root=is_root(user),
        label=_label(user, is_other=is_other),
        subject=_subject(user, system) if is_other else "You",
    )


def is_outside_gpu_groups(user: User) -> bool:
    """Whether the user's groups are known by name, and nodes of GPUs belong to none of them."""
    if isinstance(user.groups, Unknown) or is_root(user) is True:
        return False
    names = [group.name for group in user.groups]
    return all(isinstance(name, str) and name not in _GROUPS_OF_NODES for name in names)


def is_in_gpu_groups(user: User) -> bool:
    """Whether the user is root, or in each of the groups that nodes of GPUs belong to."""
    names = {group.name for group in listed(user.groups)}
    return is_root(user) is True or {*_GROUPS_OF_NODES} <= names


def _subject(user: User, system: System) -> str:
    if isinstance(system.service_unit.name, str):
        return system.service_unit.name
    return f"User {user.name if isinstance(user.name, str) else user.uid}"


def _label(user: User, *, is_other: bool) -> str:
    """Return how remedies name the user: a person never by name, so that a replay says the same.

    Whoever is asked about by name is named.
    """
    is_service = isinstance(user.uid, int) and not is_person(user.uid)
    return user.name if (is_service or is_other) and isinstance(user.name, str) else USER


def closed_nodes(perspective: Perspective, snapshot: Snapshot) -> tuple[DeviceNode, ...]:
    """Return the nodes here that the perspective's user may not open, as far as can be told."""
    user = perspective.facts.user
    if not isinstance(perspective.where, Unknown) or isinstance(user.groups, Unknown):
        return ()  # it is about another place, or says nothing of who the user is
    return tuple(
        node
        for node in listed(snapshot.device_nodes)
        if node.kind in _WAYS_TO_A_GPU
        and predicted_errno(node, user, snapshot.system) in ("EACCES", "EPERM")
    )


def needed_groups(nodes: tuple[DeviceNode, ...], user: User, system: System) -> str:
    """Return the groups that would open the nodes to the user, with commas between."""
    untried = [replace(node, open_error=NOT_STATED) for node in nodes]
    judged = [judge_node(node, user, system, NOT_STATED) for node in untried]
    helped = [node for node in judged if node.denied_because in _MENDED_BY_GROUP]
    labels = [node.group_label for node in helped if isinstance(node.group_label, str)]
    return ",".join(dict.fromkeys(labels))
