# SPDX-License-Identifier: MIT
"""Installed packages that matter to OpenCL, of the system, pip and conda, and their troubles."""

import itertools
import re
from collections.abc import Iterator

from clprobe.model.system import Package
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_names, is_there
from clprobe.probe.host import Host, PackageRecord

# Drivers, compilers, loaders, kernel modules and firmware, under any distribution's names.
RELEVANT = (
    r"(?i)opencl|ocl-?icd|^ocl|pocl|^clinfo|beignet|rusticl|libclc|clvk"
    r"|^intel-|intel-(compute|graphics|level|gpu|media|igc|gmm|opencl|ocloc)|^igc|libigc|libigdf"
    r"|gmmlib|libigdgmm|level-zero|libze|^mesa|libgl1-mesa|libdrm|linux-(image|modules)|^kernel"
    r"|^linux(-lts|-zen|-hardened)?$|^dkms$|firmware|nvidia|cuda|rocm|hsa-|hsakmt|^hip|amdgpu|comgr"
    r"|i915|xe-dkms|oneapi|spirv|libllvm|^llvm|libclang-cpp|libclang-common"
)
_PYTHON_RELEVANT = re.compile(
    r"(?i)pyopencl|pocl|opencl|intel_|dpctl|dpnp|^torch(vision|audio)?$|pytorch|^triton|tinygrad"
    r"|numpy$|pytools|pyvkfft|openvino|nvidia|^tbb$"
)
_CONDA_RELEVANT = re.compile(f"{RELEVANT}|{_PYTHON_RELEVANT.pattern.removeprefix('(?i)')}")
_DIST_INFO = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)\.dist-info")


def probe_packages(host: Host) -> tuple[Package, ...] | Unknown:
    """Return the packages whose names matter, each as its manager writes it."""
    records = ask(host.packages, RELEVANT)
    if isinstance(records, Unknown):
        return records
    system = (
        Package(
            name=record.name,
            version=record.version,
            manager=record.manager,
            architecture=record.architecture or Unknown(f"{record.manager} does not say"),
            state=record.state,
            origin=record.origin or None,
        )
        for record in records
    )
    return (*system, *_python_packages(host), *_conda_packages(host))


def _python_packages(host: Host) -> list[Package]:
    python = ask(host.python)
    folders = () if isinstance(python, Unknown) else python.package_folders
    return [
        Package(
            name=match["name"].replace("_", "-").lower(),
            version=match["version"],
            manager="pip",
            architecture=Unknown("pip does not say"),
            state="installed",
            origin=None,
        )
        for folder in folders
        for match in map(_DIST_INFO.fullmatch, ask_names(host.list_folder, folder))
        if match and _PYTHON_RELEVANT.search(match["name"])
    ]


# In the folder conda-meta of an environment: one for each package, NAME-VERSION-BUILD.json.
_CONDA_FILE = re.compile(r"(?P<name>.+)-(?P<version>[^-]+)-[^-]+\.json")
_CHANNEL = re.compile(r'"channel":\s*"(?P<place>[^"]+)"')
# Keys are sorted: the channel comes before the lists of dependencies and files.
_HEAD_BYTES = 8192


def _conda_packages(host: Host) -> list[Package]:
    """Return the relevant packages of the active environment, or of the one of this Python."""
    python = ask(host.python)
    own = None if isinstance(python, Unknown) else python.prefix
    prefixes = (host.environment().get("CONDA_PREFIX"), own)
    return [
        Package(
            name=match["name"],
            version=match["version"],
            manager="conda",
            architecture=Unknown("the file's name does not say"),
            state="installed",
            origin=_origin(host, f"{folder}/{match[0]}"),
        )
        for folder in dict.fromkeys(f"{prefix}/conda-meta" for prefix in prefixes if prefix)
        for match in map(_CONDA_FILE.fullmatch, ask_names(host.list_folder, folder))
        if match and _CONDA_RELEVANT.search(match["name"])
    ]


def _origin(host: Host, path: str) -> str | Unknown | None:
    """Return the channel without its scheme, and without a token or password in it."""
    head = ask(host.read, path, _HEAD_BYTES)
    if isinstance(head, Unknown):
        return head
    channel = _CHANNEL.search(head.decode("utf-8", "replace"))
    if channel is None:
        return None
    place = re.sub(r"^\w+://([^/@]*@)?", "", channel["place"])
    return re.sub(r"/t/[^/]+", "", place)


_DPKG_JOURNAL = "/var/lib/dpkg/updates"
_PACMAN_LOCK = "/var/lib/pacman/db.lck"
# Several versions of these are installed side by side on purpose.
_SIDE_BY_SIDE = ("kernel", "kmod-", "gpg-pubkey")


def probe_package_trouble(host: Host) -> str | Unknown | None:
    """Return what is wrong with the packages that matter, a line each; None if nothing is.

    Unknown where no package manager's records could be read.
    """
    records = ask(host.packages, RELEVANT)
    if isinstance(records, Unknown):
        return records
    if not records:
        return Unknown("no package manager whose records are known here")
    manager = records[0].manager
    lines = [
        *_interrupted(host, manager),
        *(line for record in records for line in _of_one(record)),
        *(_twice(records) if manager == "rpm" else ()),
    ]
    return "\n".join(f"{manager}: {line}" for line in lines) or None


def _interrupted(host: Host, manager: str) -> Iterator[str]:
    if manager == "dpkg":
        # dpkg's own names for records that it did not come to merge.
        if any(name.isdigit() for name in ask_names(host.list_folder, _DPKG_JOURNAL)):
            yield f"it was interrupted, {_DPKG_JOURNAL} holds what it had begun"
    elif manager == "pacman" and is_there(host.link_status, _PACMAN_LOCK):
        yield f"{_PACMAN_LOCK} is there: a transaction is running or was broken off"


def _of_one(record: PackageRecord) -> Iterator[str]:
    if record.state != "installed":
        yield f"{record.name} {record.version} is {record.state}"
    if record.damaged:
        yield f"{record.name} has to be installed once more"
    if record.held:
        yield f"{record.name} is held at {record.version}"


def _twice(records: tuple[PackageRecord, ...]) -> Iterator[str]:
    """Give packages in two versions: an update that was broken off leaves the old one behind."""
    pairs = itertools.groupby(records, key=lambda record: (record.name, record.architecture))
    for (name, _), group in pairs:
        versions = [record.version for record in group]
        if len(versions) > 1 and not name.startswith(_SIDE_BY_SIDE):
            yield f"{name} is installed twice, as {' and '.join(versions)}"
