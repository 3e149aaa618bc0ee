# SPDX-License-Identifier: MIT
"""Mesa's shim of an Intel GPU, which Debian does not package, built from its source.

It is built once for each version of Mesa, in a root of its own with the suite's own compiler, in a
minute on two cores; of 150 MB that are fetched and 750 MB beside them only the shim stays.
"""

import subprocess
import tempfile
from pathlib import Path

from debian_archive import Archive, SuiteUnreachableError
from mesa_shims import unpack

DEVICE_ID = "INTEL_STUB_GPU_DEVICE_ID"
"""The variable with the PCI id of the GPU that it plays, such as 1912."""
_BINARY = "mesa-opencl-icd"
_TOOLS = (
    "gcc", "g++", "libc6-dev", "meson", "ninja-build", "pkgconf", "bison", "flex", "dash", "sed",
    "coreutils", "python3-mako", "python3-yaml", "python3-packaging", "libdrm-dev",
    "libexpat1-dev", "zlib1g-dev",
)  # fmt: skip
_NO_DRIVERS = (
    "-Dtools=drm-shim,intel", "-Dgallium-drivers=", "-Dvulkan-drivers=", "-Dplatforms=",
    "-Dglx=disabled", "-Dllvm=disabled", "-Dbuildtype=plain",
)  # fmt: skip
_SOURCE = "mesa/src/intel/tools/intel_noop_drm_shim.c"
_LOOK_UP = "intel_get_device_info_from_pci_id(i915.device_id, &i915.devinfo)"
_PLAY_ANY = (
    f'(i915.device_id = strtoul(getenv("{DEVICE_ID}"), NULL, 16), {_LOOK_UP}'
    " || intel_get_device_info_from_pci_id(0x1912, &i915.devinfo))"
)
"""Its own copy of Mesa's list refuses no id: one that is not there has the size of HD 530."""
_SHIM = "src/intel/tools/libintel_noop_drm_shim.so"
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/bin", "HOME": "/", "LC_ALL": "C.UTF-8"}
_BUILD_SECONDS = 240
"""Time for one step of the build; on two cores meson takes 15 s and ninja 15 s."""


def intel_shim(archive: Archive, suite: str) -> Path:
    """Return the shim of the suite's Mesa, which is built if it is not there yet.

    Raises: SuiteUnreachableError with apt's own words, or the last ones of what failed to build it.
    """
    version = archive.suite(suite, frozenset({_BINARY})).packages[_BINARY].version
    shim = archive.folder / f"libintel_noop_drm_shim-{version}.so"
    if not shim.is_file():
        source = archive.source(suite, "mesa", version)
        with tempfile.TemporaryDirectory(prefix=f"{suite}-shim-", dir=archive.folder) as folder:
            unpack(archive, suite, archive.needed(suite, _TOOLS), Path(folder))
            _build(Path(folder), source).rename(shim)
    return shim


def _build(root: Path, archive: Path) -> Path:
    (root / "mesa").mkdir()
    (root / "tmp").mkdir()
    _run("tar", "-xf", str(archive), "-C", str(root / "mesa"), "--strip-components=1")
    source = (root / _SOURCE).read_text()
    if source.count(_LOOK_UP) != 1:
        raise SuiteUnreachableError(f"{_SOURCE} does not look an id up as it did")
    (root / _SOURCE).write_text(source.replace(_LOOK_UP, _PLAY_ANY))
    inside = ("nice", "chroot", str(root))
    _run(*inside, "meson", "setup", "/mesa/build", "/mesa", *_NO_DRIVERS)
    _run(*inside, "ninja", "-C", "/mesa/build", _SHIM)
    return root / "mesa/build" / _SHIM


def _run(*command: str) -> None:
    try:
        done = subprocess.run(
            command, env=_ENVIRONMENT, capture_output=True, text=True, timeout=_BUILD_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SuiteUnreachableError(f"the shim of an Intel GPU was not built: {error}") from error
    if done.returncode:
        said = (done.stdout + done.stderr)[-500:]
        raise SuiteUnreachableError(f"the shim of an Intel GPU was not built: {said}")
