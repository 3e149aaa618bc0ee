# SPDX-License-Identifier: MIT
"""Reads device nodes: listings of /dev/dri and its like, getfacl, stat, and failed opens."""

import re
from collections.abc import Iterator
from itertools import chain

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown
from clprobe.paste.listings import Listed, errno_of, listed, path_in_error
from clprobe.paste.reading import Paste, Reading

_HIDDEN_ACL = Unknown(unknown="ls marks an access list and does not show it")
_FORMS = Forms("nodes")


def read_node_listings(paste: Paste) -> Iterator[Reading]:
    """Give the nodes of each `ls` of /dev/dri and its like; one listing is one reading."""
    for lines, listed_nodes in paste.runs(_from_ls, most_gap=4):
        nodes: dict[str, DeviceNode] = {}
        for node in chain.from_iterable(listed_nodes):
            known = nodes.get(node.path)
            nodes[node.path] = node if known is None else _completed(known, node)
        yield _listing(lines, nodes, paste)


def _listing(lines: list[int], nodes: dict[str, DeviceNode], paste: Paste) -> Reading:
    command = paste.contexts[lines[0]].command
    is_whole = "grep" not in command and any(
        node_kind(path) in ("render", "card") for path in nodes
    )
    is_whole = is_whole and bool(re.search(r"/dev/dri/?(?:\s|$|\*)", command + " ") or not command)
    # Owners may be outside the names that this place knows; a node alone is still no listing.
    is_whole = is_whole and (len(lines) > 1 or bool(command))
    facts = Snapshot(device_nodes=tuple(nodes.values())) if nodes else Snapshot()
    return Reading(lines=tuple(lines), facts=facts, whole=("device_nodes",) if is_whole else ())


def _completed(known: DeviceNode, more: DeviceNode) -> DeviceNode:
    stated = {
        name: getattr(more, name)
        for name in more.__struct_fields__
        if getattr(known, name) == NOT_STATED
    }
    return msgspec.structs.replace(known, **stated)


def _from_ls(line: str, command: str) -> list[DeviceNode] | None:
    """Return the nodes of a line of `ls`; None if it belongs to no listing of nodes."""
    is_listing = command.startswith(("ls", "ll", "tree", "find", "sudo ls")) and "/dev" in command
    entry = listed(line)
    if entry is not None:
        return _from_long(entry, command, is_listing=is_listing)
    if is_listing and _FORMS.list_head.fullmatch(line):
        return []
    words = line.split()
    if words and len(words) < 40 and all(_short(word) for word in words):
        is_sure = is_listing or any(word.startswith(("card", "renderD", "/dev/")) for word in words)
        paths = [_path(word) for word in words] if is_sure else []
        kinds = [(path, node_kind(path)) for path in paths]
        return (
            [DeviceNode(path=path, kind=kind) for path, kind in kinds if kind] if is_sure else None
        )
    return None


def _short(word: str) -> bool:
    return bool(_FORMS.bare_name.fullmatch(word.removeprefix("/dev/").removeprefix("dri/")))


def _path(name: str) -> str:
    if name.startswith("/"):
        return name
    name = name.removeprefix("./").removeprefix("dri/")
    return (
        f"/dev/dri/{name}" if name.startswith(("card", "renderD", "controlD")) else f"/dev/{name}"
    )


def _from_long(entry: Listed, command: str, *, is_listing: bool) -> list[DeviceNode] | None:
    linked = _FORMS.by_path.search(entry.name)
    if linked is not None and entry.target:
        path = f"/dev/dri/{entry.target.rpartition('/')[2]}"
        kind = node_kind(path)
        return [DeviceNode(path=path, kind=kind, pci_address=linked["address"])] if kind else []
    path = _path(entry.name)
    kind = node_kind(path)
    if kind is None or entry.kind != "c":
        is_beside = is_listing or entry.name in ("by-path", "/dev/dri", "dri") or bool(linked)
        return [] if is_beside or _FORMS.beside.fullmatch(entry.name) else None
    owner, uid = _identity(entry.owner, entry, command)
    group, gid = _identity(entry.group, entry, command)
    return [
        DeviceNode(
            path=path, kind=kind, mode=entry.mode, owner=owner, uid=uid, group=group, gid=gid,
            acl=_HIDDEN_ACL if entry.has_acl else (),
        )
    ]  # fmt: skip


