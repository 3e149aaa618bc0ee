# SPDX-License-Identifier: MIT
"""Bare Debian systems to install into, bootstrapped once and kept in a folder.

Each release has the root that `debootstrap --variant=minbase` makes, and above it a layer with
fresh package lists and clprobe in `/opt/clprobe`: an environment of the release's own Python that
finds this working tree under `/opt/clprobe-source`. Debian 11's Python 3.9 is too old for clprobe,
so there its environment starts Debian 12's Python with Debian 12's C library, mounted under
`/opt/debian-12`; what clprobe then calls (apt-get, dpkg, python3) is Debian 11's own.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from root_copy import (
    CLPROBE,
    KEYRING,
    LENT_KEYRING,
    PYTHON_OF_12,
    SOURCE,
    Mounts,
    RootCopy,
    run_limited,
)

CACHE = "CLPROBE_DEBIAN_ROOTS"
"""Names the environment variable with the folder; a temporary one is used without it."""
SUITES = {"11": "bullseye", "12": "bookworm", "13": "trixie", "sid": "sid"}
_FETCHED = "/root/fetched"
_SECONDS = 900
_SLOW_MIRROR = 'Acquire::Check-Valid-Until "false";\n'
_WRAPPER = f"""\
#!/bin/sh
libraries={PYTHON_OF_12}/usr/lib/x86_64-linux-gnu
exec "$libraries/ld-linux-x86-64.so.2" --argv0 "$0" --library-path "$libraries" \\
    {PYTHON_OF_12}/usr/bin/python3.11 "$@"
"""
_PROGRAM = f"""\
#!{CLPROBE}/bin/python3
import sys
from clprobe.cli.main import main
sys.exit(main())
"""


class UnavailableError(Exception):
    """This machine cannot make such systems; says what it lacks."""


class DebianRoots:
    """The systems under `folder`, made when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def copy(self, release: str, memory: Path) -> RootCopy:
        """Return a copy of a release with clprobe, changed in memory alone; `memory` is empty.

        Raises: UnavailableError
        """
        return RootCopy(memory, self._mounts(release))

    def fetch(self, origin: str, names: tuple[str, ...], release: str, memory: Path) -> Path:
        """Return a folder with the .deb files of packages of `origin`, fetched by apt of `release`.

        Raises: UnavailableError
        """
        kept = self._folder / f"files-{origin}"
        missing = [name for name in names if not list(kept.glob(f"{name}_*.deb"))]
        if missing:
            kept.mkdir(exist_ok=True)
            suite = SUITES[origin]
            with self.copy(release, memory) as copy:
                line = f"deb [signed-by={LENT_KEYRING}] {mirrors()['main']} {suite} main\n"
                copy.write("/etc/apt/sources.list", line)
                copy.write("/etc/apt/apt.conf.d/99-slow-mirror", _SLOW_MIRROR)
                copy.expect("apt-get", "update", seconds=_SECONDS)
                named = [f"{name}/{suite}" for name in missing]
                copy.expect("mkdir", _FETCHED, seconds=10)
                own = ("-o", "APT::Sandbox::User=root")
                done = copy.run("apt-get", *own, "download", *named, cwd=_FETCHED, seconds=_SECONDS)
                if done.returncode:
                    raise UnavailableError(f"{origin}: {done.stderr.strip()[-300:]}")
                copy.take_out(_FETCHED, kept)
        return kept

    def _mounts(self, release: str) -> Mounts:
        root = self._bootstrapped(release)
        layer = self._folder / f"{release}.clprobe"
        caches = self._folder / f"{release}.debs"
        caches.mkdir(exist_ok=True)
        python_of_12 = self._mounts("12").lower if release == "11" else ()
        mounts = Mounts((layer, root), caches, python_of_12)
        if not layer.exists():
            unready = self._folder / f"{release}.unready"
            shutil.rmtree(unready, ignore_errors=True)
            unready.mkdir()
            self._prepare(release, Mounts((root,), *mounts[1:]), unready)
            unready.rename(layer)
        return mounts

    def _bootstrapped(self, release: str) -> Path:
        root = self._folder / release
        if root.exists():
            return root
        unready = self._folder / f"{release}.bootstrap"
        shutil.rmtree(unready, ignore_errors=True)
        command = ("debootstrap", "--variant=minbase", f"--keyring={KEYRING}", SUITES[release])
        done = run_limited((*command, str(unready), mirrors()["main"]), seconds=_SECONDS)
        if done.returncode:
            raise UnavailableError(f"debootstrap: {(done.stdout + done.stderr).strip()[-300:]}")
        unready.rename(root)
        return root

    def _prepare(self, release: str, mounts: Mounts, layer: Path) -> None:
        """Write a layer: package lists and clprobe."""
        memory = self._folder / "preparing"
        memory.mkdir(exist_ok=True)
        with RootCopy(memory, mounts, changes=layer) as copy:
            copy.write("/etc/apt/sources.list", sources_of(release))
            if release == "sid":
                # Mirrors that follow sid slowly serve lists past their date; signatures count.
                copy.write("/etc/apt/apt.conf.d/99-slow-mirror", _SLOW_MIRROR)
            copy.expect("apt-get", "update", seconds=_SECONDS)
            copy.expect("apt-get", "dist-upgrade", "--yes", seconds=_SECONDS)
            if release == "11":
                _borrow_python(copy)
            else:
                _install_python(copy)
            copy.write(f"{CLPROBE}/bin/clprobe", _PROGRAM, mode=0o755)
        memory.rmdir()


