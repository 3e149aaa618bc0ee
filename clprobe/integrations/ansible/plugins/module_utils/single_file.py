# SPDX-License-Identifier: MIT
"""Runs clprobe.pyz on a host, for the modules of this collection.

A host with a Python that is too old must hear so, so this is written for Python 3.6.
"""

import os
import platform
import signal
import subprocess
import sys

OLDEST = (3, 10)
MOST_TOLD = 2000
"""Characters of an error output that a failure repeats."""


class SingleFileError(Exception):
    """It did not run, or not to its end; says why."""


class Run:
    """How a command ended."""

    def __init__(self, status: int, output: str, errors: str) -> None:
        self.status = status
        self.output = output
        self.errors = errors


class SingleFile:
    """One clprobe.pyz, which unpacks itself into `folder` alone and leaves nothing elsewhere.

    Raises: SingleFileError where this Python is too old for it.
    """

    def __init__(self, path: str, folder: str, limit_s: float) -> None:
        here = sys.version_info[:2]
        if here < OLDEST:
            raise SingleFileError(
                f"clprobe needs Python {OLDEST[0]}.{OLDEST[1]} or newer on the host, and "
                f"{sys.executable} is {platform.python_version()}. Where the host has a newer one, "
                "name it with ansible_python_interpreter."
            )
        self._path = path
        self._limit_s = limit_s
        # PoCL, too, keeps its compiled kernels below this folder.
        self._environment = dict(os.environ, XDG_CACHE_HOME=folder, NO_COLOR="1")

    def run(self, *arguments: str) -> Run:
        """Return how a command of clprobe ended; nobody is there to answer its questions.

        Raises: SingleFileError at the time limit, with all that it started ended.
        """
        with subprocess.Popen(
            [sys.executable, self._path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            encoding="utf-8",
            errors="replace",
            env=self._environment,
            start_new_session=True,
        ) as process:
            try:
                output, errors = process.communicate(timeout=self._limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise SingleFileError(
                    f"clprobe {' '.join(arguments)} had not ended after {self._limit_s:g} s, which "
                    "is the option limit."
                ) from None
        return Run(process.returncode, output, errors[-MOST_TOLD:])
