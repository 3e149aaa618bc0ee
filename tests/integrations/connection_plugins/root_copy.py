# SPDX-License-Identifier: MIT
"""Lets Ansible reach a tests/systems/root_copy.py by the words that enter it."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.connection import ConnectionBase

DOCUMENTATION = """
name: root_copy
short_description: Run in a system of the tests
description: Runs commands in a mount namespace and a root of its own.
author: The clprobe authors
options:
  enter:
    description: The words that come before a command.
    type: list
    elements: str
    vars: [{name: root_copy_enter}]
"""
NAMESPACE = "--mount="


class Connection(ConnectionBase):
    """Nothing is kept open: each command enters anew."""

    transport = "root_copy"
    has_pipelining = True

    def _connect(self) -> "Connection":
        self._connected = True
        return self

    def exec_command(
        self, cmd: str, in_data: bytes | None = None, sudoable: bool = True
    ) -> tuple[int, bytes, bytes]:
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        return self._run("/bin/sh", "-c", cmd, given=in_data)

    def put_file(self, in_path: str, out_path: str) -> None:
        super().put_file(in_path, out_path)
        self._run("/bin/sh", "-c", 'cat > "$0"', out_path, given=Path(in_path).read_bytes())

    def fetch_file(self, in_path: str, out_path: str) -> None:
        super().fetch_file(in_path, out_path)
        Path(out_path).write_bytes(self._run("/bin/cat", in_path)[1])

    def close(self) -> None:
        self._connected = False

    def _run(self, *command: str, given: bytes | None = None) -> tuple[int, bytes, bytes]:
        enter: list[Any] = self.get_option("enter")
        namespace = next(word for word in enter if word.startswith(NAMESPACE))
        if not Path(namespace.removeprefix(NAMESPACE)).exists():
            raise AnsibleConnectionFailure("the machine is switched off")
        pipe = subprocess.PIPE
        with subprocess.Popen(
            [*enter, *command], stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        ) as process:
            try:
                output, errors = process.communicate(given)
            except BaseException:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
        return process.returncode, output, errors
