# SPDX-License-Identifier: MIT
"""Runs the tools that manage containers and sandboxes, to look at one from outside."""

import contextlib
import os
import pwd
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from clprobe.probe.host import Fed, Tool, ToolAnswer

_FOLDERS = ("/usr/bin", "/usr/local/bin", "/bin", "/snap/bin", "/usr/sbin", "/sbin",
            "/run/current-system/sw/bin")  # fmt: skip
"""Where distributions put them: what PATH offers is not run to look at a host."""
_PASSED_ON = ("XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_DATA_DIRS", "DBUS_SESSION_BUS_ADDRESS")
_SOCKETS = ("DOCKER_HOST", "CONTAINER_HOST")
_HERE = "unix:"
_MOST_BYTES = 48 << 20
_MOST_COMPLAINT = 4096
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
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with contextlib.ExitStack() as stack:
            source = stack.enter_context((_SCRIPTS / fed).open("rb")) if fed else subprocess.DEVNULL
            try:
                child = subprocess.Popen(
                    [command, *arguments],
                    stdin=source,
                    stdout=out,
                    stderr=err,
                    env=_surroundings(environment),
                    start_new_session=True,
                )
            except OSError as error:
                return ToolAnswer(ended="exit", status=126, complaint=f"{command}: {error}")
        try:
            status = child.wait(limit_s)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return ToolAnswer(ended="timeout", complaint=_text(err))
        return ToolAnswer(
            ended="exit", status=status, printed=_start(out, _MOST_BYTES), complaint=_text(err)
        )


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


def _start(file: IO[bytes], most: int) -> bytes:
    file.seek(0)
    return file.read(most)


def _text(file: IO[bytes]) -> str:
    return _start(file, _MOST_COMPLAINT).decode("utf-8", "replace").strip()
