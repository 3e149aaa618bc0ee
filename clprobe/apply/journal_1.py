# SPDX-License-Identifier: MIT
"""Journals of the first format, whose steps had commands alone: each becomes a typed action.

Here, and nowhere else, a command is read for what it does: the steps that plans had then.
"""

import itertools
from typing import Any, Literal, TypeAlias

import msgspec

from clprobe.knowledge.package_managers import manager_of_program
from clprobe.model import action as actions
from clprobe.model.action import Action
from clprobe.model.mending import Argv

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
    old = msgspec.convert(step, _OldStep)
    action = _action(old) or actions.Command(
        argv=old.argv, needs_root=old.needs_root, undo=old.undo, verify=old.verify
    )
    return {**step, "action": msgspec.to_builtins(action)}


def _action(old: _OldStep) -> Action | None:  # noqa: C901, PLR0911 - a case a kind
    """Return what the step does; None where its command alone tells."""
    argv, path = old.argv, old.undo[-1] if old.undo else ""
    match old.kind, argv, old.undo:
        case "look", _, _:
            return actions.Look()
        case "check", _, _:
            return actions.Check(argv=argv)
        case "refresh", (program, *_), _:
            manager = manager_of_program(program)
            return actions.Refresh(manager=manager.manager) if manager is not None else None
        case "install", (_, *_), _:
            return _install(old)
        case "environment", _, ("rm", "-r", _):
            at = argv.index("-m") if "-m" in argv else len(argv)
            return actions.MakeEnvironment(path=path, python=argv[:at])
        case "pip", (python, _, _, _, *asked), _:
            return _pip(python, tuple(asked))
        case "file", _, ("rm", "-f", _):
            # What it writes stays in its command.
            return actions.WriteFile(path=path, text="")
        case "group", ("groupadd", *_, group), _:
            return actions.MakeGroup(group=group)
        case "group", (_, *_, group, user), _:
            return actions.JoinGroup(group=group, user=user)
        case _, ("curl", *_, url), ("rm", "-f", _):
            return actions.FetchKey(url=url, path=path, fingerprint=(old.verify or ("",))[-1])
    return None


def _install(old: _OldStep) -> Action | None:
    words = old.argv
    if words[0] == "env":  # env NAME=VALUE… in front of the command
        words = tuple(itertools.dropwhile(lambda word: "=" in word, words[1:]))
    manager = manager_of_program(words[0]) if words else None
    if manager is None or old.verify is None:
        return None
    packages = old.verify[len(manager.query) :]
    asked = words[-len(packages) :] if packages else ()
    files = tuple(word[2:] for word in words if word.startswith("./"))
    if files:
        return actions.InstallFiles(manager=manager.manager, files=files, packages=packages)
    suites = {word.partition("/")[2] for word in asked} - {""}
    suite = min(suites, default=None)
    return actions.Install(manager=manager.manager, packages=packages, suite=suite)


def _pip(python: str, asked: Argv) -> Action:
    wheels = None
    if asked[:2] == ("--no-index", "--find-links"):
        wheels, asked = asked[2], asked[3:]
    upgrade = asked[:1] == ("--upgrade",)
    wanted = asked[1:] if upgrade else asked
    return actions.PipInstall(python=python, requirements=wanted, wheels=wheels, upgrade=upgrade)
