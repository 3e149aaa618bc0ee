# SPDX-License-Identifier: MIT
"""Reads which nodes a container was started with: options of docker run, lines of compose."""

import re
from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.snapshot import Snapshot
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("container_options")
_MOST_LINES = 30
_INSIDE = Context(where="container")
_NAMED = re.compile(r"/dev/(?:dri|kfd)\b")
_LINE_OF_SHELL = re.compile(
    r"[`'\"]?(?:\S{0,80}[$#>] *)?(?:sudo +)?(?:docker|podman|nerdctl) +run\b"
)
"""A sentence, too, says "while the podman run is going"."""
_IN_FOLDER = {"/dev/dri": "/dev/dri/renderD128", "/dev/dri/by-path": "/dev/dri/renderD128"}
"""Who gives the folder gives what is in it: for most that is one node."""


def read_container_options(paste: Paste) -> Iterator[Reading]:
    """Give the nodes; none at all where a whole command line gives none. No line is taken."""
    commands = list(_runs(paste))
    nodes = {node.path: node for text in commands for node in _given(text)}
    nodes |= {node.path: node for line in _with(paste, _FORMS.entry) for node in _of_compose(line)}
    refused = _refused(paste)
    nodes = {path: node for path, node in nodes.items() if path not in refused}
    if nodes:
        yield Reading(lines=(), facts=Snapshot(device_nodes=tuple(nodes.values())), context=_INSIDE)
    elif refused or (commands and all(map(_is_whole, commands)) and not _says_more(paste)):
        facts = Snapshot(device_nodes=())
        yield Reading(lines=(), facts=facts, whole=("device_nodes",), context=_INSIDE)


def _runs(paste: Paste) -> Iterator[str]:
    """Give each command that starts a container, with the lines that it goes on over."""
    for index in sorted(paste.may_hold(_FORMS.run)):
        line = paste.lines[index]
        if not _FORMS.run.search(line):
            continue
        texts = [line.strip()]
        for following in paste.lines[index + 1 : index + _MOST_LINES]:
            if not texts[-1].endswith("\\") and not following.strip().startswith("-"):
                break
            texts.append(following.strip())
        yield " ".join(text.rstrip("\\").strip() for text in texts)


def _refused(paste: Paste) -> set[str]:
    """Return the nodes that the host has not, so that the container did not start."""
    refused: set[str] = set()
    for line in _with(paste, _FORMS.refused, _FORMS.refuses):
        named = [found["node"] for found in _FORMS.refused.finditer(line)]
        if not named and _FORMS.refuses.search(line):
            named = _NAMED.findall(line)
        refused |= {node.path for name in named for node in _node(name)}
    return refused


def _with(paste: Paste, *forms: re.Pattern[str]) -> Iterator[str]:
    """Give the lines in which one of the forms may be found."""
    return (paste.lines[index].strip() for index in sorted(paste.may_hold(*forms)))


def _given(command: str) -> Iterator[DeviceNode]:
    for found in _FORMS.device.finditer(command):
        yield from _node(found["node"])
    if _FORMS.privileged.search(command):
        yield from _node("/dev/dri")
    if _FORMS.nvidia.search(command):
        yield from _node("/dev/nvidia0")


def _of_compose(line: str) -> Iterator[DeviceNode]:
    found = _FORMS.entry.match(line)
    if found is not None:
        yield from _node(found["node"])


def _node(named: str) -> Iterator[DeviceNode]:
    path = _IN_FOLDER.get(named.rstrip("/"), named)
    kind = node_kind(path)
    if kind is not None:
        yield DeviceNode(path=path, kind=kind)


def _is_whole(command: str) -> bool:
    """Tell whether nothing of the command was left out, and it gives no folder that has nodes."""
    if _FORMS.left_out.search(command) or re.search(r"/dev\b", command):
        return False
    return _LINE_OF_SHELL.match(command) is not None or " -" in command


def _says_more(paste: Paste) -> bool:
    """Tell whether people speak of nodes elsewhere."""
    return any(map(_FORMS.about_nodes.search, _with(paste, _FORMS.about_nodes)))
