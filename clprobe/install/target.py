# SPDX-License-Identifier: MIT
"""What a plan is for: this host as a snapshot has it, changed by what the user describes."""

import re

from msgspec.structs import replace

from clprobe.install.machine import NO_GPU, check_distribution, is_windows
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import Scheme, compare
from clprobe.model.errors import ClprobeError
from clprobe.model.hardware import Gpu
from clprobe.model.plan import Target
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown

_USUAL_ARCH = "x86_64"
_HANDFUL = 6
_NAME = re.compile(r"[\w .,()/+\[\]-]{1,80}", re.ASCII)
NOTHING_KNOWN = Target(gpu=None, os=None, linux=None, python=None, arch=None)


def of_snapshot(snapshot: Snapshot, tables: Tables, *, python: str | None = None) -> Target:
    """Return the target that a snapshot shows; `python` is the release that runs there."""
    distribution = snapshot.system.distribution
    release = _known(distribution.version) or _known(distribution.codename) or "rolling"
    distribution_id = _known(distribution.id)
    return Target(
        gpu=_gpu(snapshot.gpus, tables),
        os=f"{distribution_id}-{release}" if distribution_id is not None else None,
        linux=_version(snapshot.system.linux.release, "linux"),
        python=python,
        arch=_known(snapshot.system.cpu.architecture),
    )


def described(  # noqa: PLR0913 - one parameter per option
    base: Target,
    tables: Tables,
    *,
    gpu: str | None,
    os: str | None,
    linux: str | None,
    python: str | None,
) -> Target:
    """Return `base` with the described facts in place of its own.

    Another distribution brings its own Linux and Python, so those of `base` are dropped with it.

    Raises: ClprobeError if no table knows the distribution, or a version cannot be read.
    """
    checked: tuple[tuple[str | None, Scheme], ...] = ((linux, "linux"), (python, "pep440"))
    for version, scheme in checked:
        if version is not None:
            compare(version, version, scheme)
    target = base
    if os is not None:
        windows = is_windows(os)
        key = (
            os.strip().lower().replace(" ", "-") if windows else check_distribution(os, tables).key
        )
        if key != base.os:
            target = replace(target, os=key, linux=None, python=None)
    return Target(
        gpu=_named(gpu, tables) if gpu is not None else target.gpu,
        os=target.os,
        linux=linux or target.linux,
        python=python or target.python,
        arch=target.arch or _USUAL_ARCH,
    )


def _known(fact: object) -> str | None:
    return fact if isinstance(fact, str) else None


def _version(fact: object, scheme: Scheme) -> str | None:
    """Return a version that can be compared; what a host says may be anything."""
    version = _known(fact)
    try:
        return version if version is not None and compare(version, version, scheme) == 0 else None
    except ClprobeError:
        return None


def _gpu(gpus: tuple[Gpu, ...] | Unknown, tables: Tables) -> str | None:
    """Return the GPU to plan for: Intel's first, since the tables know those, then any."""
    if isinstance(gpus, Unknown):
        return None
    if not gpus:
        return NO_GPU
    named = [pci_id for gpu in gpus if (pci_id := _pci_id(gpu)) is not None]
    ours = [pci_id for pci_id in named if tables.gpu(pci_id) is not None]
    intel = [pci_id for pci_id in named if pci_id.startswith("8086:")]
    best = next(iter([*ours, *intel, *named]), None)
    if best is not None:
        return _with_name(_named(best, tables), gpus)
    names = [name for gpu in gpus if (name := _known(gpu.name)) is not None]
    found = [name for name in names if len(_generations(name, tables)) == 1]
    return found[0] if found else None


def _with_name(named: str, gpus: tuple[Gpu, ...]) -> str:
    """Return a PCI id that no table knows with the name that the host has for it, if it is one."""
    names = [_known(gpu.name) for gpu in gpus if _pci_id(gpu) == named]
    name = next((name for name in names if name is not None), None)
    return f"{named} {name}" if name is not None and _NAME.fullmatch(name) else named


def _pci_id(gpu: Gpu) -> str | None:
    pci_id = (_known(gpu.pci_id) or "").lower()
    return pci_id if re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", pci_id) else None


def _generations(name: str, tables: Tables) -> set[str]:
    return {entry.generation for _, entry in tables.find_gpus(name)}


def _named(gpu: str, tables: Tables) -> str:
    """Return a PCI id with its marketing name, and a name with the ids that it stands for.

    Names that stand for more than a handful, such as Haswell, stay as they are.
    """
    entry = tables.gpu(gpu.strip().lower())
    if entry is not None:
        return f"{entry.pci_id} {entry.name or entry.codename}"
    found = tables.find_gpus(gpu)
    if len(found) == 1:
        return f"{found[0][0]} {found[0][1].name or found[0][1].codename}"
    if 1 < len(found) <= _HANDFUL and len(_generations(gpu, tables)) == 1:
        return f"{gpu} ({', '.join(pci_id for pci_id, _ in found)})"
    return gpu
