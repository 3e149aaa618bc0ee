# SPDX-License-Identifier: MIT
"""Types lines into a person's log-in shell and shows how each ended; run in a bare system, as root.

    python3 pasting_session.py NAME SECONDS LINE…

The shell has a terminal of its own. A line is typed when the prompt is there, as if pasted one by
one, and questions get the key that most people press: Enter for what the program suggests, y where
it suggests to stop. Standard output gets a JSON list with `line`, `exit` (null: not over in time,
after which no more lines are typed) and `said` of each.
"""

import contextlib
import json
import os
import pty
import re
import select
import sys
import time

_PROMPT = re.compile(r"\[status (\d+)\] \Z")
_ANSWERS = {
    re.compile(r"\[[Yy]/n\] ?\Z"): "\n",
    re.compile(r"\[y/N\] ?\Z"): "y\n",
    # Debconf without and with its dialogs.
    re.compile(r"(\[More\]|\[default=\w*\]|Press \[?enter\]? to continue\.?) ?\Z", re.I): "\n",
    re.compile(r"<Ok>\s*\Z", re.I): "\n",
}
_ESCAPES = re.compile(r"\x1b\][^\x07]*\x07|\x1b[\[(][0-9;?]*[A-Za-z]|\x1b[=>78]|\r")
_KEPT = 20_000


class Terminal:
    """A terminal with the person's log-in shell."""

    def __init__(self, name: str) -> None:
        self._process, self._keys = pty.fork()
        if self._process == 0:
            os.environ["TERM"] = "xterm"
            os.execvp("su", ["su", "-", name])  # noqa: S606 - there is no shell before

    def wait(self, seconds: float) -> tuple[int | None, str]:
        """Return the status that the next prompt shows, and what was on the screen before it."""
        screen, over = "", time.monotonic() + seconds
        while time.monotonic() < over:
            if not select.select([self._keys], [], [], 1)[0]:
                continue
            try:
                screen += os.read(self._keys, 65536).decode(errors="replace")
            except OSError:  # the shell has ended
                return None, screen
            plain = _ESCAPES.sub("", screen[-_KEPT:])
            if match := _PROMPT.search(plain):
                return int(match[1]), plain
            for question, answer in _ANSWERS.items():
                if question.search(plain):
                    screen += "\n"  # so that it is answered once
                    self.type(answer)
        return None, _ESCAPES.sub("", screen[-_KEPT:])

    def type(self, text: str) -> None:
        os.write(self._keys, text.encode())

    def close(self) -> None:
        """Hang up: the shell and what runs in it end."""
        os.close(self._keys)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._process, 0)


def main(name: str, seconds: float, lines: list[str]) -> None:
    """Type the lines and print what came of each."""
    terminal, told = Terminal(name), []
    terminal.type("PS1='[status $?] '\n")
    terminal.wait(30)
    for line in lines:
        terminal.type(f"{line}\n")
        status, said = terminal.wait(seconds)
        told.append({"line": line, "exit": status, "said": said})
        if status is None:
            break
    terminal.close()
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
