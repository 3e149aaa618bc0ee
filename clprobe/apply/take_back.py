# SPDX-License-Identifier: MIT
"""take_back(): undoes what a journal says was done, newest step first, and nothing else."""

import os
from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace

from clprobe.apply.journal import PackageChanges, Problem, SavedFile, StepRecord
from clprobe.apply.kinds import KINDS, can_be_taken_back
from clprobe.apply.package_list import (
    PackageUndo,
    differences,
    leaves_something,
    package_undo,
    undo_command,
    unsettled,
)
from clprobe.apply.paths import path_problem
from clprobe.apply.questions import ask, former_versions, packages
from clprobe.apply.runner import remove_folder, remove_if_empty, restore, sha256_of
from clprobe.apply.simulation import meaning, parse
from clprobe.apply.work import Work, now_in_words
from clprobe.commands.packages import manager_of
from clprobe.knowledge.package_manager_table import PackageManager


class TakenBack(msgspec.Struct, frozen=True):
    """How it ended; `differences` tell in words how the package list differs from before.

    `left` names what stays because it was changed since, or because nothing can bring it back.
    """

    outcome: Literal["undone", "partly-undone"]
    differences: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def take_back(work: Work) -> TakenBack:
    """Undo every step that left something, and compare the package list with that of before.

    It stops at the first failure; the problem is in the journal, and it may be called again.

    Raises: ClprobeError if the journal cannot be written, or the packages cannot be listed.
    """
    left: list[str] = [*_for_good(work)]
    touched = [i for i, step in enumerate(work.journal.steps) if leaves_something(step)]
    for number, index in enumerate(reversed(touched), 1):
        work.listener.begin(number, len(touched), f"Take back: {work.step(index).title}")
        problem = _undo_step(work, index, left)
        work.save_step(index, problem=problem, state="failed" if problem else "undone")
        work.listener.end("failed" if problem else "taken back")
        if problem is not None:
            return TakenBack("partly-undone", _differences(work), tuple(left))
    steps = tuple(replace(step, state="undone") for step in work.journal.steps)
    work.save(steps=steps, ended=now_in_words())
    return TakenBack("undone", _differences(work), tuple(left))


def _for_good(work: Work) -> Iterator[str]:
    """Yield which of doctor's steps cannot be taken back, as was said before they were run."""
    for step in work.journal.steps:
        was_run = step.state in ("running", "done", "failed") and not step.was_so
        is_listed = work.journal.command == "doctor" and step.attempts > 0
        if is_listed and was_run and not can_be_taken_back(step.action):
            yield f"{step.title}, which cannot be undone"


def _undo_step(work: Work, index: int, left: list[str]) -> Problem | None:
    record = work.step(index)
    if record.state == "running":
        # clprobe was killed while it ran.
        problem = work.wait_for_manager(record)
        if problem is not None:
            return problem
        work.note_changes(index)
        record = work.step(index)
    problem = path_problem(record.action)
    if problem is None and not _is_of_others(work, record, left):
        problem = _undo_by_command(work, record)
    if problem is None:
        problem = _undo_files(work, record, left)
    if problem is None and record.changes != PackageChanges():
        problem = _undo_packages(work, record, left)
    return problem


def _is_of_others(work: Work, record: StepRecord, left: list[str]) -> bool:
    """Whether somebody has changed since what the step did, so that its undo would do harm."""
    if record.file is not None and _was_changed(record.file):
        return True  # told where files are undone
    is_gone = KINDS[type(record.action)].is_undone_while_so and _is_undone(work, record)
    if is_gone and record.state == "done":
        left.append(f"{record.title}: no longer in effect")
    return is_gone


def _undo_by_command(work: Work, record: StepRecord) -> Problem | None:
    command = undo_command(record)
    if command is None:
        return None
    finished = work.runner.run(
        command, limit_s=work.limits.of(record.action), as_root=record.needs_root
    )
    if finished.is_fine or _is_undone(work, record):
        return None
    return meaning(finished.printed, f"with status {finished.status}")


def _is_undone(work: Work, record: StepRecord) -> bool:
    """Whether the proof of the step fails by now, so that somebody has undone it already."""
    if record.verify is None:
        return False
    told = work.proof(record)
    return told.ending == "exit" and not told.is_fine


