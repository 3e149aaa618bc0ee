# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - signals are caught before anything that takes time is imported
"""The entry point: however clprobe is ended, by a signal too, it leaves nothing behind.

SIGTERM and SIGHUP interrupt like Ctrl-C, wherever the program is; once all is cleaned up, the
process dies of that signal, as whoever sent it expects. A signal that is ignored stays ignored.
"""

import atexit
import contextlib
import os
import signal
import sys
import time
from types import FrameType
from typing import NoReturn

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.exit import garbage

# They put away what they hold of devices, and their threads, while Python ends.
_ENDED_BY_PYTHON = {"numpy", "pyopencl", "torch"}
_DEADLY = (signal.SIGTERM, signal.SIGHUP)
# systemd sends both, a terminal that closes may, and a process and its group may each get one.
_TOGETHER_S = 0.5
_A_MOMENT_S = 0.01


class _Signals:
    """Turns signals into KeyboardInterrupt, until `hold`."""

    def __init__(self) -> None:
        self.deadly: int | None = None
        self._held = False
        self._last = -_TOGETHER_S

    def catch(self) -> None:
        """Begin, except with those that are ignored."""
        for number in (signal.SIGINT, *_DEADLY):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._interrupt)
        # Whoever ignores it, as some supervisors do, has Linux forget how our children ended.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, self._interrupt)
        sys.unraisablehook = self._interrupt_again

    def hold(self) -> None:
        """Let nothing interrupt from here on."""
        self._held = True

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del frame
        if number in _DEADLY:
            self.deadly = self.deadly or number
        before, self._last = self._last, time.monotonic()
        if not self._held and self._last - before >= _TOGETHER_S:
            raise KeyboardInterrupt

    def _interrupt_again(self, ignored: "sys.UnraisableHookArgs") -> None:
        """Python drops what is raised while it collects garbage: raise it a moment later."""
        if not isinstance(ignored.exc_value, KeyboardInterrupt):
            sys.__unraisablehook__(ignored)
            return
        self._last = -_TOGETHER_S
        signal.setitimer(signal.ITIMER_REAL, _A_MOMENT_S)


def run() -> NoReturn:
    """Run the command line and exit with its status, or die of the signal that ended it."""
    signals = _Signals()
    status: object = exit_codes.UNDECIDED
    try:
        signals.catch()
        garbage.collect_seldom()
        try:
            from clprobe.cli.main import main

            main()
        except SystemExit as end:
            status = end.code
        except Exception as error:  # noqa: BLE001 - raised again unless a limit or the end explains it
            # A terminal that hung up, say, has no room for last words.
            if signals.deadly is None:
                _explain(error)
        signals.hold()
    except KeyboardInterrupt:
        signals.hold()
        _say("clprobe: interrupted")
    wards = sys.modules.get("clprobe.probe.wards")
    if wards is not None:  # else no child was started
        wards.end_wards()
    if signals.deadly is not None:
        _die_of(signals.deadly)
    _leave(status)


def _leave(status: object) -> NoReturn:
    """Exit; Linux takes back at once what Python would free object by object, for 30 ms."""
    if isinstance(status, int) and not _ENDED_BY_PYTHON & sys.modules.keys():
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
            sys.stderr.flush()
            # As multiprocessing ends its children.
            atexit._run_exitfuncs()
            os._exit(status)
    sys.exit(status)  # type: ignore[arg-type]


def _explain(error: Exception) -> None:
    """Say what was lacking where a limit is the reason; else it is a bug, and raised again."""
    from clprobe.cli.exit.shortage import shortage

    lacking = shortage(error)
    if lacking is None:
        raise error
    _say(f"clprobe: {lacking}")


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{text}\n")


def _die_of(number: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)
