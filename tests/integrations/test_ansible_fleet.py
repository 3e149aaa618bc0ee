# SPDX-License-Identifier: MIT
"""The collection on eight machines: Debian 11 to sid, healthy, broken, hung, too old, and off.

They are bare systems that CLPROBE_DEBIAN_ROOTS keeps from run to run: making them takes too long
for every run of the tests. Ansible enters them by connection_plugins/root_copy.py.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from ansible_runs import ROOT, Ansible, Played, program
from debian_roots import CACHE, DebianRoots, UnavailableError, needs
from faults import compile_driver
from root_copy import CLPROBE, RootCopy

LACKING = needs() or next(
    (
        f"needs {what}"
        for what, is_there in (
            (f"{CACHE}, a folder for bare Debian systems", CACHE in os.environ),
            ("ansible-core", program()),
            ("a C compiler", shutil.which("cc")),
        )
        if not is_there
    ),
    None,
)
pytestmark = [
    pytest.mark.root,
    pytest.mark.slow,
    pytest.mark.reality,
    pytest.mark.skipif(LACKING is not None, reason=str(LACKING)),
]
INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends")
LOADER = "ocl-icd-libopencl1"
RELEASES = {
    "healthy": "12",
    "without-loader": "12",
    "stuck": "12",
    "gone": "sid",
    "hung": "13",
    "bare": "13",
    "old": "11",
}
ANSWERING = {"healthy", "without-loader", "gone", "hung", "bare"}
STUCK_PYTHON = "#!/bin/sh\nexec sleep 1000\n"
PATIENCE_S = 60
"""Doctor waits 20 s for the driver that hangs."""
AS_ROOT = ("-e", "clprobe_become=false", "-e", f"mend_patience={PATIENCE_S}")


class Fleet:
    """The machines, and the collection to reach them with."""

    def __init__(self, ansible: Ansible, machines: dict[str, RootCopy], folder: Path) -> None:
        self.machines = machines
        self.folder = folder
        self._ansible = ansible
        self._hosts: dict[str, dict[str, Any]] = {
            name: {"ansible_connection": "root_copy", "root_copy_enter": machine.entering()}
            for name, machine in machines.items()
        }
        gone = ("nsenter", "--mount=/proc/999999999/ns/mnt")
        self._hosts["off"] = {"ansible_connection": "root_copy", "root_copy_enter": gone}

    def play(self, name: str, *arguments: str) -> Played:
        """Run one of the collection's play-books on all, or those that the arguments say."""
        own = (f"clprobe_file={self.folder}/clprobe.pyz", f"clprobe_folder={self.folder}/report")
        given = [word for one in own for word in ("-e", one)]
        return self._ansible.play(f"clprobe.opencl.{name}", self._hosts, *given, *arguments)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    folder = tmp_path_factory.mktemp("fleet")
    roots = DebianRoots(Path(os.environ[CACHE]))
    making = [sys.executable, ROOT / ".ci/single_file.py", folder / "clprobe.pyz"]
    made = subprocess.run(making, capture_output=True, text=True, timeout=900, check=False)
    if made.returncode:
        pytest.skip(f"the single file cannot be made: {made.stderr[-300:]}")
    with ExitStack() as stack:
        machines = {}
        for name, release in RELEASES.items():
            memory = folder / name
            memory.mkdir()
            try:
                machine = stack.enter_context(roots.copy(release, memory))
            except UnavailableError as error:
                pytest.skip(str(error))
            machine.expect("rm", "-r", CLPROBE, seconds=60)  # Ansible brings its own
            machines[name] = machine
        prepare(machines, folder)
        (folder / "ansible").mkdir()
        yield Fleet(Ansible(folder / "ansible"), machines, folder)


def prepare(machines: dict[str, RootCopy], folder: Path) -> None:
    """Make of each machine what its name says."""
    vendors = "/etc/OpenCL/vendors"
    machines["healthy"].expect(*INSTALL, "pocl-opencl-icd", LOADER, seconds=600)
    machines["without-loader"].expect(*INSTALL, "pocl-opencl-icd", seconds=600)
    machines["gone"].expect(*INSTALL, LOADER, "pocl-opencl-icd", seconds=600)
    machines["gone"].write(f"{vendors}/gone.icd", "libgone.so\n")
    machines["hung"].expect(*INSTALL, LOADER, "pocl-opencl-icd", seconds=600)
    machines["hung"].bind(compile_driver(folder, "ctor_hang"), "/usr/lib/libhung.so")
    machines["hung"].write(f"{vendors}/hung.icd", "/usr/lib/libhung.so\n")
    machines["old"].expect(*INSTALL, "python3", seconds=300)
    machines["stuck"].expect("sh", "-c", "rm /usr/bin/python3*", seconds=10)
    machines["stuck"].write("/usr/bin/python3", STUCK_PYTHON, mode=0o755)


