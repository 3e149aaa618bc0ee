# SPDX-License-Identifier: MIT
"""Sends signals to clprobe at random moments and counts what is left: `kill_trials.py COUNT SEED`.

COUNT kills are spread over TERM, HUP, INT and KILL and over commands with healthy and with faulty
drivers. After all but KILL neither a folder nor a process may be left once clprobe is gone; after
KILL no process, for which the guardians have some seconds.
"""

import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).parent.parent / "icds"))

from hearing import let_children_hear
from runs import Place, place_in  # run as a script, it needs the folder above

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)
HANGING = ("entry_hang", "stranger_then_hang", "hang_without_signals", "daemonises", "stops_parent")
_BENCH = ("bench", "--quick", "--workload=launch", "--workload=matmul", "--baseline=numpy")
# Command → the faults that are registered, and the seconds in which the signal comes.
COMMANDS: dict[tuple[str, ...], tuple[tuple[str, ...], float]] = {
    ("doctor",): (HANGING, 4.0),
    ("info",): (HANGING, 4.0),
    ("doctor", "-v"): (("healthy",), 3.0),
    _BENCH: ((), 10.0),
    (*_BENCH, "--output=r.json"): (HANGING[:2], 6.0),
}
_PATIENCE_AFTER_KILL_S = 10.0


class Trial(NamedTuple):
    """What came of one kill; `status` as subprocess gives it."""

    command: str
    signal: str
    moment_s: float
    status: int
    folders: list[str]
    processes: list[str]
    error: str

    @property
    def is_clean(self) -> bool:
        """Whether all is gone that must be."""
        return not self.processes and (self.signal == "SIGKILL" or not self.folders)


def trials(count: int, seed: int) -> Iterator[Trial]:
    """Do `count` kills and yield each."""
    chance = random.Random(seed)  # noqa: S311 - moments, no secrets
    commands = list(COMMANDS)
    for index in range(count):
        command = commands[index // len(SIGNALS) % len(commands)]
        faults, seconds = COMMANDS[command]
        with tempfile.TemporaryDirectory(prefix="kill-trial-") as folder:
            place = place_in(Path(folder), faults)
            yield _kill(place, command, SIGNALS[index % len(SIGNALS)], chance.uniform(0, seconds))


def _kill(place: Place, command: tuple[str, ...], number: signal.Signals, moment_s: float) -> Trial:
    process = place.start(*command)
    try:
        process.communicate(timeout=moment_s)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    error = process.communicate(timeout=120)[1]
    patience_s = _PATIENCE_AFTER_KILL_S if number == signal.SIGKILL else 0.0
    left = place.left(patience_s=patience_s)
    name = " ".join(command[:2] if command[0] == "doctor" else command[:1])
    return Trial(name, number.name, moment_s, process.returncode, place.folders(), left, error)


def main(count: int, seed: int) -> int:
    """Print what is left of each kill, and a table; 1 if anything is left that must not."""
    done: Counter[tuple[str, str]] = Counter()
    dirty: Counter[tuple[str, str]] = Counter()
    statuses: dict[tuple[str, str], Counter[int]] = {}
    folders_after_kill = tracebacks = 0
    for trial in trials(count, seed):
        key = trial.command, trial.signal
        done[key] += 1
        print(".", end="", file=sys.stderr, flush=True)  # noqa: T201 - a script's output
        dirty[key] += not trial.is_clean
        statuses.setdefault(key, Counter())[trial.status] += 1
        folders_after_kill += trial.signal == "SIGKILL" and bool(trial.folders)
        tracebacks += "Traceback" in trial.error
        if not trial.is_clean or "Traceback" in trial.error:
            print(trial, flush=True)  # noqa: T201 - a script's output
    for key in sorted(done):
        print(*key, f"{done[key]} kills, {dirty[key]} left something,", dict(statuses[key]))  # noqa: T201
    print(f"{folders_after_kill} left folders after KILL, {tracebacks} tracebacks")  # noqa: T201
    return min(1, dirty.total())


if __name__ == "__main__":
    let_children_hear()
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
