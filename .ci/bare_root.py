# SPDX-License-Identifier: MIT
"""A bare Debian in a folder, with the network settings of this machine and nothing else of it."""

import configparser
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / "tests" / folder) for folder in ("install", "systems")]
from debian_roots import SUITES, UnavailableError, mirrors, needs, sources_of  # noqa: E402
from root_copy import KEYRING  # noqa: E402

RELEASES = {suite: release for release, suite in SUITES.items() if release in ("12", "13")}
BOOTSTRAP_LIMIT_S = 900
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PIP_SETTINGS = (Path("/etc/pip.conf"), Path("~/.pip/pip.conf"), Path("~/.config/pip/pip.conf"))
_VARIABLES = re.compile(r"PIP_\w+|(https?|ftp|all|no)_proxy", re.IGNORECASE)
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_LENT_CERTIFICATES = "/opt/certificates.pem"
_APT_SETTINGS = re.compile(r"Acquire::(https?|ForceIPv[46]|Check-|Retries)[^ ]* ")
# As in a container: processes of this namespace alone, no devices, a kernel that cannot be set.
_MOUNTS = """\
set -eu
mount --bind "$1" "$1"
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


class SetUpError(Exception):
    """The system cannot be made; says why."""


def lacking() -> str | None:
    """Return what this machine lacks to make such systems; None if nothing."""
    return needs()


class BareRoot:
    """A system that this process, the first of its namespaces, makes and runs commands in.

    Raises: SetUpError
    """

    def __init__(self, folder: Path, release: str) -> None:
        self._root = folder
        try:
            source = mirrors()["main"]
            sources = sources_of(release)
        except UnavailableError as error:
            raise SetUpError(str(error)) from error
        command = ("debootstrap", "--variant=minbase", "--include=python3", f"--keyring={KEYRING}")
        self._outside(*command, SUITES[release], str(folder), source, limit_s=BOOTSTRAP_LIMIT_S)
        self._outside("sh", "-c", _MOUNTS, "sh", str(folder))
        self._write("etc/apt/sources.list", sources)
        self._lend_settings()

    def add_user(self, name: str) -> Path:
        """Add an ordinary user and return the home folder."""
        self._outside("chroot", str(self._root), "useradd", "--create-home", name)
        return Path("/home", name)

    def copy_checkout(self, checkout: Path, place: str, *, owner: str) -> None:
        """Copy what a clone of the checkout would hold, with changes that are not committed."""
        target = Path(f"{self._root}{place}")
        for name in _files_of(checkout):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(checkout / name, target / name, follow_symlinks=False)
        self._outside("chroot", str(self._root), "chown", "-R", f"{owner}:{owner}", place)

    def run(self, command: tuple[str, ...], *, cwd: str, user: str, limit_s: float) -> str:
        """Run a command as a user, with a plain environment, and return how it ended."""
        home = str(Path(cwd).parent)
        plain = {"PATH": _PATH, "HOME": home, "USER": user, "LANG": "C.UTF-8"}
        variables = [f"{name}={value}" for name, value in (_lent_variables() | plain).items()]
        become = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--")
        inside = ("env", "-i", f"--chdir={cwd}", *variables, *(become if user != "root" else ()))
        whole = ["chroot", str(self._root), *inside, *command]
        process = subprocess.Popen(whole, stdin=subprocess.DEVNULL)
        try:
            return _awaited(process, limit_s)
        finally:
            _end_all_others()

    def files(self, folder: str) -> set[str]:
        """Return the files and links below a folder."""
        top = Path(f"{self._root}{folder}")
        return {
            f"{folder}/{(Path(parent) / name).relative_to(top)}"
            for parent, _, names in os.walk(top)
            for name in names
        }

    def read(self, file: str) -> str:
        """Return a file's text."""
        return Path(f"{self._root}{file}").read_text()

    def size(self, folder: str) -> int:
        """Return the bytes that the files below a folder take on disk."""
        seen = {}
        for file in self.files(folder):
            status = Path(f"{self._root}{file}").lstat()
            seen[status.st_ino] = status.st_blocks * 512
        return sum(seen.values())

    def _lend_settings(self) -> None:
        """Let apt and pip get things the way they do on this machine."""
        dumped = self._outside("apt-config", "dump", "Acquire")
        kept = [line for line in dumped.splitlines(keepends=True) if _APT_SETTINGS.match(line)]
        self._write("etc/apt/apt.conf.d/99lent", "".join(kept))
        for name in ("resolv.conf", "hosts"):
            self._write(f"etc/{name}", Path("/etc", name).read_text())
        pip = configparser.RawConfigParser()
        pip.read([file.expanduser() for file in _PIP_SETTINGS])
        for section in pip.sections():
            pip.remove_option(section, "cert")
        with (self._root / "etc/pip.conf").open("w") as file:
            pip.write(file)
        # A certificate of its own may vouch for the index; the system's own place is a package's.
        if _CERTIFICATES.exists():
            shutil.copyfile(_CERTIFICATES, f"{self._root}{_LENT_CERTIFICATES}")
        values = [value for section in pip.sections() for _, value in pip.items(section)]
        for place in _paths_in([*values, *_lent_variables().values()]):
            self.show(place, str(place))

    def show(self, place: Path, name: str) -> None:
        """Show a file or folder of this machine in the system as `name`, not to be written to."""
        inside = Path(f"{self._root}{name}")
        if place.is_dir():
            inside.mkdir(parents=True, exist_ok=True)
        else:
            inside.parent.mkdir(parents=True, exist_ok=True)
            inside.touch()
        self._outside("mount", "--bind", str(place), str(inside))
        self._outside("mount", "-o", "remount,bind,ro", str(inside))

    def _write(self, name: str, text: str) -> None:
        (self._root / name).write_text(text)

    @staticmethod
    def _outside(*command: str, limit_s: float = 120) -> str:
        """Run a command of this machine and return what it prints.

        Raises: SetUpError
        """
        try:
            done = subprocess.run(
                command, check=False, timeout=limit_s, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SetUpError(f"{command[0]}: {error}") from error
        if done.returncode:
            raise SetUpError(f"{' '.join(command[:3])} ...: {done.stdout.strip()[-1000:]}")
        return done.stdout


def _awaited(process: "subprocess.Popen[bytes]", limit_s: float) -> str:
    """Wait for a process, and as the first one of the namespace for every orphan too.

    Returns: how it ended
    """
    over = time.monotonic() + limit_s
    while time.monotonic() < over:
        number, status = os.waitpid(-1, os.WNOHANG)
        if number == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return f"exit status {process.returncode}"
        if number == 0:
            time.sleep(0.1)
    return f"not done after {limit_s:.0f} s"


def _end_all_others() -> None:
    """End what a stage left running, so that it does not meet the next one."""
    if os.getpid() != 1:
        raise SetUpError("not the first process of a namespace")
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _files_of(checkout: Path) -> Iterator[str]:
    command = ("git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others")
    try:
        listed = subprocess.run(
            [*command, "--exclude-standard"], cwd=checkout, check=True, capture_output=True,
            text=True, timeout=60,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise SetUpError(f"git cannot list the checkout: {error}") from error
    return (name for name in listed.stdout.split("\0") if name and (checkout / name).exists())


def _lent_variables() -> dict[str, str]:
    lent = {name: text for name, text in os.environ.items() if _VARIABLES.fullmatch(name)}
    return lent | ({"PIP_CERT": _LENT_CERTIFICATES} if _CERTIFICATES.exists() else {})


def _paths_in(values: list[str]) -> set[Path]:
    """Return the files and folders of this machine that settings name."""
    words = [word for value in values for word in value.split()]
    # The pages of an index in a folder lead to files beside them.
    indexes = [Path(word.removeprefix("file://")).parent for word in words if "file:///" in word]
    return {
        place for place in [*map(Path, words), *indexes] if place.is_absolute() and place.exists()
    }