def files_of(machine: RootCopy) -> str:
    """Return what is in the folders where programs leave things, with times and sizes."""
    places = ("/root", "/tmp", "/var/tmp", "/var/lib", "/var/cache", "/etc", "/opt")  # noqa: S108
    leaving = ("find", *places, "-xdev", "-printf", "%p %s %T@\n")
    own = ("/root/.ansible", "/root ", "/tmp ")  # noqa: S108 - where Ansible's files come and go
    return "\n".join(
        line
        for line in sorted(machine.expect(*leaving, seconds=60).splitlines())
        if not line.startswith(own)
    )


def test_facts_are_gathered_whoever_is_off_or_hangs(fleet: Fleet) -> None:
    before = {name: files_of(fleet.machines[name]) for name in ANSWERING}
    started = time.monotonic()

    played = fleet.play("fleet", "-e", f"clprobe_patience={PATIENCE_S}")

    assert played.status == 0, played.output
    assert time.monotonic() - started < 3 * PATIENCE_S
    snapshots = {path.stem: path for path in (fleet.folder / "report/snapshots").iterdir()}
    assert set(snapshots) == ANSWERING
    versions = {
        json.loads(snapshots[name].read_text())["system"]["distribution"].get("version")
        for name in ("healthy", "bare")
    }
    assert versions == {"12", "13"}
    assert "5 machines: 1 on the CPU only, without a GPU, 4 with problems." in played.output
    for cause in ("icd-hangs", "icd-library-missing", "no-loader"):
        assert cause in played.output
    assert "5 machines" in (fleet.folder / "report/report.html").read_text()
    for said in (
        r'"off: .*the machine is switched off',
        r'"stuck: .*(Timed out after|expected time frame)',  # 2.19's words, and 2.15's
        r'"old: clprobe needs Python 3\.10 or newer on the host, and',
    ):
        assert re.search(said, played.output), said
    # It changes nothing and leaves nothing.
    assert {name: files_of(fleet.machines[name]) for name in ANSWERING} == before


def test_a_machine_says_whether_its_image_has_a_device_on_the_cpu(fleet: Fleet) -> None:
    said = {}
    for name in ("healthy", "bare"):
        machine = fleet.machines[name]
        machine.bind(fleet.folder / "clprobe.pyz", "/opt/clprobe.pyz")
        check = ("python3", "/opt/clprobe.pyz", "check", "-q", "--needs", "cpu-device")
        said[name] = machine.run(*check, seconds=120)

    assert {name: done.returncode for name, done in said.items()} == {"healthy": 0, "bare": 1}
    assert said["healthy"].stdout.startswith("yes: device 0, ")
    assert "find no OpenCL ICD loader" in said["bare"].stdout


def test_what_a_machine_can_is_mended_once_whoever_is_off_or_hangs(fleet: Fleet) -> None:
    chosen = "!bare"  # which would take in a compiler of 1 GB
    checked = fleet.play("mend", *AS_ROOT, "--check", "--limit", chosen)
    assert checked.recap["without-loader"]["changed"] == 1
    assert checked.recap["healthy"]["changed"] == 0
    listed = fleet.machines["without-loader"].run("dpkg-query", "--show", LOADER, seconds=30)
    assert listed.returncode != 0

    mended = fleet.play("mend", *AS_ROOT, "--limit", chosen)

    changed = {name: counts["changed"] for name, counts in mended.recap.items()}
    assert {name for name, count in changed.items() if count} == {
        *("without-loader", "gone", "hung"),
    }, mended.output
    assert failed_of(mended) == {"old", "stuck", "off"}, mended.output

    again = fleet.play("mend", *AS_ROOT, "--limit", chosen)

    assert {name for name, counts in again.recap.items() if counts["changed"]} == set()
    assert failed_of(again) == {"old", "stuck", "off"}, again.output


def failed_of(played: Played) -> set[str]:
    """Return the machines on which the play did not come to its end."""
    return {
        name for name, counts in played.recap.items() if counts["failed"] or counts["unreachable"]
    }
