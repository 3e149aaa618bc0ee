# SPDX-License-Identifier: MIT
"""Reads `key: value` lines: issue forms ("OS: Ubuntu 22.04"), and facts that somebody restated.

A suffix or prefix of the key says who or where: `clinfo.user`, `clinfo.root`, `pkg.container`,
`host.uname.release`.
"""

import re
from collections.abc import Callable, Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import System, Virtualization
from clprobe.paste.inventories import of_gpu, of_linux, of_os
from clprobe.paste.reading import Context, Paste, Reading
from clprobe.paste.restated import parts, programs
from clprobe.paste.systems import cpu_named

_FORMS = Forms("restated")
_CLAUSES = Forms("clauses")
_OF_MACHINE = ("os", "linux", "gpus", "cpu", "packages")
"""What people tell themselves: there a "likely" is a guess, in a program's message it is none."""
_CIRCUMSTANCES = {
    "user": Context(who="user"),
    "root": Context(who="root"),
    "sudo": Context(who="root"),
    "host": Context(where="host"),
    "container": Context(where="container"),
    "container-root": Context(where="container"),
    "docker": Context(where="container"),
    "before": Context(when="before"),
    "system": Context(),
    "conda": Context(),
}
_Handler = Callable[[str], Snapshot | None]
_HANDLERS: dict[str, _Handler] = {
    "os": of_os,
    "linux": parts.linux,
    "gpus": parts.gpus,
    "cpu": lambda value: Snapshot(system=System(cpu=cpu_named(value))),
    "packages": parts.packages,
    "runtime": parts.runtime_version,
    "icd": parts.icd,
    "nodes": parts.nodes,
    "identity": parts.identity,
    "log": parts.log,
    "environment": parts.environment,
    "strace": parts.strace,
    "libraries": parts.libraries,
    "loader": parts.loader,
    "loader_debug": parts.loader_debug,
    "message": parts.message,
    "windows_driver": parts.windows_driver,
    "nothing": lambda _: Snapshot(),
}


def read_restated(paste: Paste) -> Iterator[Reading]:
    """Give the facts of `key: value` lines whose key we know."""
    together: dict[Context, programs.Described] = {}
    for index, line in paste.free():
        found = _FORMS.line.match(line)
        if found is None or len(line) > 1000:
            continue
        key, context = _split(found["key"].lower().strip())
        if key.startswith(("flatpak", "snap")):
            context = Context(where="container")
        around = paste.contexts[index]
        place = Context(
            context.who or around.who, context.where or around.where, context.when or around.when
        )
        value = found["value"].strip()
        if value[:1] == value[-1:] == "`" and value.count("`") == 2:
            value = value.strip("` ")
        if key == "platform" and _FORMS.names_system.match(value):
            key = "system"  # what it runs on, and no platform of OpenCL
        if key in _FORMS.words["described"] and (
            key != "device" or together.get(place) or " " in value
        ):
            described = together.setdefault(place, programs.Described())
            described.add(key, value, index)
            continue
        facts = _facts(key, value)
        if facts is None:
            continue
        private = (
            context != Context()
            or key in _FORMS.words["private"]
            or key in _FORMS.tables["viewers"]
            or facts.views != Snapshot().views
        )
        # Who says which folder lacks a file has looked into the folders.
        whole = ("icds",) if key.startswith("icd") and " has no " in value else ()
        yield Reading(lines=(index,), facts=facts, private=private, context=place, whole=whole)
    for place, described in together.items():
        if described.is_telling():
            facts = Snapshot(views=(described.view(),))
            yield Reading(lines=tuple(described.lines), facts=facts, private=True, context=place)


def _sandboxed(sandbox: str, value: str) -> Snapshot:
    """Return what a program sees inside its sandbox."""
    inside = System(virtualization=Virtualization(container=sandbox))
    seen = programs.view_facts("application", value) or Snapshot()
    return msgspec.structs.replace(seen, system=inside)


def _split(key: str) -> tuple[str, Context]:
    """Return the key without its circumstances, and these."""
    words = [word for word in re.split(r"\.", key) if word]
    context = Context()
    kept = []
    for word in words:
        told = _CIRCUMSTANCES.get(word)
        if told is None or (len(words) == 1):
            kept.append(word)
        else:
            context = Context(
                context.who or told.who, context.where or told.where, context.when or told.when
            )
    return ".".join(kept), context


def _facts(key: str, value: str) -> Snapshot | None:
    asked = _FORMS.tables["keys"].get(key)
    if asked in _OF_MACHINE and _CLAUSES.unsure.search(value):
        return None
    if asked is not None:
        return _HANDLERS[asked](value)
    if key.startswith("host "):
        return of_linux(value) if "kernel" in key else None
    if key.startswith(("flatpak", "snap")):
        return _sandboxed(key.partition(".")[0].partition(" ")[0], value)
    viewer = programs.viewer_of_key(key)
    if viewer is not None:
        return programs.view_facts(viewer, value)
    return of_gpu(value) if key.startswith("gpu ") else None
