# SPDX-License-Identifier: MIT
"""Reads `key: value` lines: issue forms ("OS: Ubuntu 22.04"), and facts that somebody restated.

A suffix or prefix of the key says who or where: `clinfo.user`, `clinfo.root`, `pkg.container`,
`host.uname.release`.
"""

import re
from collections.abc import Callable, Iterator

import msgspec

from clprobe.model.snapshot import Snapshot
from clprobe.model.system import System, Virtualization
from clprobe.paste.inventories import of_gpu, of_linux, of_os
from clprobe.paste.reading import Context, Paste, Reading
from clprobe.paste.restated import parts, programs
from clprobe.paste.restated import users as others
from clprobe.paste.systems import cpu_named

_LINE = re.compile(
    r"(?:[-*+] |\d{1,2}[.)] )?(?:\*\*|__|`)?(?P<key>[A-Za-z][\w .()/-]{0,50}?)(?:\*\*|__"
    r"|`)? ?[:=](?:\*\*|__)? +(?:\*\*|`)?(?P<value>\S.{0,900}?)(?:\*\*|`)?$"
)
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
    **dict.fromkeys(
        (
            "os",
            "distro",
            "distribution",
            "operating system",
            "os version",
            "linux distribution",
            "host os",
            "distro version",
            "system",
        ),
        of_os,
    ),
    **dict.fromkeys(
        (
            "uname.release",
            "uname",
            "kernel",
            "kernel version",
            "linux",
            "linux kernel",
            "linux version",
            "kernel release",
        ),
        parts.linux,
    ),
    **dict.fromkeys(
        (
            "lspci",
            "gpu",
            "graphics",
            "graphics card",
            "video card",
            "vga",
            "igpu",
            "dgpu",
            "gpu model",
            "gpus",
            "graphics controller",
            "display adapter",
        ),
        parts.gpus,
    ),
    **dict.fromkeys(
        ("cpu", "processor", "cpu model"),
        lambda value: Snapshot(system=System(cpu=cpu_named(value))),
    ),
    **dict.fromkeys(
        ("pkg", "package", "packages", "dpkg", "rpm", "apt", "dnf", "pacman", "driver packages"),
        parts.packages,
    ),
    **dict.fromkeys(
        (
            "driver version",
            "opencl driver",
            "compute runtime",
            "compute-runtime",
            "neo",
            "driver.version",
            "compute runtime version",
            "intel compute runtime",
        ),
        parts.runtime_version,
    ),
    **dict.fromkeys(("icd", "icd.system", "icd.conda", "icds", "file"), parts.icd),
    **dict.fromkeys(("dri", "dev", "nodes", "node"), parts.nodes),
    **dict.fromkeys(("id", "groups", "user groups"), others.identity),
    **dict.fromkeys(("dmesg", "log", "kernel log", "journal", "firmware"), others.log),
    **dict.fromkeys(("env", "environment", "variables"), others.environment),
    **dict.fromkeys(("strace",), others.strace),
    **dict.fromkeys(("ldconfig", "lib", "library", "libraries"), parts.libraries),
    **dict.fromkeys(("loader", "icd loader", "opencl loader"), parts.loader),
    "loader.debug": parts.loader_debug,
    **dict.fromkeys(("ld_debug", "opengl", "selinux"), others.message),
    **dict.fromkeys(
        ("windows driver", "windows driver version", "windows gpu driver"), others.windows_driver
    ),
    **dict.fromkeys(
        ("python", "python version", "memory", "ram", "desktop", "shell", "motherboard"),
        lambda _: Snapshot(),
    ),
}
_PRIVATE = (
    "clinfo",
    "id",
    "groups",
    "env",
    "strace",
    "app",
    "icd",
    "dri",
    "dev",
    "os",
)


def read_restated(paste: Paste) -> Iterator[Reading]:
    """Give the facts of `key: value` lines whose key we know."""
    together: dict[Context, programs.Described] = {}
    for index, line in paste.free():
        found = _LINE.match(line)
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
        if key in programs.PARTS and (key != "device" or together.get(place) or " " in value):
            described = together.setdefault(place, programs.Described())
            described.add(key, value, index)
            continue
        facts = _facts(key, value)
        if facts is None:
            continue
        private = (
            context != Context()
            or key in _PRIVATE
            or key in programs.VIEWERS
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
    handler = _HANDLERS.get(key)
    if handler is not None:
        return handler(value)
    if key in ("host.os",):
        return of_os(value)
    if key.startswith("host "):
        return of_linux(value) if "kernel" in key else None
    if key.startswith(("flatpak", "snap")):
        return _sandboxed(key.partition(".")[0].partition(" ")[0], value)
    viewer = programs.viewer_of_key(key)
    if viewer is not None:
        return programs.view_facts(viewer, value)
    return of_gpu(value) if key.startswith("gpu ") else None
