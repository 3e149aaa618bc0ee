# SPDX-License-Identifier: MIT
"""A headless Chromium that is told what to do over two pipes, as the DevTools protocol has it.

For developers: `apt-get install chromium` brings the browser, `pip install --no-deps
axe-playwright-python` (or `npm pack axe-core`, unpacked, and CLPROBE_AXE naming its axe.min.js)
what looks for faults that keep people out.

https://chromedevtools.github.io/devtools-protocol/ describes the messages.
"""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
TIME_LIMIT_S = 60
_OPTIONS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"),
    *("--no-first-run", "--hide-scrollbars", "--disable-dev-shm-usage"),
)


def program() -> str | None:
    """Return the browser's program, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def axe() -> Path | None:
    """Return axe-core as one script, if there is one."""
    named = os.environ.get("CLPROBE_AXE")
    if named:
        return Path(named)
    package = find_spec("axe_playwright_python")
    places = package.submodule_search_locations if package is not None else None
    return Path(places[0], "axe.min.js") if places else None


class Tab:
    """One open page of a browser."""

    def __init__(self, process: "subprocess.Popen[bytes]", to: int, answers: int) -> None:
        self._process, self._to, self._answers = process, to, answers
        self._read = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        """What the browser told unasked since the last `open`."""
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        attached = self.tell("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.tell(f"{domain}.enable")

    def open(self, page: Path, *, width: int, dark: bool, height: int = 800) -> None:
        """Show a file in a window of a width, and wait until it is there."""
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.tell("Page.navigate", url=page.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._next()

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the page began to open, its own too."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def evaluate(self, script: str) -> Any:
        """Return what a script's last expression, or promise, comes to."""
        done = self.tell(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def screenshot(self, file: Path, *, whole: bool = False) -> None:
        """Write what is seen, or the whole page, as a PNG."""
        shot = self.tell("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    def tell(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        _write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + TIME_LIMIT_S
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._answers], [], [], max(0, until - time.monotonic()))
            more = os.read(self._answers, 1 << 20) if ready else b""
            assert more, f"the browser says nothing more, status {self._process.poll()}"
            self._read += more
        first, _, self._read = self._read.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        if "method" in message:
            self.events.append(message)
        return message


@contextlib.contextmanager
def started(browser: str, options: Sequence[str] = _OPTIONS) -> Iterator[Tab]:
    """Start a browser with a profile of its own, and leave nothing behind.

    It reads what it is told from 3, and answers on 4.
    """
    told, to = os.pipe()
    answers, said = os.pipe()
    # A shell puts them where the browser wants them: what Python could run in the child before,
    # newer ones warn of where there are threads.
    placed = f'exec "$0" "$@" 3< /proc/self/fd/{told} 4> /proc/self/fd/{said}'
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        subprocess.Popen(
            ["sh", "-c", placed, browser, *options, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(told, said),
            env=os.environ | {"HOME": profile},
        ) as process,
    ):
        for end in (told, said):
            os.close(end)
        try:
            yield Tab(process, to, answers)
        finally:
            os.close(to)
            os.close(answers)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()


def _write(end: int, message: bytes) -> None:
    while message:
        message = message[os.write(end, message) :]
