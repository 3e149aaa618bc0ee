# SPDX-License-Identifier: MIT
"""Journals of the first format, whose steps had commands alone: each becomes a typed action.

Here, and nowhere else, a command is read for what it does: the steps that plans had then.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec

from clprobe.knowledge.package_managers import manager_of_program
from clprobe.model.action import (
    Action,
    Argv,
    Check,
    Command,
    FetchKey,
    Install,
    InstallFiles,
    JoinGroup,
    Look,
    MakeEnvironment,
    MakeGroup,
    PipInstall,
    Refresh,
    WriteFile,
)

SCHEMA = "clprobe.apply-journal/1"
_Kind: TypeAlias = Literal[
    "refresh", "install", "repository", "environment", "pip", "file", "group", "check", "look",
    "other",
]  # fmt: skip


class _OldStep(msgspec.Struct, frozen=True):
    """What a step of that format says of its command; the rest is as today."""

    argv: Argv
    needs_root: bool
    kind: _Kind
    undo: Argv | None = None
    verify: Argv | None = None


def as_of_today(parsed: dict[str, Any], schema: str) -> dict[str, Any]:
    """Return a parsed journal of that format as one of `schema`.

    Raises: msgspec.ValidationError if its steps do not fit.
    """
    steps = parsed.get("steps")
    if not isinstance(steps, list):
        return {**parsed, "schema": schema}
    return {**parsed, "schema": schema, "steps": [_typed(step) for step in steps]}


def _typed(step: Any) -> dict[str, Any]:
    action = _action(msgspec.convert(step, _OldStep))
    return {**step, "action": msgspec.to_builtins(action)}


def _action(old: _OldStep) -> Action:
    found = _BY_KIND[old.kind](old) if old.kind in _BY_KIND and old.argv else None
    if found is not None:
        return found
    path = _last(old.undo, ("rm", "-f"))
    if path is not None and old.argv[0] == "curl":
        return FetchKey(url=old.argv[-1], path=path, fingerprint=(old.verify or ("",))[-1])
    return Command(argv=old.argv, needs_root=old.needs_root, undo=old.undo, verify=old.verify)


def _program(argv: Argv) -> Argv:
    """Return the command without `env NAME=VALUE…` in front."""
    if argv[0] != "env":
        return argv
    start = next((i for i, word in enumerate(argv) if i and "=" not in word), len(argv))
    return argv[start:]


def _last(argv: Argv | None, begin: Argv) -> str | None:
    """Return the last word of a command that has but one behind `begin`."""
    if argv is None or argv[:-1] != begin:
        return None
    return argv[-1]


def _refresh(old: _OldStep) -> Action | None:
    manager = manager_of_program(old.argv[0])
    return Refresh(manager=manager.manager) if manager is not None else None


def _install(old: _OldStep) -> Action | None:
    words = _program(old.argv)
    manager = manager_of_program(words[0]) if words else None
    if manager is None or old.verify is None:
        return None
    packages = old.verify[len(manager.query) :]
    asked = words[-len(packages) :] if packages else ()
    if any(word.startswith("./") for word in words):
        files = tuple(word[2:] for word in words if word.startswith("./"))
        return InstallFiles(manager=manager.manager, files=files, packages=packages)
    suites = {word.partition("/")[2] for word in asked} - {""}
    return Install(manager=manager.manager, packages=packages, suite=min(suites, default=None))


def _environment(old: _OldStep) -> Action | None:
    at = old.argv.index("-m") if "-m" in old.argv else len(old.argv)
    path = _last(old.undo, ("rm", "-r"))
    return MakeEnvironment(path=path, python=old.argv[:at]) if path is not None else None


def _pip(old: _OldStep) -> Action:
    asked, wheels = old.argv[4:], None
    if asked[:2] == ("--no-index", "--find-links"):
        wheels, asked = asked[2], asked[3:]
    upgrade = asked[:1] == ("--upgrade",)
    return PipInstall(
        python=old.argv[0],
        requirements=asked[1:] if upgrade else asked,
        wheels=wheels,
        upgrade=upgrade,
    )


def _file(old: _OldStep) -> Action | None:
    path = _last(old.undo, ("rm", "-f"))
    # What it writes stays in its command.
    return WriteFile(path=path, text="") if path is not None else None


def _group(old: _OldStep) -> Action | None:
    if old.argv[0] == "groupadd":
        return MakeGroup(group=old.argv[-1])
    return JoinGroup(group=old.argv[-2], user=old.argv[-1]) if len(old.argv) > 2 else None


_BY_KIND: dict[str, Callable[[_OldStep], Action | None]] = {
    "refresh": _refresh,
    "install": _install,
    "environment": _environment,
    "pip": _pip,
    "file": _file,
    "group": _group,
    "check": lambda old: Check(argv=old.argv),
    "look": lambda _: Look(),
}
