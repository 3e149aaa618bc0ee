# SPDX-License-Identifier: MIT
"""Runs shell commands as root of a copy of this system, which is thrown away afterwards."""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import distro
import pytest
from root_copy import SOURCE, Mounts, RootCopy, run_limited

# packages: the package list as dpkg and apt know it, to be compared.
# debian: from now on, apt's archive is Debian's.
PRELUDE = f"""\
export LC_ALL=C.UTF-8
clprobe() {{ "{sys.executable}" -m clprobe "$@"; }}
packages() {{
    dpkg-query --show --showformat='${{binary:Package}} ${{Version}} ${{db:Status-Abbrev}}\\n'
    apt-mark showauto; apt-mark showmanual; apt-mark showhold
}}
apply() {{ clprobe install-plan --apply --yes --backend pocl "$@"; }}
undo() {{ clprobe install-plan --undo --yes "$@"; }}
debian() {{ rm -r /etc/apt/sources.list*; cp -a /debian/. /etc/apt; }}
"""
# Images of containers switch apt's own caches off, which costs each of its commands a second.
# What PoCL depends on stays installed: 66 packages that each test would fetch and remove. An
# archive of what plans install stands in for Debian's, whose 60,000 packages apt would read in each
# of its hundreds of runs.
_PREPARE = """\
cat > /etc/apt/apt.conf.d/zz-caches-as-on-any-machine <<'END'
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
END
apt-get update
apt-get install --yes --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1
apt-get purge --yes pocl-opencl-icd libpocl2 libpocl2-common
apt-get clean
test ! -e /etc/OpenCL/vendors/pocl.icd
mkdir -p /archive/partial /debian
apt-get install --yes --no-install-recommends --download-only -o Dir::Cache::archives=/archive \
    pocl-opencl-icd ocl-icd-libopencl1 clinfo intel-opencl-icd mesa-opencl-icd python3-venv
cd /archive
for deb in *.deb; do
    dpkg-deb --field "$deb"
    echo "Filename: $deb"
    echo "Size: $(stat --format=%s "$deb")"
    echo "SHA256: $(sha256sum < "$deb" | cut -c 1-64)"
    echo
done > Packages
mv /etc/apt/sources.list* /debian; mkdir /etc/apt/sources.list.d
echo 'deb [trusted=yes] copy:/archive ./' > /etc/apt/sources.list
apt-get update
cd /
packages > /before
"""


class SystemCopy:
    """Copies of this system without PoCL, made afresh for each call of `run`.

    /before holds their package list, as `packages` prints it.
    """

    def __init__(self, prepared: RootCopy) -> None:
        self._prepared = prepared

    def run(self, commands: str, *, seconds: float = 300) -> str:
        """Return what the commands print on stdout; they must end well."""
        done = self.attempt(commands, seconds=seconds)
        assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def attempt(self, commands: str, *, seconds: float = 300) -> "subprocess.CompletedProcess[str]":
        """Run the commands and return what came of it."""
        with self._prepared.another_layer():
            return _sh(self._prepared, commands, seconds=seconds)


@contextlib.contextmanager
def prepared_copies(memory: Path) -> Iterator[SystemCopy]:
    """Yield copies that are mounted in `memory`; tests are skipped where there can be none."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to install packages in a copy of this system")
    if (distro.id(), distro.major_version()) != ("debian", "12"):
        pytest.skip("is about Debian 12")
    for program in ("unshare", "nsenter"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    if _is_in_chroot():
        pytest.skip("runs in a chroot, which nsenter leaves for the whole system")
    # No folder of packages is lent: apt fetches them for each test, as for a newcomer.
    with contextlib.ExitStack() as stack:
        try:
            copy = stack.enter_context(RootCopy(memory, Mounts((Path("/"),), memory / "none")))
        except AssertionError as error:
            pytest.skip(f"no overlay here: {str(error)[-200:]}")
        if sys.prefix != sys.base_prefix:
            # The Python that runs the tests, wherever it is mounted.
            copy.bind(Path(sys.prefix), sys.prefix)
            # Without drivers that somebody put into it, such as Intel's with its broken files.
            vendors = Path(sys.prefix) / "etc/OpenCL/vendors"
            if vendors.exists():
                none = stack.enter_context(tempfile.TemporaryDirectory())
                copy.bind(Path(none), str(vendors))
        done = _sh(copy, _way_to_python() + _PREPARE, seconds=300)
        if done.returncode != 0:
            pytest.skip(f"apt cannot reach its archive: {done.stderr.strip()[-200:]}")
        yield SystemCopy(copy)


def _way_to_python() -> str:
    """Return the command that lets every user of the copy reach the Python that runs the tests."""
    places = (Path(sys.prefix), Path(sys.executable).resolve())
    folders = sorted({str(folder) for place in places for folder in place.parents})
    return f"chmod o+x {shlex.join(folders)} || true\n"


def _is_in_chroot() -> bool:
    """Return whether nsenter, asked for this very mount namespace, comes to another root."""
    command = ("nsenter", "--mount=/proc/self/ns/mnt", "stat", "--format=%d:%i", "/")
    done = run_limited(command, seconds=30)
    here = Path("/").stat()
    return done.returncode == 0 and done.stdout.strip() != f"{here.st_dev}:{here.st_ino}"


def _sh(copy: RootCopy, commands: str, *, seconds: float) -> "subprocess.CompletedProcess[str]":
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    own = {**os.environ, "PATH": path, "PYTHONPATH": SOURCE}
    text = PRELUDE + commands
    return copy.run("sh", "-eu", "-c", text, seconds=seconds, environment=own)
