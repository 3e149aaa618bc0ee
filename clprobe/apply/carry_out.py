# SPDX-License-Identifier: MIT
"""carry_out(): runs what is left of a plan, step by step, and stops at the first failure."""

from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from clprobe.apply.journal import Folder, Package, Problem, SavedFile, StepRecord
from clprobe.apply.kinds import KINDS, is_install, made_folder, packages_of, written_path
from clprobe.apply.package_list import not_installed
from clprobe.apply.paths import path_problem, why_taken
from clprobe.apply.questions import amount, ask, is_half_installed, packages, room_problem
from clprobe.apply.runner import Finished, missing_above, restore, saved, sha256_of
from clprobe.apply.simulation import foreign, index_problem, meaning, parse, refusal
from clprobe.apply.work import MOST_KEPT, Release, Work, now_in_words
from clprobe.commands.packages import manager_of
from clprobe.model.action import Look, Refresh
from clprobe.model.mending import WriteSetting

Outcome = Literal["applied", "failed", "interrupted"]
_ENDINGS = {
    "signal": "by signal {status}",
    "timeout": "by us, after its limit of {limit:g} s",
    "interrupted": "by Ctrl-C",
    "not-started": "before it began",
    "exit": "with status {status}",
}


def carry_out(work: Work, release: Release) -> Outcome:
    """Run every step that is not done yet; what each did is in the journal before the next.

    Raises: ClprobeError if the journal cannot be written, or the packages cannot be listed.
    """
    total = len(work.journal.steps)
    for index in range(total):
        record = work.step(index)
        work.listener.begin(index + 1, total, record.title)
        if _is_done(work, index):
            work.listener.end("was done before")
            continue
        seconds, stop = _do(work, index, release)
        problem = work.step(index).problem
        if problem is not None:
            work.listener.end("failed")
            return "interrupted" if problem.reference == "interrupted" else "failed"
        was_so = work.step(index).was_so
        work.listener.end("was so already" if was_so else f"done in {seconds:.1f} s")
        if stop and index + 1 < total:
            return "interrupted"
    work.save(ended=now_in_words())
    return "applied"


def _is_done(work: Work, index: int) -> bool:
    """Whether a run before got through the step, and its proof still holds."""
    record = work.step(index)
    if record.state == "done":
        if isinstance(record.action, Refresh):
            return all(step.state == "done" for step in work.journal.steps[index:])
        return _disproof(work, record) is None
    if record.state != "running":
        return False
    # clprobe was killed while it ran.
    if work.wait_for_manager(record) is None:
        work.note_changes(index)
    fine = KINDS[type(record.action)].is_proved_after_break and record.verify is not None
    # Every package may be in place while triggers still wait.
    if fine and not _is_cut_off(record) and _disproof(work, work.step(index)) is None:
        work.save_step(index, state="done", ended=now_in_words())
        return True
    return False


def _do(work: Work, index: int, release: Release) -> tuple[float, bool]:
    """Run one step; its record holds the problem if there was one.

    Returns the seconds, and whether the person wants no further step.
    """
    record = work.save_step(index, problem=None)
    if isinstance(record.action, Look):
        # What programs get is looked at when all is done, by the probes of doctor.
        work.save_step(index, state="done", ended=now_in_words())
        return 0.0, False
    may_be_so = KINDS[type(record.action)].may_be_so and record.verify is not None
    if record.attempts == 0 and may_be_so and work.proof(record).is_fine:
        work.save_step(index, state="done", was_so=True, ended=now_in_words())
        return 0.0, False
    problem = (
        _in_the_way(record)
        or work.wait_for_manager(record)
        or _mended(work, record)
        or _objection(work, record, release)
    )
    if problem is not None:
        # It did not run: what an earlier attempt left stays on record.
        state = "failed" if record.attempts else "waiting"
        work.save_step(index, state=state, problem=problem)
        return 0.0, False
    try:
        _prepare(work, index)
    except OSError as error:
        hint = "Move it away, then run the same command again."
        text = f"{error.filename}: {error.strerror or error}."
        work.save_step(index, problem=Problem("file-in-the-way", text, hint))
        return 0.0, False
    record = work.step(index)
    limit_s = work.limits.of(record.action)
    finished = work.runner.run(
        record.argv, limit_s=limit_s, as_root=record.needs_root, patient=is_install(record.action)
    )
    _conclude(work, index, finished, limit_s)
    return finished.seconds, finished.stop


def _in_the_way(record: StepRecord) -> Problem | None:
    """Return why the step must not touch its path."""
    problem = path_problem(record.action)
    taken = why_taken(record.action) if record.attempts == 0 else None
    if problem is None and taken is not None:
        hint = "Move it away, then run the same command again."
        return Problem("file-in-the-way", f"Not run: {taken}.", hint)
    return problem


def _prepare(work: Work, index: int) -> None:
    """Write down what there is before the step, and that it is running."""
    record = work.step(index)
    manager = manager_of(record.action)
    path, folder = written_path(record.action), made_folder(record.action)
    before: tuple[Package, ...] | None = None
    if manager is not None and not isinstance(record.action, Refresh):
        before = packages(manager)
    file: SavedFile | None = record.file
    if file is None and path is not None:
        file = saved(path)
    elif file is not None and isinstance(record.action, WriteSetting):
        restore(file)  # what was cut off: its command writes over nothing
    made = record.folder
    if made is None and folder is not None:
        made = folder_before(folder)
    work.save_step(
        index,
        state="running",
        attempts=record.attempts + 1,
        started=now_in_words(),
        ended=None,
        status=None,
        packages_before=before,
        file=file,
        folder=made,
    )