def _identity(text: str, entry: Listed, command: str) -> tuple[Fact[str | None], Fact[int]]:
    """Return name and number of an owner or group of `ls -l`, or `ls -n`."""
    if not text.isdigit():
        return text, 0 if text == "root" else NOT_STATED
    shows_numbers = re.search(r"\bl[sl]\b.* -[a-zA-Z]*n", command) is not None
    both = entry.owner.isdigit() and entry.group.isdigit()
    # ls -l prints a number only where the id has no name; ls -n prints nothing else.
    return NOT_STATED if shows_numbers or both else None, int(text[:10])


def read_access_lists(paste: Paste) -> Iterator[Reading]:
    """Give the entries of getfacl and the owner, group and mode of stat, node by node."""
    node: DeviceNode | None = None
    lines: list[int] = []
    for index, line in paste.free():
        acl_file, stat_file = _FORMS.acl_file.match(line), _FORMS.stat_file.match(line)
        if acl_file is not None or stat_file is not None:
            if node is not None:
                yield _about(node, lines)
            found = acl_file or stat_file
            path = "/" + found["path"].lstrip("/") if found is not None else ""
            node = (
                DeviceNode(path=path, kind=node_kind(path) or NOT_STATED)
                if node_kind(path)
                else None
            )
            node = node and (msgspec.structs.replace(node, acl=()) if acl_file else node)
            lines = [index]
        elif node is not None and index - lines[-1] <= 2:
            node, used = _with_line(node, line)
            if used:
                lines.append(index)
    if node is not None:
        yield _about(node, lines)


def _about(node: DeviceNode, lines: list[int]) -> Reading:
    return Reading(lines=tuple(lines), facts=Snapshot(device_nodes=(node,)))


def _with_line(node: DeviceNode, line: str) -> tuple[DeviceNode, bool]:
    access = _FORMS.stat_access.search(line)
    if access is not None:
        names = {key: _named(access[key]) for key in ("owner", "group")}
        numbers = {key: int(access[key][:10]) for key in ("uid", "gid")}
        return msgspec.structs.replace(node, mode=access["mode"], **names, **numbers), True
    found = _FORMS.acl_line.match(line)
    if found is None:
        return node, bool(_FORMS.stat_line.match(line))
    entry = found["entry"] or ""
    if not entry:
        key, _, name = line.removeprefix("# ").partition(": ")
        known = key in ("owner", "group") and not name.isdigit()
        return (msgspec.structs.replace(node, **{key: name}) if known else node), True
    kind, name, rights = entry.split(":")
    if kind in ("user", "group", "other") and not name:
        return _with_rights(node, kind, rights), True
    acl = node.acl if isinstance(node.acl, tuple) else ()
    # With an access list, the group bits of the mode are its mask.
    node = _with_rights(node, "group", rights) if kind == "mask" else node
    return msgspec.structs.replace(node, acl=(*acl[:100], entry)), True


def _with_rights(node: DeviceNode, kind: str, rights: str) -> DeviceNode:
    """Return the node with the digit of its mode that an entry without a name tells."""
    digits = list(node.mode) if isinstance(node.mode, str) else ["0", "0", "0", "0"]
    bits = sum(value for value, letter in zip((4, 2, 1), rights, strict=True) if letter != "-")
    digits[{"user": 1, "group": 2, "other": 3}[kind]] = str(bits)
    return msgspec.structs.replace(node, mode="".join(digits))


def _named(text: str) -> str | None:
    name = text.strip()
    return None if name in ("UNKNOWN", "") else name


def read_node_errors(paste: Paste) -> Iterator[Reading]:
    """Give what messages tell about nodes: /dev/dri is missing, or a node does not open."""
    for index, line in paste.free():
        error = errno_of(line) if "/dev" in line else None
        if error is None or "(" in line[:12]:
            continue
        path = path_in_error(line)
        node = _FORMS.node.search(line)
        if error == "ENOENT" and path == "/dev/dri":
            facts = Snapshot(device_nodes=(), messages=(line,))
            yield Reading(lines=(index,), facts=facts, whole=("device_nodes",))
        elif node is not None and error != "ENOENT":
            opened = DeviceNode(
                path=node[0], kind=node_kind(node[0]) or NOT_STATED, open_error=error
            )
            facts = Snapshot(device_nodes=(opened,), messages=(line,))
            yield Reading(lines=(index,), facts=facts, private=True)
