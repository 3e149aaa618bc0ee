# SPDX-License-Identifier: MIT
"""Looks at a process and all below it again and again, and keeps what each look adds."""

import time

from clprobe.model.unknown import Fact, Unknown
from clprobe.watch.sight import NO_VARIABLE_YET, Sight, descendants, exe_of, look

_MOST_PROCESSES = 256
_BURST_S, _IN_BURST_S = 0.25, 0.0003
_FREE_S, _BURST_SHARE = 0.01, 8
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.01, 0.25
_SHARE = 40


class Observer:
    """Collects looks at a process and all below it; later looks add to earlier ones.

    A process that is new, or has become another program, is looked at wholly at once, for wrappers
    start the real program within milliseconds; others now and then, so that looking takes a
    fortieth of the time. Where many processes are new, looking takes an eighth of the first quarter
    of a second: it halts what it looks at, and may take its processor.
    """

    def __init__(self) -> None:
        self.sights: dict[int, Sight] = {}
        self._began = time.monotonic()
        self._next_whole = 0.0
        self._pause_s = _FIRST_PAUSE_S
        self._spent_s = 0.0

    def look(self, pid: int) -> float:
        """Look at the process and its descendants; return the seconds until the next look."""
        now = time.monotonic()
        is_whole = now >= self._next_whole
        for one in descendants(pid)[:_MOST_PROCESSES]:
            known = self.sights.get(one)
            if is_whole or known is None or exe_of(one) != known.exe:
                self._take(look(one))
        took_s = time.monotonic() - now
        self._spent_s += took_s
        if is_whole:
            self._pause_s = min(max(self._pause_s * 1.1, took_s * _SHARE), _LONGEST_PAUSE_S)
            self._next_whole = now + took_s + self._pause_s
        since_s = now - self._began
        if since_s >= _BURST_S:
            return self._pause_s
        is_cheap = self._spent_s < _FREE_S + since_s / _BURST_SHARE
        return _IN_BURST_S if is_cheap else took_s * _BURST_SHARE

    def _take(self, seen: Sight) -> None:
        if not seen.has_ended:
            known = self.sights.get(seen.pid)
            self.sights[seen.pid] = seen if known is None else _merged(known, seen)


def _merged(before: Sight, now: Sight) -> Sight:
    """Return the newer look with what only the older one saw; an exec starts anew."""
    if isinstance(now.exe, Unknown):
        return before
    if now.exe != before.exe:
        return now
    return now._replace(
        libraries=_joined(before.libraries, now.libraries),
        nodes=_joined(before.nodes, now.nodes),
        environment=_variables(before.environment, now.environment),
        inside=before.inside if isinstance(now.inside, Unknown) else now.inside,
        nodev=before.nodev if isinstance(now.nodev, Unknown) else now.nodev,
        folder=before.folder if isinstance(now.folder, Unknown) else now.folder,
    )


def _variables(before: Fact[dict[str, str]], now: Fact[dict[str, str]]) -> Fact[dict[str, str]]:
    """Return the newer variables; where there are none at two looks, there are none."""
    if before == now == NO_VARIABLE_YET:
        return {}
    return before if isinstance(now, Unknown) else now


def _joined(one: Fact[tuple[str, ...]], two: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
    if isinstance(one, Unknown) or isinstance(two, Unknown):
        return two if isinstance(one, Unknown) else one
    return tuple(dict.fromkeys((*one, *two)))
