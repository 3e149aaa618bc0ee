# SPDX-License-Identifier: MIT
"""Times clprobe beside every peer that is installed, on the same device: run it with python.

    python compare_peers.py --icd FILE.icd [--python PEER=PYTHON …] [--works PATTERN] [--large]

Each peer (peers/*_peer.py) is a child process with a time limit, perhaps with a Python of its own.
A work is given to all of them in turns, several rounds; the table has the median and, behind ±,
half the distance between the quartiles, then clprobe's speed as a multiple of each peer's. Results
whose mean magnitude differs from clprobe's are marked as wrong. Peers that are absent, and works
that a peer does not know, are listed with the reason.
"""

import argparse
import fnmatch
import json
import os
import selectors
import signal
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

PEERS = Path(__file__).with_name("peers")
sys.path.append(str(PEERS))

from works import LARGE_WORKS, WORKS, Work, encode  # noqa: E402 - peers run as programs beside it

OWN = "clprobe"
NAMES = (OWN, "torch", "onednn", "numpy", "clblast", "tinygrad", "netcl", "dlprim")
_TOLERANCE = 1e-3


class Peer:
    """A child process that answers works with samples."""

    def __init__(self, name: str, python: str, environment: Mapping[str, str]) -> None:
        self.name = name
        self.absent = ""
        self._start = ([python, str(PEERS / f"{name}_peer.py")], dict(environment))
        self._process: subprocess.Popen[str] | None = None

    def ask(self, work: Work, seconds: float, limit_s: float) -> dict[str, Any]:
        """Return the answer, or why there is none."""
        if self.absent:
            return {"refused": self.absent}
        process = self._running()
        # Idle threads may spin, so a peer is stopped while it is another's turn.
        process.send_signal(signal.SIGCONT)
        try:
            return self._answer(process, work, seconds, limit_s)
        finally:
            if self._process is not None:
                self._process.send_signal(signal.SIGSTOP)

    def _answer(
        self, process: "subprocess.Popen[str]", work: Work, seconds: float, limit_s: float
    ) -> dict[str, Any]:
        try:
            process.stdin.write(json.dumps([encode(work), seconds]) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._ended()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(limit_s):
                self.close()
                return {"refused": f"took more than {limit_s:.0f} s"}
        line = process.stdout.readline()
        return json.loads(line) if line else self._ended()

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None:
            argv, environment = self._start
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
            )
        return self._process

    def _ended(self) -> dict[str, Any]:
        """Say why the process ended; one that never answered is not installed."""
        process, self._process = self._process, None
        _, error = process.communicate(timeout=10)
        lines = [line for line in error.splitlines() if line.strip()]
        reason = f"ended with {process.returncode}: {lines[-1][:120] if lines else 'no word'}"
        if "Error" in reason:
            self.absent = reason
        return {"refused": reason}

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __enter__(self) -> "Peer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@dataclass(slots=True)
class Row:
    """The samples of one work."""

    work: Work
    samples_ms: dict[str, list[float]] = field(default_factory=dict)
    digests: dict[str, float] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def cell(self, peer: str) -> str:
        """Return median, spread, and how many times as fast clprobe is."""
        samples = self.samples_ms.get(peer)
        if not samples:
            return "-"
        amount, unit = self.work.work
        median = statistics.median(samples)
        low, _, high = statistics.quantiles(samples, n=4)
        spread = 50 * (high - low) / median
        shown = f"{median:.2f} ms" if unit == "steps/s" else f"{1e3 * amount / median:.0f}"
        text = f"{shown} ± {spread:.0f} %"
        own = self.samples_ms.get(OWN)
        if peer != OWN and own:
            text += f" ({median / statistics.median(own):.2f} ×)"
        return text + (" **wrong**" if self._is_wrong(peer) else "")

    def _is_wrong(self, peer: str) -> bool:
        if self.work.work[1] == "steps/s" or OWN not in self.digests:
            return False
        return abs(self.digests[peer] / self.digests[OWN] - 1) > _TOLERANCE


def timed(work: Work, peers: list[Peer], given: argparse.Namespace) -> Row:
    """Give a work to all peers in turns."""
    row = Row(work)
    for _ in range(given.rounds):
        for peer in peers:
            if peer.name in row.refused:
                continue
            answer = peer.ask(work, given.seconds, given.limit)
            if "refused" in answer:
                row.refused[peer.name] = answer["refused"]
            else:
                row.samples_ms.setdefault(peer.name, []).extend(answer["samples_ms"])
                row.digests[peer.name] = answer["digest"]
    return row


def main() -> None:
    """Print the table as it grows, then what was refused and why."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--icd", type=Path, help="the only ICD to use, a .icd file")
    parser.add_argument("--python", action="append", default=[], metavar="PEER=PYTHON")
    parser.add_argument("--peers", default=",".join(NAMES))
    parser.add_argument("--works", default="*", help="pattern of names, as in 'NN*'")
    parser.add_argument("--large", action="store_true", help="also what only GPUs are for")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.15, help="of samples in each round")
    parser.add_argument("--limit", type=float, default=60, help="seconds for an answer")
    given = parser.parse_args()
    environment = dict(os.environ)
    if given.icd:
        environment["OCL_ICD_VENDORS"] = str(given.icd)
    pythons = dict(pair.split("=", 1) for pair in given.python)
    names = given.peers.split(",")
    peers = [Peer(name, pythons.get(name, sys.executable), environment) for name in names]
    say = sys.stdout.write
    say(f"| work | unit | {' | '.join(names)} |\n|{'---|' * (len(names) + 2)}\n")
    refusals: dict[tuple[str, str], list[str]] = {}
    for work in (*WORKS, *LARGE_WORKS) if given.large else WORKS:
        if not fnmatch.fnmatch(work.name, given.works):
            continue
        row = timed(work, peers, given)
        unit = "ms" if work.work[1] == "steps/s" else work.work[1]
        say(f"| {work.name} | {unit} | {' | '.join(row.cell(name) for name in names)} |\n")
        sys.stdout.flush()
        for name, reason in row.refused.items():
            refusals.setdefault((name, reason), []).append(work.name)
    for (name, reason), works in refusals.items():
        say(f"\n{name}: {reason} ({works[0]}{f' and {len(works) - 1} more' * (len(works) > 1)})")
    say("\n")
    for peer in peers:
        peer.close()


if __name__ == "__main__":
    main()
