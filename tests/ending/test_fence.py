# SPDX-License-Identifier: MIT
"""No driver ends or stops clprobe, or what stands above it, where Linux can keep it from that."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from everyones_python import AS_NOBODY, everyones_python
from faults import POCL
from runs import place_in

_PREPARED = """\
import ctypes, os, resource, signal, subprocess, sys
from clprobe.probe import fence
fence._PROGRAMS_WITH_RIGHTS = ()
# A parent in a group of its own: in containers, those of processes outside have no number.
os.setpgid(0, 0)
if child := os.fork():
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
os.setpgid(0, 0)
libc, above = ctypes.CDLL(None), os.getppid()
fence.fence_driver()
"""
# SIGURG does nothing to whoever does not ask for it: should the fence have a hole, nobody falls.
_FORBIDDEN = {
    "to the parent": "os.kill(above, signal.SIGURG)",
    "to the first of all": "os.kill(1, signal.SIGURG)",
    "to the group of the parent": "os.killpg(os.getpgid(above), signal.SIGURG)",
    "to everybody": "os.kill(-1, signal.SIGURG)",
    "to a thread": "libc.tgkill(above, above, signal.SIGURG)",
    "by its descriptor": "signal.pidfd_send_signal(os.pidfd_open(above), signal.SIGURG)",
    "limits of the parent": "resource.prlimit(above, resource.RLIMIT_CPU, (9999, 9999))",
    "from a thread": (
        "import threading\n"
        "thread = threading.Thread(target=os.kill, args=(above, signal.SIGURG))\n"
        "thread.start()\n"
        "thread.join()"
    ),
}
_ALLOWED = {
    "asking whether it lives": "os.kill(above, 0)",
    "its own limits": "resource.setrlimit(resource.RLIMIT_CPU, (9999, 9999))",
    "looking at limits": "resource.prlimit(above, resource.RLIMIT_CPU)",
    "its own child": (
        "child = subprocess.Popen(['sleep', '60'])\n"
        "child.kill()\n"
        "assert child.wait() == -signal.SIGKILL"
    ),
    "its own group": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.killpg(0, signal.SIGTERM)",
    "itself": "os.kill(os.getpid(), signal.SIGURG)\nsignal.raise_signal(signal.SIGURG)",
}
_ROOM = "import errno, fcntl, struct, tempfile\nroom = tempfile.mkdtemp()\n"
_REFUSED = {
    "mount": "libc.mount(b'none', room.encode(), b'tmpfs', 0, None)",
    "unmounting": "libc.umount2(room.encode(), 0)",
    "another namespace": "libc.setns(os.open('/proc/self/ns/mnt', os.O_RDONLY), 0)",
    "a file for good": (
        "libc.ioctl(os.open(room, os.O_RDONLY), 0x40086602, struct.pack('l', 0x10))"
    ),
}
_HAS_FENCE = "'Seccomp:\\t2' in open('/proc/self/status').read()"


def _status(deed: str, *command: str) -> int:
    command = (*(command or (sys.executable,)), "-c", f"{_PREPARED}{deed}\n")
    code = subprocess.run(command, check=False, timeout=30, cwd="/").returncode
    return code - 256 if code > 127 else code


@pytest.fixture(scope="module", autouse=True)
def _fence() -> None:
    if _status(f"sys.exit(not {_HAS_FENCE})"):
        pytest.skip("this Linux filters no system calls here")


@pytest.mark.parametrize("deed", _FORBIDDEN)
def test_what_reaches_a_process_above_ends_the_driver(deed: str) -> None:
    assert _status(_FORBIDDEN[deed]) == -signal.SIGSYS


def test_what_reaches_the_process_it_was_forked_from_ends_the_driver() -> None:
    beside = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        fenced = f"fence.fence_driver({beside.pid})\n"
        for deed in ("os.kill", "os.killpg"):
            reaching = _PREPARED.replace("fence.fence_driver()\n", fenced)
            reaching += f"{deed}({beside.pid}, signal.SIGURG)\n"
            done = subprocess.run([sys.executable, "-c", reaching], check=False, timeout=30)
            assert done.returncode in (-signal.SIGSYS, 256 - signal.SIGSYS)
    finally:
        beside.kill()
        beside.wait()


@pytest.mark.root
@pytest.mark.parametrize("deed", _REFUSED)
def test_what_would_outlast_the_driver_is_refused(deed: str) -> None:
    """Root may do all of it, so that it is the fence that refuses."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to whom Linux allows it")
    tried = (
        f"{_ROOM}libc = ctypes.CDLL(None, use_errno=True)\n"
        f"refused = {_REFUSED[deed]} == -1 and ctypes.get_errno() == errno.EPERM\n"
        "os.rmdir(room)\nsys.exit(not refused)"
    )
    assert _status(tried) == 0


@pytest.mark.root
def test_an_ordinary_user_has_the_fence_unless_a_program_needs_rights_of_root() -> None:
    python = everyones_python()
    if python is None:
        pytest.skip("needs root, and a Python with clprobe that any user may run")
    assert _status(f"sys.exit(not {_HAS_FENCE})", *AS_NOBODY, python) == 0
    needed = _PREPARED.replace("RIGHTS = ()", "RIGHTS = ('/proc/self/exe',)")
    done = subprocess.run(
        [*AS_NOBODY, python, "-c", f"{needed}sys.exit({_HAS_FENCE})"],
        check=False,
        timeout=30,
        cwd="/",
    )
    assert done.returncode == 0


@pytest.mark.parametrize("deed", _ALLOWED)
def test_everything_else_is_as_before(deed: str) -> None:
    assert _status(_ALLOWED[deed]) == 0


@pytest.mark.parametrize("fault", ["kills_clprobe", "stops_clprobe"])
def test_a_driver_that_ends_or_stops_clprobe_is_named(fault: str, tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    if os.geteuid() and shutil.which("nvidia-modprobe"):
        pytest.skip("no fence for an ordinary user beside nvidia-modprobe")
    place = place_in(tmp_path, (fault,))

    process = place.start("doctor", "--json", "--timeout=8")
    out = process.communicate(timeout=60)[0]

    assert (place.left(), place.folders()) == ([], [])
    report = json.loads(out)
    drivers = {Path(driver["icd"]).name: driver for driver in report["drivers"]}
    named = {finding["id"]: finding for finding in report["findings"]}["icd-crashes"]
    assert drivers[f"{fault}.icd"]["outcome"] == "crash"
    assert "SIGSYS" in named["because"]
    if POCL.exists():
        assert drivers["pocl.icd"]["outcome"] == "ok"
