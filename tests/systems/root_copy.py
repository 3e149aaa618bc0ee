# SPDX-License-Identifier: MIT
"""A copy of a bare system, mounted where only its own commands see it, and changed in memory."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
"""What this machine trusts; a root may have forgotten the keys of older releases."""
LENT_KEYRING = "/opt/debian-keys.gpg"
CLPROBE, SOURCE, PYTHON_OF_12 = "/opt/clprobe", "/opt/clprobe-source", "/opt/debian-12"
_HOLD = 'mount -t tmpfs -o size=8g,mode=755 tmpfs "$1" && echo ready && read line'
# Scripts of packages must reach neither this machine's devices nor the settings of its kernel.
_OWN_KERNEL_FILES = """\
set -eu
cd "$1"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
for node in null zero full random urandom tty; do
    touch "dev/$node"
    mount --bind "/dev/$node" "dev/$node"
done
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
"""
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What vouches for pip's index here; the system's own place may be of no package yet.
_CERTIFICATES = Path(os.environ.get("PIP_CERT", "/etc/ssl/certs/ca-certificates.crt"))
LENT_CERTIFICATES = "/opt/certificates.pem"


class Mounts(NamedTuple):
    """Folders that make a system: its layers, topmost first, and apt's files to spare downloads.

    `python_of_12` are the layers of the Debian 12 whose Python is lent, if it is.
    """

    lower: tuple[Path, ...]
    debs: Path
    python_of_12: tuple[Path, ...] = ()


class RootCopy:
    """A system whose changes are forgotten, or kept in `changes`.

    It lives in a mount namespace of its own: all mounts end with the process that holds it.
    """

    def __init__(self, memory: Path, mounts: Mounts, *, changes: Path | None = None) -> None:
        self._memory, self._mounts = memory, mounts
        self._changes = changes or memory / "changed"
        self._root = memory / "root"
        self._bound: list[tuple[Path, str]] = []

    def __enter__(self) -> "RootCopy":
        hold = ("unshare", "--mount", "--propagation", "private", "sh", "-c", _HOLD, "sh")
        self._holder = subprocess.Popen(
            [*hold, str(self._memory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            assert self._holder.stdout is not None
            assert self._holder.stdout.readline() == "ready\n", "no mount namespace here"
            for folder in (self._changes, self._root, self._memory / "work"):
                self._outside("mkdir", "-p", str(folder))
            # On the file system of `changes`, as overlays demand.
            self._work = (
                self._memory / "work"
                if self._changes.parent == self._memory
                else self._changes.with_suffix(".work")
            )
            self._mount(self._mounts.lower, self._changes, self._work)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._holder.communicate("\n", timeout=60)
        if self._changes.parent != self._memory:
            run_limited(("rm", "-rf", str(self._changes.with_suffix(".work"))), seconds=60)

    def run(
        self,
        *argv: str,
        seconds: float,
        cwd: str = "/",
        environment: Mapping[str, str] | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command in it, as root and with a plain environment."""
        change = ("sh", "-c", 'cd "$0" && exec "$@"', cwd)
        return run_limited((*self.entering(environment), *change, *argv), seconds=seconds)

    def entering(self, environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """Return the words that run a command in here, as root and in a plain environment."""
        plain = ("env", "-i", "--chdir=/", *self._environment(environment or {}))
        return (*self._nsenter(), *plain, "chroot", str(self._root))

    def expect(self, *argv: str, seconds: float, cwd: str = "/") -> str:
        """Run a command that must succeed and return what it prints."""
        done = self.run(*argv, seconds=seconds, cwd=cwd)
        assert done.returncode == 0, f"{argv}: {(done.stdout + done.stderr)[-3000:]}"
        return done.stdout

    def write(self, path: str, text: str, *, mode: int = 0o644) -> None:
        """Write a file, and the folders above it."""
        code = 'mkdir -p "$(dirname "$1")" && printf %s "$2" > "$1" && chmod "$3" "$1"'
        self.expect("sh", "-c", code, "sh", path, text, f"{mode:o}", seconds=30)

    def bind(self, outside: Path, inside: str) -> None:
        """Show a folder or file of this machine in it, not to be written to."""
        self._bound.append((outside, inside))
        self._bind(outside, inside)

    def take_out(self, folder: str, outside: Path) -> None:
        """Copy the files of one of its folders to a folder of this machine."""
        self._outside("cp", "-a", f"{self._root}{folder}/.", str(outside))

    @contextlib.contextmanager
    def another_layer(self) -> Iterator[None]:
        """Forget what commands change within this block."""
        # A layer must not change below another, so the system is mounted anew each time.
        self._unmount()
        top = self._memory / "top"
        for folder in (top, self._memory / "top-work"):
            self._outside("mkdir", str(folder))
        lower = (self._changes, *self._mounts.lower)
        self._mount(lower, top, self._memory / "top-work")
        try:
            yield
        finally:
            self._unmount()
            self._outside("rm", "-rf", str(top), str(self._memory / "top-work"))
            self._mount(self._mounts.lower, self._changes, self._work)

    def _mount(self, lower: tuple[Path, ...], upper: Path, work: Path) -> None:
        self._outside("mkdir", "-p", str(work))
        layers = ":".join(map(str, lower))
        options = f"lowerdir={layers},upperdir={upper},workdir={work}"
        self._outside("mount", "-t", "overlay", "overlay", "-o", options, str(self._root))
        self._outside("sh", "-c", _OWN_KERNEL_FILES, "sh", str(self._root))
        if self._mounts.python_of_12:
            self._outside("mkdir", "-p", f"{self._root}{PYTHON_OF_12}")
            lent = f"lowerdir={':'.join(map(str, self._mounts.python_of_12))}"
            place = f"{self._root}{PYTHON_OF_12}"
            self._outside("mount", "-t", "overlay", "overlay", "-o", lent, place)
        for outside, inside in (
            (self._mounts.debs, "/var/cache/apt/archives"),
            (REPOSITORY, SOURCE),
            (KEYRING, LENT_KEYRING),
            (Path("/etc/resolv.conf"), "/etc/resolv.conf"),
            (_CERTIFICATES, LENT_CERTIFICATES),
            *self._bound,
        ):
            if outside.exists():
                self._bind(outside, inside)

    def _bind(self, outside: Path, inside: str) -> None:
        place = f"{self._root}{inside}"
        self._outside("mkdir", "-p", place if outside.is_dir() else str(Path(place).parent))
        if outside.is_file():
            self._outside("touch", place)
        self._outside("mount", "--bind", str(outside), place)
        if outside != self._mounts.debs:
            self._outside("mount", "-o", "remount,bind,ro", place)

    def _unmount(self) -> None:
        self._outside("umount", "--recursive", str(self._root))

    def _outside(self, *argv: str) -> str:
        """Run a command of this machine in the namespace."""
        done = run_limited((*self._nsenter(), *argv), seconds=120)
        assert done.returncode == 0, f"{argv}: {done.stderr}"
        return done.stdout

    def _nsenter(self) -> tuple[str, ...]:
        return ("nsenter", f"--mount=/proc/{self._holder.pid}/ns/mnt")

    @staticmethod
    def _environment(more: Mapping[str, str]) -> list[str]:
        # This machine's pip may know its index by variables alone, and by an authority of its own.
        pip = {key: value for key, value in os.environ.items() if key.startswith("PIP_")}
        if _CERTIFICATES.exists():
            pip["PIP_CERT"] = LENT_CERTIFICATES
        plain = {"PATH": f"{_PATH}:{CLPROBE}/bin", "HOME": "/root", "LANG": "C.UTF-8"}
        return [f"{key}={value}" for key, value in (pip | plain | dict(more)).items()]


def run_limited(argv: tuple[str, ...], *, seconds: float) -> "subprocess.CompletedProcess[str]":
    """Run a command and end it with all its children when its time is over.

    Raises: subprocess.TimeoutExpired
    """
    with subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd="/",
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return subprocess.CompletedProcess(argv, process.returncode, out, err)
