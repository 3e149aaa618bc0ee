# SPDX-License-Identifier: MIT
"""Runs a program as it would run without us, passes on what it prints, and looks at it meanwhile.

Its standard input, working folder, arguments, descriptors and process group are ours, so signals
from the terminal reach it; those sent to us are passed on. Where our output is a terminal it gets
one, where it is none it gets a pipe, and both outputs stay one where they were one.
"""

import contextlib
import fcntl
import os
import pty
import re
import resource
import selectors
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import NamedTuple

_MOST_KEPT = 1 << 18
"""Bytes of its output that are kept, the last ones; all of it is passed on."""
_PATIENCE_S = 0.3
"""How long to listen to what a program that has ended left running."""
_PAUSE_S = 0.01
_LINKER = b"ERROR: ld.so: object"
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)


class Ended(NamedTuple):
    """How a program ended: `status` is negative for a signal; `printed` are its last bytes.

    `processor_s` is the processor time of all its processes that were waited for.
    """

    pid: int
    status: int
    elapsed_s: float
    processor_s: float
    printed: bytes


def run(
    argv: Sequence[str],
    environment: Mapping[str, str],
    look: Callable[[int], float],
    *,
    output: int | None = None,
    hushed: str = "",
) -> Ended:
    """Run a program to its end; `look` is called with its process id, and says when again.

    `output` is where all that it prints goes; None: each where it would go. `hushed` is a library
    of LD_AUDIT; that the dynamic linker of a sandbox cannot load it is kept to ourselves.

    Raises: OSError if it cannot be started.
    """
    signals = _Signals()
    try:
        with _outlets(output, hushed) as outlets:
            started = time.monotonic()
            spent_before_s = _processor_s()
            process = subprocess.Popen(
                list(argv),
                env=dict(environment),
                stdout=outlets.ends[0],
                stderr=outlets.ends[1],
                close_fds=False,
            )
            signals.begin(process)
            outlets.close_ends()
            _follow(process, outlets, look)
            elapsed_s = time.monotonic() - started
            status = process.wait()
            spent_s = _processor_s() - spent_before_s
            return Ended(process.pid, status, elapsed_s, spent_s, bytes(outlets.kept))
    finally:
        signals.end()


def _processor_s() -> float:
    """Return the processor time of our children that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Outlets:
    """Ways from the program's outputs to ours, by the descriptor that is read."""

    def __init__(self, targets: tuple[int, int], hushed: str) -> None:
        self._hushed = re.compile(
            rb"ERROR: ld\.so: object '%s' (?:from LD_AUDIT )?cannot be loaded as audit interface: "
            rb"[^\n]*\n" % re.escape(os.fsencode(hushed))
        )
        self.kept = bytearray()
        self.ways: dict[int, int] = {}
        self._broken: set[int] = set()
        first = self._way(targets[0])
        same = _are_one(*targets)
        self.ends = (first, first if same else self._way(targets[1]))

    def close_ends(self) -> None:
        """Close what the program alone writes to, so that its end is noticed."""
        for end in set(self.ends):
            with contextlib.suppress(OSError):
                os.close(end)
        self.ends = (-1, -1)

    def close(self) -> None:
        """Close everything."""
        self.close_ends()
        for source in self.ways:
            os.close(source)

    def pass_on(self, source: int) -> bool:
        """Copy what is there; return whether there may be more."""
        try:
            piece = os.read(source, 65536)
        except BlockingIOError:
            return True
        except OSError:  # a terminal whose other end is closed
            return False
        more = bool(piece)
        if _LINKER in piece:
            piece = self._hushed.sub(b"", piece)
        self.kept += piece
        del self.kept[: -_MOST_KEPT - 1]
        self._write(self.ways[source], piece)
        return more

    def _write(self, target: int, piece: bytes) -> None:
        if target in self._broken:
            return
        try:
            os.set_blocking(target, True)
            while piece:
                piece = piece[os.write(target, piece) :]
        except OSError:  # nobody reads it any more
            self._broken.add(target)

    def _way(self, target: int) -> int:
        if os.isatty(target):
            source, end = pty.openpty()
            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(end, termios.TCSANOW, termios.tcgetattr(target))
                size = fcntl.ioctl(target, termios.TIOCGWINSZ, b"\0" * 8)
                fcntl.ioctl(end, termios.TIOCSWINSZ, size)
        else:
            source, end = os.pipe()
        os.set_blocking(source, False)
        self.ways[source] = target
        return end


@contextlib.contextmanager
def _outlets(output: int | None, hushed: str) -> Iterator[_Outlets]:
    outlets = _Outlets((1, 2) if output is None else (output, output), hushed)
    try:
        yield outlets
    finally:
        outlets.close()


def _are_one(first: int, second: int) -> bool:
    try:
        one, two = os.fstat(first), os.fstat(second)
    except OSError:
        return False
    return (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)


class _Signals:
    """Leaves signals of the terminal to the program, and passes on those that are sent to us."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []
        # Handlers, not SIG_IGN: what is ignored stays ignored in a program that is started.
        self._before = {number: signal.signal(number, self._pass_on) for number in _PASSED_ON}
        # These go to the whole group, and so to the program.
        self._before |= {
            number: signal.signal(number, lambda _, __: None) for number in _FROM_TERMINAL
        }

    def begin(self, process: "subprocess.Popen[bytes]") -> None:
        """Pass on to this process, also what came before it was there."""
        self._process = process
        for number in self._early:
            process.send_signal(number)

    def end(self) -> None:
        """Let signals mean again what they did."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        if self._process is None:
            self._early.append(number)
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)


def _follow(
    process: "subprocess.Popen[bytes]", outlets: _Outlets, look: Callable[[int], float]
) -> None:
    # The shortest life has one moment when it is sure to be there.
    next_look = time.monotonic() + look(process.pid)
    with selectors.DefaultSelector() as selector:
        for source in outlets.ways:
            selector.register(source, selectors.EVENT_READ)
        while process.poll() is None:
            now = time.monotonic()
            if now >= next_look:
                next_look = now + look(process.pid)
            _pass_on(selector, outlets, min(max(0.0, next_look - time.monotonic()), _PAUSE_S))
        ends = time.monotonic() + _PATIENCE_S
        while selector.get_map() and time.monotonic() < ends:
            _pass_on(selector, outlets, _PAUSE_S)


def _pass_on(selector: selectors.BaseSelector, outlets: _Outlets, wait_s: float) -> None:
    """Pass on what comes within that time."""
    if not selector.get_map():
        time.sleep(wait_s)
        return
    for key, _ in selector.select(wait_s):
        if not outlets.pass_on(key.fd):
            selector.unregister(key.fd)
