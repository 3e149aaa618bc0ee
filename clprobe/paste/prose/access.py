# SPDX-License-Identifier: MIT
"""Who the user is, which nodes and .icd files there are, what variables are set: from sentences."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.opencl import Icd
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, User
from clprobe.model.unknown import NOT_STATED, SET
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.prose.outcome import is_good
from clprobe.paste.reading import Reading

_FORMS = Forms("told_access")
_RENDER_NODE = "/dev/dri/renderD128"
_VENDORS = "/etc/OpenCL/vendors"
_USUAL_UID = 1000
_GPU_GROUPS = ("video", "render")


def read_access(clauses: list[Clause]) -> Iterator[Reading]:
    """Give users, groups, nodes, .icd files and variables, clause by clause."""
    for clause in clauses:
        if clause.foreign or clause.doubtful:
            continue
        yield from _users(clause)
        yield from _nodes(clause)
        yield from _icds(clause)
        if _FORMS.no_loader.search(clause.text) and not clause.trial:
            yield _reading(clause, Snapshot(loaders=()), "loaders")
        if not clause.trial:
            yield from _variables(clause)


def _reading(clause: Clause, facts: Snapshot, *whole: str, private: bool = False) -> Reading:
    who = clause.context.who if private else ""
    context = msgspec.structs.replace(clause.context, who=who)
    return Reading(lines=clause.lines, facts=facts, context=context, whole=whole, private=private)


def _users(clause: Clause) -> Iterator[Reading]:
    if _FORMS.root_account.search(clause.text) and not clause.negated:
        context = msgspec.structs.replace(clause.context, who="root")
        facts = Snapshot(user=User(uid=0))
        yield Reading(lines=clause.lines, facts=facts, private=True, context=context)
    elif _FORMS.user_account.search(clause.text) and not clause.context.when:
        context = msgspec.structs.replace(clause.context, who="user")
        facts = Snapshot(user=User(uid=_USUAL_UID))
        yield Reading(lines=clause.lines, facts=facts, private=True, context=context)
    found = _FORMS.member.search(clause.text)
    if found is None or clause.negated or clause.trial:
        return
    names = [name for name in re.findall(r"[a-z]+", found["groups"].lower()) if name in _KNOWN]
    # Whoever names one group of two may be in the other, too, unless that is denied.
    is_all = set(_GPU_GROUPS) <= set(names) or _FORMS.only_groups.search(clause.sentence)
    if is_all and set(names) & set(_GPU_GROUPS):
        groups = tuple(Group(name=name) for name in dict.fromkeys(names))
        context = msgspec.structs.replace(clause.context, who="user")
        facts = Snapshot(user=User(groups=groups))
        yield Reading(lines=clause.lines, facts=facts, private=True, context=context)


_KNOWN = ("video", "render", "plugdev", "kvm", "docker", "users", "sudo", "wheel")


def _nodes(clause: Clause) -> Iterator[Reading]:
    missing = _FORMS.node_missing.search(clause.text)
    if missing is not None:
        path = missing["before"] or missing["after"]
        if path != "/dev/kfd" and not is_good(clause):
            yield _reading(clause, Snapshot(device_nodes=()), "device_nodes")
        return
    grouped = _FORMS.node_group.search(clause.text)
    if grouped is not None and not clause.negated:
        group = grouped["group"].rpartition(":")[2].lower()
        yield from _node(clause, grouped["node"], group)
        return
    found = _FORMS.node_exists.search(clause.text) or _FORMS.passed.search(clause.sentence)
    if found is not None and not clause.negated and not clause.trial:
        yield from _node(clause, found["node"] or "/dev/dri", None)


def _node(clause: Clause, named: str, group: str | None) -> Iterator[Reading]:
    """Give the node; that there is something in /dev/dri is taken for the first render node."""
    bare = named.lower().removeprefix("the ")
    path = (
        _RENDER_NODE
        if bare in ("/dev/dri", "render node")
        else named
        if named.startswith("/")
        else f"/dev/{'' if bare == 'kfd' else 'dri/'}{named}"
    )
    kind = node_kind(path)
    if kind is None:
        return
    passed = _FORMS.passed.search(clause.sentence) is not None
    where = "container" if passed else clause.context.where
    node = DeviceNode(path=path, kind=kind, group=group or NOT_STATED)
    context = msgspec.structs.replace(clause.context, who="", where=where)
    facts = Snapshot(device_nodes=(node,))
    yield Reading(lines=clause.lines, facts=facts, context=context)


def _icds(clause: Clause) -> Iterator[Reading]:
    if _FORMS.icds_empty.search(clause.text):
        # "It was empty, so I put a link there" tells how it was before.
        after = clause.sentence.partition(clause.text)[2]
        context = clause.context
        if _FORMS.was_filled.match(after):
            context = msgspec.structs.replace(context, when="before")
        facts = Snapshot(icds=())
        yield _reading(msgspec.structs.replace(clause, context=context), facts, "icds")
        return
    if _FORMS.icd_not_there.search(clause.text) or clause.trial:
        return
    icds = [
        Icd(path=found["name"] if "vendors" not in (found["path"] or "vendors") else _path(found))
        for found in _FORMS.icd_named.finditer(clause.text)
    ]
    if icds:
        whole = ("icds",) if _FORMS.whole_folder.search(clause.text) else ()
        yield _reading(clause, Snapshot(icds=tuple(icds[:10])), *whole)


def _path(found: re.Match[str]) -> str:
    return f"{found['path'] or _VENDORS + '/'}{found['name']}"


def _variables(clause: Clause) -> Iterator[Reading]:
    for found in _FORMS.variable.finditer(clause.text):
        name, value = found["name"], found["value"]
        if _FORMS.no_variable.search(name):
            continue
        behind = _FORMS.is_to.search(clause.text[found.end() :])
        is_set = _FORMS.is_set.search(clause.sentence) is not None
        if clause.negated or is_good(clause) or not (value or is_set):
            continue
        named = (value or (behind["value"] if behind else "")).rstrip(".,;:")
        told = named or SET
        yield _reading(clause, Snapshot(environment={name: told}), private=True)
