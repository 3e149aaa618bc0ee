# SPDX-License-Identifier: MIT
"""The journal: what --apply or --fix did, step by step, and what was there before."""

import hashlib
from typing import Literal

import msgspec

from clprobe.apply import journal_1
from clprobe.model.action import Action
from clprobe.model.errors import ClprobeError
from clprobe.model.plan import Target

SCHEMA = "clprobe.apply-journal/2"
_FAMILY = "clprobe.apply-journal/"

Command = Literal["install-plan", "doctor"]
"""Whose steps they are; each takes back its own."""
State = Literal["waiting", "running", "done", "failed", "undone"]


class Package(msgspec.Struct, frozen=True, array_like=True):
    """One line of the package list; `status` is dpkg's, such as "ii" or "rc".

    `automatic`: it came as a dependency of another, and nobody asked for it by name.
    """

    name: str
    version: str
    status: str = "ii"
    automatic: bool = False


class Upgrade(msgspec.Struct, frozen=True):
    """A package that was there in another version before."""

    name: str
    before: str
    after: str


class PackageChanges(msgspec.Struct, frozen=True):
    """How two package lists differ. `remarked` holds packages as they were marked before."""

    added: tuple[Package, ...] = ()
    upgraded: tuple[Upgrade, ...] = ()
    removed: tuple[Package, ...] = ()
    remarked: tuple[Package, ...] = ()


class SavedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a step writes: what was there before, and a hash of what it wrote.

    `content` is None where there was no file; `made_folders` are the folders above it that were
    missing, outermost first.
    """

    path: str
    content: bytes | None
    mode: int = 0o644
    uid: int = 0
    gid: int = 0
    made_folders: tuple[str, ...] = ()
    written_sha256: str | None = None


class Folder(msgspec.Struct, frozen=True):
    """A folder that a step makes, and whether it was there before.

    `made_folders` are those above it that were missing, outermost first.
    """

    path: str
    existed: bool
    made_folders: tuple[str, ...] = ()


class Problem(msgspec.Struct, frozen=True):
    """Why a step did not succeed; `hint` says what to do."""

    reference: str
    message: str
    hint: str = ""


class StepRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One step: its commands as they run here, its state, and all it takes to undo it.

    `printed` is the end of what it printed last; times are ISO 8601 in UTC. `packages_before` is
    only kept while the step runs; `changes` is what it did over all attempts. `was_so` tells that
    nothing had to be done, so that nothing may be undone.
    """

    title: str
    action: Action
    argv: tuple[str, ...]
    needs_root: bool
    undo: tuple[str, ...] | None = None
    verify: tuple[str, ...] | None = None
    state: State = "waiting"
    attempts: int = 0
    started: str | None = None
    ended: str | None = None
    status: int | None = None
    printed: str = ""
    problem: Problem | None = None
    was_so: bool = False
    packages_before: tuple[Package, ...] | None = None
    changes: PackageChanges = PackageChanges()
    file: SavedFile | None = None
    folder: Folder | None = None


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """One run and its continuations; `packages_before` is the list before the first step.

    Goal, backend, stack and target are those of a plan; doctor's fixes have none.
    """

    schema: str = SCHEMA
    clprobe: str
    plan_id: str
    goal: str | None
    backend: str | None
    stack: str | None
    target: Target | None
    user: str
    started: str
    steps: tuple[StepRecord, ...]
    command: Command = "install-plan"
    ended: str | None = None
    packages_before: tuple[Package, ...] = ()


def plan_id(
    goal: str | None, backend: str | None, stack: str | None, steps: tuple[StepRecord, ...]
) -> str:
    """Return the name of a plan: eight hexadecimal digits that its commands and goal decide."""
    named = [part or "" for part in (goal, backend, stack)]
    parts = [*named, *(word for step in steps for word in (*step.argv, ""))]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:8]


def encode(journal: Journal) -> bytes:
    """Return the journal as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(journal), indent=1) + b"\n"


def decode(data: bytes, *, name: str) -> Journal:
    """Return the journal in `data`; `name` is its file, for messages.

    Raises: ClprobeError if it is damaged, or of another version.
    """
    try:
        parsed = msgspec.json.decode(data)
        schema = parsed.get("schema") if isinstance(parsed, dict) else None
        if schema == journal_1.SCHEMA:
            data = msgspec.json.encode(journal_1.as_of_today(parsed, SCHEMA))
            schema = SCHEMA
        if isinstance(schema, str) and schema.startswith(_FAMILY) and schema != SCHEMA:
            raise ClprobeError(
                reference="journal-version",
                message=f"{name} is of schema {schema}, this clprobe writes {SCHEMA}.",
                hint=f"Use clprobe {parsed.get('clprobe', 'of the version')} that wrote it.",
            )
        journal = msgspec.json.decode(data, type=Journal)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(name, str(error)) from error
    if journal.schema != SCHEMA or not journal.steps:
        raise _damaged(name, "it is no journal")
    return journal


def has_begun(journal: Journal) -> bool:
    """Whether any step was ever run."""
    return any(step.state != "waiting" or step.attempts for step in journal.steps)


def is_taken_back(journal: Journal) -> bool:
    """Whether the run is over, with nothing of it left on the host."""
    left = any(step.state in ("running", "done", "failed") for step in journal.steps)
    return has_begun(journal) and not left


def is_applied(journal: Journal) -> bool:
    """Whether every step is done."""
    return all(step.state == "done" for step in journal.steps)


def is_cut_off(journal: Journal) -> bool:
    """Whether clprobe was killed or stopped in the middle of it, so that it can go on."""
    if not has_begun(journal) or is_applied(journal):
        return False
    problems = {step.problem.reference for step in journal.steps if step.problem is not None}
    return problems <= {"interrupted"} and all(step.state != "undone" for step in journal.steps)


def _damaged(name: str, why: str) -> ClprobeError:
    return ClprobeError(
        reference="journal-damaged",
        message=f"{name} is damaged ({why}), so what that run did is not known.",
        hint="Look at it, and at the log of the package manager; then move it out of that folder.",
    )
