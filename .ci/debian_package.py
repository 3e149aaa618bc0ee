# SPDX-License-Identifier: MIT
"""Makes the Debian source package: what is committed, and .ci/debian as its debian/.

    python3 .ci/debian_package.py FOLDER

FOLDER then holds clprobe_VERSION.orig.tar.xz, the .dsc with the rest, and the unpacked tree, in
which `apt-get build-dep ./` and `dpkg-buildpackage -us -uc` make the packages. The same commit
gives the same bytes. Needs git and dpkg-source (dpkg-dev).
"""

import argparse
import lzma
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEBIAN = ROOT / ".ci" / "debian"
LIMIT_S = 300


def main() -> None:
    """Write the source package into the folder that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if changed := run("git", "status", "--porcelain"):
        sys.exit(f"debian_package: this checkout has changes that are not committed:\n{changed}")
    print(make(folder))  # noqa: T201


def make(folder: Path) -> Path:
    """Write the source package of what is committed, and return its .dsc."""
    version = upstream_version()
    folder.mkdir(parents=True, exist_ok=True)
    tree = folder.resolve() / f"clprobe-{version}"
    if tree.exists():
        sys.exit(f"debian_package: {tree} is there already.")
    tar = run("git", "archive", "--format=tar", f"--prefix={tree.name}/", "HEAD", text=False)
    original = folder / f"clprobe_{version}.orig.tar.xz"
    original.write_bytes(lzma.compress(tar, preset=6))
    with tarfile.open(original) as archive:
        archive.extractall(folder, filter="data")
    shutil.copytree(DEBIAN, tree / "debian")
    run("dpkg-source", "-b", tree.name, folder=folder)
    return folder / f"clprobe_{version}-{revision()}.dsc"


def upstream_version() -> str:
    """Return clprobe's version, which the newest entry of the changelog must be about."""
    text = (ROOT / "clprobe" / "version.py").read_text("utf-8")
    found = re.search(r'__version__ = "(.+)"', text)
    version = found[1] if found else ""
    if _packaged()[0] != version:
        sys.exit(f"debian_package: {DEBIAN / 'changelog'} is not about version {version}.")
    return version


def revision() -> str:
    """Return Debian's part of the version."""
    return _packaged()[1]


def _packaged() -> tuple[str, str]:
    first = (DEBIAN / "changelog").read_text("utf-8").partition("\n")[0]
    found = re.match(r"clprobe \(([^-]+)-([^-)]+)\) ", first)
    if found is None:
        sys.exit(f"debian_package: {DEBIAN / 'changelog'} begins with no version: {first}")
    return found[1], found[2]


def run(*command: str, folder: Path = ROOT, text: bool = True) -> "str | bytes":
    """Return what a command prints; it ends this program where it fails."""
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, text=text, check=False, timeout=LIMIT_S
    )
    if done.returncode:
        sys.exit(f"debian_package: {' '.join(command[:2])} failed with {done.returncode}.")
    return done.stdout


if __name__ == "__main__":
    main()