def _conclude(work: Work, index: int, finished: Finished, limit_s: float) -> None:
    """Write down what came of it, and whether it is proved."""
    work.note_changes(index)
    record = work.step(index)
    problem = _failure(finished, limit_s)
    warnings: tuple[str, ...] = ()
    if problem is None and isinstance(record.action, Refresh):
        problem, warnings = index_problem(finished.printed)
    if problem is None:
        problem = _disproof(work, record)
    for warning in warnings:
        work.listener.say(warning)
    file = record.file
    if file is not None:
        file = replace(file, written_sha256=sha256_of(file.path))
    work.save_step(
        index,
        state="done" if problem is None else "failed",
        ended=now_in_words(),
        status=finished.status if finished.ending == "exit" else None,
        printed=finished.printed[-MOST_KEPT:],
        problem=problem,
        file=file,
    )


def _failure(finished: Finished, limit_s: float) -> Problem | None:
    if finished.is_fine:
        return None
    ending = _ENDINGS[finished.ending].format(status=finished.status, limit=limit_s)
    if finished.ending == "interrupted":
        hint = "The same command goes on from here; --undo takes back what was done."
        return Problem("interrupted", "You stopped it.", hint)
    if finished.ending == "timeout":
        return Problem(
            "step-hangs",
            f"It was ended {ending}. The last that it printed: {_last_line(finished.printed)}",
            "Look at what it waits for, then run the same command again.",
        )
    return meaning(finished.printed, ending)


def _disproof(work: Work, record: StepRecord) -> Problem | None:
    """Return what the proof of a step says against it."""
    if record.verify is None:
        return None
    finished = work.proof(record)
    shown = " ".join(record.verify)
    hint = "Look at what it says; --undo takes back what was done."
    if not finished.is_fine:
        text = f"It ended well, but its proof failed: {shown}: {_last_line(finished.printed)}"
        return Problem("step-not-proved", text, hint)
    manager = manager_of(record.action)
    if manager is None:
        return None
    # dpkg-query ends well for packages of which only the name is known, too.
    missing = not_installed(packages_of(record.action), packages(manager))
    if missing:
        return Problem("step-not-proved", f"Not installed in full: {', '.join(missing)}", hint)
    return None


def _is_cut_off(record: StepRecord) -> bool:
    """Whether a run of ours was cut off in the midst of dpkg's work."""
    manager = manager_of(record.action)
    is_dpkg = manager is not None and manager.database == "dpkg"
    return is_dpkg and is_install(record.action) and record.attempts > 0 and is_half_installed()


def _mended(work: Work, record: StepRecord) -> Problem | None:
    """Finish what a run of ours that was cut off left half-done in dpkg."""
    if not _is_cut_off(record):
        return None
    work.listener.say("Finishing what dpkg was cut off in")
    limit_s = work.limits.install_s
    work.runner.run(("dpkg", "--configure", "-a"), limit_s=limit_s, patient=True)
    added = [package.name for package in record.changes.added]
    if is_half_installed() and added:
        # What was only unpacked in part comes again, in full.
        argv = ("dpkg", "--purge", "--force-remove-reinstreq", *added)
        work.runner.run(argv, limit_s=limit_s, patient=True)
    if is_half_installed():
        text = ask(("dpkg", "--audit")).printed.strip().splitlines()
        hint = "Run: sudo dpkg --configure -a, then sudo apt-get --fix-broken install"
        return Problem("package-manager-interrupted", text[0] if text else "dpkg is broken", hint)
    return None


def _objection(work: Work, record: StepRecord, release: Release) -> Problem | None:
    """Return why an installation must not run, told by its simulation; prints warnings."""
    manager = manager_of(record.action)
    if manager is None or not is_install(record.action):
        return None
    trial = manager.simulating(record.argv)
    if trial is None:
        return None
    told = ask(trial, limit_s=work.limits.refresh_s)
    simulation = parse(manager, told.printed)
    problem = refusal(simulation)
    if problem is not None:
        return problem
    if not told.is_fine and manager.manager != "dnf":  # --assumeno ends as if it had failed
        return meaning(told.printed, f"with status {told.status}, when asked what it would do")
    brought = amount(manager, simulation.incoming)
    if brought is not None:
        work.listener.say(f"It {brought}.")
    for warning in foreign(simulation, release.distribution, release.version):
        work.listener.say(warning)
    return room_problem(manager, simulation.incoming)


def folder_before(path: str) -> Folder:
    """Return whether a folder is there; one that is no virtual environment is in the way.

    Raises: OSError then.
    """
    folder = Path(path)
    existed = folder.exists()
    if existed and not (folder / "pyvenv.cfg").exists() and any(folder.iterdir()):
        raise OSError(0, "it is there already, and no virtual environment", path)
    return Folder(path, existed, missing_above(path))


def _last_line(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing"
