# SPDX-License-Identifier: MIT
"""Runs Ansible with the collection, which it installs as a user would, and reads how it ended."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
COLLECTION = ROOT / "clprobe/integrations/ansible"
CONNECTIONS = Path(__file__).parent / "connection_plugins"
RUN_LIMIT_S = 900
_RECAP = re.compile(r"^(\S+)\s+: ((?:\w+=\d+\s*)+)$", re.MULTILINE)


def program(name: str = "ansible-playbook") -> Path | None:
    """Return a program of ansible-core, beside the Python that runs the tests or in the path."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    return Path(found) if found else None


class Played(NamedTuple):
    """What a play-book printed, and per host its recap: ok, changed, unreachable, failed …"""

    status: int
    output: str
    recap: dict[str, dict[str, int]]


class Ansible:
    """The collection, installed below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(folder),
            "ANSIBLE_CONNECTION_PLUGINS": str(CONNECTIONS),
            "ANSIBLE_HOME": str(folder / "home"),
            "ANSIBLE_LOCAL_TEMP": str(folder / "temporary"),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_FORKS": "10",
            "LC_ALL": "C.UTF-8",
        }
        # Without what an editor or an earlier run left beside the sources.
        done = self.run(
            "ansible-galaxy", "collection", "install", "--offline", "-p", folder, COLLECTION
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def run(
        self, name: str, *arguments: object, cwd: Path | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run a program of ansible-core."""
        path = program(name)
        assert path is not None, f"no {name}"
        return subprocess.run(
            [path, *map(str, arguments)],
            env=self._environment,
            cwd=cwd or self._folder,
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def play(
        self, playbook: object, hosts: Mapping[str, Mapping[str, Any]], *arguments: object
    ) -> Played:
        """Run a play-book with hosts and their variables, without any way to ask somebody."""
        inventory = self._folder / "inventory.json"
        inventory.write_text(json.dumps({"all": {"hosts": hosts}}))
        done = self.run("ansible-playbook", "-i", inventory, playbook, *arguments)
        recap = {
            host: {
                name: int(count)
                for name, _, count in (pair.partition("=") for pair in told.split())
            }
            for host, told in _RECAP.findall(done.stdout)
        }
        return Played(done.returncode, done.stdout + done.stderr, recap)