def needs() -> str | None:
    """Return what this machine lacks to make such systems; None if nothing."""
    if os.geteuid() != 0:
        return "needs root, to mount copies of bare Debian systems"
    for program in ("debootstrap", "unshare", "nsenter"):
        if shutil.which(program) is None:
            return f"needs {program}, for bare Debian systems"
    if not KEYRING.is_file():
        return f"needs {KEYRING}, to verify what debootstrap fetches"
    try:
        mirrors()
    except UnavailableError as error:
        return str(error)
    return None


def mirrors() -> dict[str, str]:
    """Return where this machine itself gets Debian from.

    Raises: UnavailableError if its apt sources name no mirror.
    """
    asked = ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    try:
        uris = run_limited(asked, seconds=30).stdout.split()
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"apt-get cannot be asked: {error}") from error
    main = next((uri.rstrip("/") for uri in uris if re.search("/debian/?$", uri)), None)
    if main is None:
        raise UnavailableError("this machine has no Debian mirror in its apt sources")
    found = next((uri.rstrip("/") for uri in uris if re.search("/debian-security/?$", uri)), None)
    return {"main": main, "security": found or f"{main}-security"}


def sources_of(release: str, *, backports: bool = False) -> str:
    """Return apt's sources as the installer writes them, perhaps with backports."""
    suite, at = SUITES[release], mirrors()
    lines = [f"deb {at['main']} {suite} main"]
    if suite != "sid":
        lines.append(f"deb {at['main']} {suite}-updates main")
        lines.append(f"deb {at['security']} {suite}-security main")
    if backports:
        lines.append(f"deb {at['main']} {suite}-backports main")
    return "".join(f"{line}\n" for line in lines)


def _install_python(copy: RootCopy) -> None:
    install = ("apt-get", "install", "--yes", "--no-install-recommends")
    copy.expect(*install, "python3", "python3-venv", seconds=_SECONDS)
    copy.expect("python3", "-m", "venv", CLPROBE, seconds=120)
    pip = (f"{CLPROBE}/bin/python3", "-m", "pip", "install", "--quiet")
    read = f"import tomllib; print(*tomllib.load(open('{SOURCE}/pyproject.toml', 'rb'))"
    wanted = copy.expect(
        "python3", "-c", f"{read}['project']['dependencies'], sep='\\n')", seconds=30
    )
    copy.expect(*pip, *wanted.split("\n")[:-1], seconds=_SECONDS)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = copy.expect(f"{CLPROBE}/bin/python3", "-c", where, seconds=30).strip()
    copy.write(f"{site}/clprobe-source.pth", f"{SOURCE}\n")


def _borrow_python(copy: RootCopy) -> None:
    """Set up an environment whose Python, C library and packages are those of Debian 12."""
    copy.write(f"{CLPROBE}/pyvenv.cfg", f"home = {PYTHON_OF_12}/usr/bin\nversion = 3.11\n")
    copy.write(f"{CLPROBE}/bin/python3", _WRAPPER, mode=0o755)
    site = f"{CLPROBE}/lib/python3.11/site-packages"
    packages = f"{PYTHON_OF_12}{site}"
    copy.write(f"{site}/clprobe-source.pth", f"{SOURCE}\n{packages}\n")
