# SPDX-License-Identifier: MIT
"""Beignet's compiler out of Debian 11's package, for it is packaged nowhere since."""

import hashlib
import os
import subprocess
from pathlib import Path

FOLDER = "CLPROBE_BEIGNET"
"""Names the environment variable with the folder that keeps it; a temporary one without it."""
_PACKAGE = "beignet-opencl-icd"
_SUITE = "bullseye"
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_SHA256 = "c9e02c6e5a999508ca3925e11ae84279e22872a952c39111e8dd55d96fd4001e"
_TIME_LIMIT_S = 120


class UnavailableError(Exception):
    """The package cannot be had here; says why."""


def compiler(folder: Path) -> tuple[Path, dict[str, str]]:
    """Return libgbe.so and the environment that it needs, out of `folder` or into it.

    Raises: UnavailableError
    """
    home = folder / "usr/lib/x86_64-linux-gnu/beignet"
    if not (home / "libgbe.so").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _run("dpkg", "-x", str(_fetched(folder)), str(folder))
    environment = {
        "OCL_BITCODE_LIB_PATH": str(home / "beignet.bc"),
        "OCL_HEADER_FILE_DIR": f"{home}/include/",
        # The compiled header holds paths under /usr; without it the headers are read.
        "OCL_PCH_PATH": str(home / "none"),
    }
    return home / "libgbe.so", environment


def _fetched(folder: Path) -> Path:
    """Let apt fetch the package, with lists of its own so that this machine's stay as they are."""
    for part in ("state/lists/partial", "cache/archives/partial", "etc"):
        (folder / "apt" / part).mkdir(parents=True, exist_ok=True)
    apt = folder / "apt"
    (apt / "sources.list").write_text(f"deb [signed-by={_KEYRING}] {_mirror()} {_SUITE} main\n")
    own = (
        *("-o", f"Dir::State={apt / 'state'}", "-o", f"Dir::Cache={apt / 'cache'}"),
        *("-o", f"Dir::Etc::SourceList={apt / 'sources.list'}", "-o", "Dir::Etc::SourceParts=-"),
        *("-o", "APT::Sandbox::User=root", "-o", "APT::Architecture=amd64"),
    )
    _run("apt-get", *own, "update", cwd=folder)
    _run("apt-get", *own, "download", f"{_PACKAGE}/{_SUITE}", cwd=folder)
    package = next(folder.glob(f"{_PACKAGE}_*.deb"))
    found = hashlib.sha256(package.read_bytes()).hexdigest()
    if found != _SHA256:
        raise UnavailableError(f"{package.name} is not the one that was checked: {found}")
    return package


def _mirror() -> str:
    """Return where this machine itself gets Debian from."""
    asked = ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    uris = _run(*asked).split()
    found = next((uri for uri in uris if uri.rstrip("/").endswith("/debian")), None)
    if found is None:
        raise UnavailableError("this machine has no Debian mirror in its apt sources")
    return found


def _run(*argv: str, cwd: Path = Path("/")) -> str:
    try:
        done = subprocess.run(
            argv, cwd=cwd, capture_output=True, text=True, timeout=_TIME_LIMIT_S, check=True
        )
    except FileNotFoundError as error:
        raise UnavailableError(f"{argv[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"{argv[0]} took more than {_TIME_LIMIT_S} s") from error
    except subprocess.CalledProcessError as error:
        raise UnavailableError(f"{argv[0]}: {error.stderr.strip()[-300:]}") from error
    return done.stdout


def kept_in(temporary: Path) -> Path:
    """Return the folder that the environment names, or a temporary one."""
    return Path(os.environ.get(FOLDER) or temporary)