def _undo_files(work: Work, record: StepRecord, left: list[str]) -> Problem | None:
    if not record.needs_root and work.person.uid != os.geteuid():
        return _undo_files_as_person(work, record, left)
    try:
        file = record.file
        if file is not None and _was_changed(file):
            left.append(f"{file.path}, which was changed since")
        elif file is not None:
            restore(file)
        folder = record.folder
        if folder is not None and folder.existed:
            left.append(f"{folder.path}, which was there before")
        elif folder is not None:
            remove_folder(folder.path)
            remove_if_empty(folder.made_folders)
    except OSError as error:
        text = f"{error.filename}: {error.strerror or error}"
        return Problem("undo-failed", text, "Mend that, then run --undo again.")
    return None


def _undo_files_as_person(work: Work, record: StepRecord, left: list[str]) -> Problem | None:
    """Let the person remove it: root must not follow where others may put links."""
    path = record.file.path if record.file is not None else None
    path = record.folder.path if record.folder is not None else path
    was_there = (record.file is not None and record.file.content is not None) or (
        record.folder is not None and record.folder.existed
    )
    if path is None or record.undo is None:
        return None
    if was_there:
        left.append(f"{path}, which was there before")
        return None
    argv = ("rm", "-rf", "--", path)
    finished = work.runner.run(argv, limit_s=work.limits.check_s, as_root=False)
    if not finished.is_fine:
        return meaning(finished.printed, "while it removed that")
    above = [made for one in (record.file, record.folder) if one for made in one.made_folders]
    if above:
        # Those that hold something by now stay.
        command = ("rmdir", "--", *reversed(above))
        work.runner.run(command, limit_s=work.limits.check_s, as_root=False)
    return None


def _was_changed(file: SavedFile) -> bool:
    """Whether somebody has changed what the step wrote."""
    now = sha256_of(file.path)
    return now is not None and file.written_sha256 not in (None, now)


def _undo_packages(work: Work, record: StepRecord, left: list[str]) -> Problem | None:
    manager = manager_of(record.action)
    if manager is None:
        return None
    problem = work.wait_for_manager(record)
    if problem is not None:
        return problem
    at_hand = former_versions(manager, record.changes)
    before, now = work.journal.packages_before, packages(manager)
    plan = package_undo(manager, record.changes, before, now, at_hand)
    left += [
        f"{one.name}, whose former version {one.before} is not in the index any more"
        for one in plan.kept
    ]
    problem = _needed_by_others(plan)
    for command in () if problem else plan.commands:
        # Only now is what needed the newer versions gone.
        problem = _moves_more(manager, command) if command == plan.downgrade else None
        if problem is not None:
            return problem
        finished = work.runner.run(command, limit_s=work.limits.install_s, patient=True)
        if not finished.is_fine:
            return meaning(finished.printed, f"with status {finished.status}")
    if problem is None and manager.manager == "apt":
        names = unsettled(work.journal.packages_before, packages(manager))
        if names:
            command = ("dpkg", "--configure", *names)
            work.runner.run(command, limit_s=work.limits.install_s, patient=True)
    return problem


def _needed_by_others(plan: PackageUndo) -> Problem | None:
    """Return which packages that came later need one of ours."""
    if plan.trial is None:
        return None
    told = ask(plan.trial)
    if told.is_fine:
        return None
    reasons = [line.strip() for line in told.printed.splitlines() if " depends on " in line]
    text = "; ".join(reasons) or told.printed.strip()
    hint = "Remove what needs them first, or keep them; then run --undo again."
    return Problem("undo-would-harm", f"Not taken back: {text}", hint)


def _moves_more(manager: PackageManager, command: tuple[str, ...]) -> Problem | None:
    """Return what would come or go with packages that return to their former versions."""
    trial = manager.simulating(command)
    if trial is None:
        return None
    told = ask(trial)
    if not told.is_fine:
        return meaning(told.printed, f"with status {told.status}")
    simulation = parse(manager, told.printed)
    new = [package.name for package in simulation.incoming if package.old is None]
    if not simulation.removed and not new:
        return None
    text = f"Former versions would move {', '.join((*simulation.removed, *new))} too."
    return Problem("undo-would-harm", text, "Settle it with the package manager yourself.")


def _differences(work: Work) -> tuple[str, ...]:
    """Return how the package list differs from before the first step, in words."""
    managers = (manager_of(step.action) for step in work.journal.steps)
    manager = next((one for one in managers if one is not None), None)
    if not work.journal.packages_before or manager is None:
        return ()
    return differences(work.journal.packages_before, packages(manager))
