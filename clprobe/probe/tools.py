# SPDX-License-Identifier: MIT
"""Runs the tools that manage containers and sandboxes, to look at one from outside."""

import contextlib
import os
import pwd
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, cast

from clprobe.probe.host import Fed, Tool, ToolAnswer

_FOLDERS = ("/usr/bin", "/usr/local/bin", "/bin", "/snap/bin", "/usr/sbin", "/sbin",
            "/run/current-system/sw/bin")  # fmt: skip
"""Where distributions put them: what PATH offers is not run to look at a host."""
_PASSED_ON = ("XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_DATA_DIRS", "DBUS_SESSION_BUS_ADDRESS")
_SOCKETS = ("DOCKER_HOST", "CONTAINER_HOST")
_HERE = "unix:"
_MOST_BYTES = 48 << 20
_MOST_COMPLAINT = 4096
_PIECE = 1 << 16
_SCRIPTS = Path(__file__).resolve().parent.parent / "outside"


def run_tool(
    tool: Tool,
    arguments: tuple[str, ...],
    limit_s: float,
    fed: Fed,
    environment: Mapping[str, str],
) -> ToolAnswer:
    """Return what the tool answers; it is ended with all that it started when its time is up."""
    command = _found(tool)
    if command is None:
        return ToolAnswer(ended="absent")
    with contextlib.ExitStack() as stack:
        source = stack.enter_context((_SCRIPTS / fed).open("rb")) if fed else subprocess.DEVNULL
        try:
            child = subprocess.Popen(
                [command, *arguments],
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_surroundings(environment),
                start_new_session=True,
            )
        except OSError as error:
            return ToolAnswer(ended="exit", status=126, complaint=f"{command}: {error}")
        with child:
            return _answer(child, time.monotonic() + limit_s)


def _answer(child: "subprocess.Popen[bytes]", deadline: float) -> ToolAnswer:
    """Return what it prints until it ends, prints too much, or its time is up."""
    kept = {stream: bytearray() for stream in (child.stdout, child.stderr) if stream is not None}
    in_time = True
    with selectors.DefaultSelector() as selector:
        for stream in kept:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map() and in_time:
            left_s = deadline - time.monotonic()
            in_time = left_s > 0
            for key, _ in selector.select(max(left_s, 0)):
                stream = cast("IO[bytes]", key.fileobj)
                piece = os.read(stream.fileno(), _PIECE)
                kept[stream] += piece
                if not piece:
                    selector.unregister(stream)
                in_time &= len(kept[stream]) <= _MOST_BYTES
    if in_time:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(deadline - time.monotonic(), 0))
    is_done = child.poll() is not None
    if not is_done:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # with what it started
    status = child.wait()
    out, err = (bytes(text) for text in kept.values())
    complaint = err[:_MOST_COMPLAINT].decode("utf-8", "replace").strip()
    if not is_done or len(out) > _MOST_BYTES:
        return ToolAnswer(ended="timeout", complaint=complaint)
    return ToolAnswer(ended="exit", status=status, printed=out, complaint=complaint)


def _found(tool: str) -> str | None:
    paths = (f"{folder}/{tool}" for folder in _FOLDERS)
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def _surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the tools need to find their data; none that loads code.

    Sockets on other machines are left out: what is there would be taken for what is here.
    """
    kept = {name: environment[name] for name in _PASSED_ON if name in environment}
    sockets = {
        name: environment[name] for name in _SOCKETS if environment.get(name, "").startswith(_HERE)
    }
    try:
        home = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        home = environment.get("HOME", "/")
    return {**kept, **sockets, "HOME": home, "PATH": ":".join(_FOLDERS), "LC_ALL": "C.UTF-8"}
