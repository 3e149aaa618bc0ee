# SPDX-License-Identifier: MIT
"""What a plan is for: a host as a snapshot has it, changed by what the user describes.

And whether that is this host, which a plan from a snapshot may then be carried out on.
"""

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from clprobe.knowledge import release_names
from clprobe.knowledge.checked_yaml import nearest
from clprobe.knowledge.table_types import Distribution
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import Scheme, compare
from clprobe.model.errors import ClprobeError
from clprobe.model.hardware import Gpu
from clprobe.model.plan import Target
from clprobe.model.shell_words import can_be_typed
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Fact, Unknown

_USUAL_ARCH = "x86_64"
_HANDFUL = 6
_WINDOWS = ("windows-10", "windows-11")
_NAME = re.compile(r"[\w .,()/+\[\]-]{1,80}", re.ASCII)
_PCI_ID = re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{4}\b")
_LONGEST = 80


class StatedGpu(msgspec.Struct, frozen=True):
    """A GPU as it was stated: its `name`, and the PCI ids that it stands for, known or not.

    `text` is how plans show it.
    """

    text: str
    name: str
    pci_ids: tuple[str, ...] = ()


NO_GPU = StatedGpu("none", "none")
"""Of a machine that verifiably has no GPU."""


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of the machine to plan for; None is "not known".

    `os` is the name of its system for plans, `release` the same in the tables.
    """

    gpu: StatedGpu | None = None
    os: str | None = None
    release: Distribution | None = None
    linux: str | None = None
    python: str | None = None
    arch: str | None = None
    windows: bool = False

    @property
    def target(self) -> Target:
        """The same for documents."""
        return Target(
            gpu=self.gpu.text if self.gpu is not None else None,
            os=self.os,
            linux=self.linux,
            python=self.python,
            arch=self.arch,
        )


def of_snapshot(snapshot: Snapshot, tables: Tables, *, python: str | None = None) -> Stated:
    """Return what a snapshot shows; `python` is the release that runs there."""
    distribution = snapshot.system.distribution
    distribution_id = _known(distribution.id) or ""
    version = _known(distribution.version) or _known(distribution.codename) or "rolling"
    return Stated(
        gpu=_gpu(snapshot.gpus, tables),
        os=f"{distribution_id}-{version}" if distribution_id else None,
        release=_find_release(distribution_id, version, tables),
        linux=_version(snapshot.system.linux.release, "linux"),
        python=python,
        arch=_known(snapshot.system.cpu.architecture),
        windows=distribution_id == "windows",
    )


def described(  # noqa: PLR0913 - one parameter per option
    base: Stated,
    tables: Tables,
    *,
    gpu: str | None = None,
    os: str | None = None,
    linux: str | None = None,
    python: str | None = None,
) -> Stated:
    """Return `base` with the described facts in place of its own.

    Another distribution brings its own Linux and Python, so those of `base` are dropped with it.

    Raises: ClprobeError if no table knows the distribution, or a version cannot be read.
    """
    checked: tuple[tuple[str | None, Scheme], ...] = ((linux, "linux"), (python, "pep440"))
    for version, scheme in checked:
        if version is not None:
            compare(version, version, scheme)
    stated = base
    if os is not None:
        key = os.strip().lower().replace(" ", "-")
        key = _WINDOWS[-1] if key == "windows" else key
        windows = key in _WINDOWS
        release = None if windows else _release_called(os, tables)
        key = release.key if release is not None else key
        if key != base.os:
            stated = Stated(gpu=base.gpu, os=key, release=release, arch=base.arch, windows=windows)
    return replace(
        stated,
        gpu=stated_gpu(gpu, tables) if gpu is not None else stated.gpu,
        linux=linux or stated.linux,
        python=python or stated.python,
        arch=stated.arch or _USUAL_ARCH,
    )


def stated_gpu(name: str, tables: Tables) -> StatedGpu:
    """Return what a PCI id, a name, or a text with ids stands for.

    Names that stand for more than a handful, such as Haswell, are shown as they are.
    """
    entry = tables.gpu(name.strip().lower())
    found = [entry] if entry is not None else [one for _, one in tables.find_gpus(name)]
    pci_ids = tuple(one.pci_id for one in found) or tuple(_PCI_ID.findall(name.lower()))
    text = name
    if len(found) == 1:
        text = f"{pci_ids[0]} {found[0].name or found[0].codename}"
    elif 1 < len(found) <= _HANDFUL and len({one.generation for one in found}) == 1:
        text = f"{name} ({', '.join(pci_ids)})"
    return StatedGpu(text, name, pci_ids)


def _release_called(name: str, tables: Tables) -> Distribution:
    """Return the release called `name`: ubuntu-24.04, noble, "Linux Mint 22", ubuntu (the newest).

    Raises: ClprobeError if it is in no table; the hint names the nearest that are.
    """
    found = release_names.newest(name, tables.distributions())
    if found is None:
        raise ClprobeError(
            reference="os-unknown",
            message=f"{name!r} is no distribution that the tables know.",
            hint=nearest(name.lower(), [d.key for d in tables.distributions()]),
        )
    return found


def _find_release(distribution_id: str, version: str, tables: Tables) -> Distribution | None:
    # os-release may say more than the tables: 3.24.1 of Alpine 3.24, 9.4 of RHEL 9.
    parts = version.lower().split(".")
    for count in range(len(parts), 0, -1):
        found = tables.distribution(distribution_id.lower(), ".".join(parts[:count]))
        if found is not None:
            return found
    return None


def _known(fact: object) -> str | None:
    return fact if isinstance(fact, str) else None


def _version(fact: object, scheme: Scheme) -> str | None:
    """Return a version that can be compared; what a host says may be anything."""
    version = _known(fact)
    try:
        return version if version is not None and compare(version, version, scheme) == 0 else None
    except ClprobeError:
        return None


def _gpu(gpus: tuple[Gpu, ...] | Unknown, tables: Tables) -> StatedGpu | None:
    """Return the GPU to plan for: Intel's first, since the tables know those, then any."""
    if isinstance(gpus, Unknown):
        return None
    if not gpus:
        return NO_GPU
    named = [pci_id for gpu in gpus if (pci_id := _pci_id(gpu)) is not None]
    ours = [pci_id for pci_id in named if tables.gpu(pci_id) is not None]
    intel = [pci_id for pci_id in named if pci_id.startswith("8086:")]
    best = next(iter([*ours, *intel, *named]), None)
    names = [name for gpu in gpus if (name := _known(gpu.name)) is not None]
    if best is None:
        return next((one for name in names if (one := _of_name(name, tables)) is not None), None)
    own = [name for gpu in gpus if _pci_id(gpu) == best and (name := _known(gpu.name)) is not None]
    if not ours and own and _NAME.fullmatch(own[0]):
        return StatedGpu(f"{best} {own[0]}", own[0], (best,))
    return stated_gpu(best, tables)


def _of_name(name: str, tables: Tables) -> StatedGpu | None:
    """Return the GPU that a host names without an id, if that means one generation."""
    found = [entry for _, entry in tables.find_gpus(name)]
    if len({entry.generation for entry in found}) != 1:
        return None
    return StatedGpu(name, name, tuple(entry.pci_id for entry in found))


def _pci_id(gpu: Gpu) -> str | None:
    pci_id = (_known(gpu.pci_id) or "").lower()
    return pci_id if _PCI_ID.fullmatch(pci_id) else None


def check_same_host(planned: Snapshot, ours: Snapshot) -> None:
    """Return if nothing that a plan rests on differs; host names are scrubbed, so none is asked.

    Raises: ClprobeError that names every difference.
    """
    found = list(_differences(planned, ours))
    if found:
        raise ClprobeError(
            reference="plan-for-another-host",
            message=f"The snapshot is of another machine: {'; '.join(found)}.",
            hint="Plan without --from to change this host, or have the plan printed with "
            "--format sh and run it there.",
        )


def _differences(planned: Snapshot, ours: Snapshot) -> Iterator[str]:
    theirs, here = _gpu_ids(planned), _gpu_ids(ours)
    if theirs is None:
        yield "it does not say which GPUs there are"
    elif here is not None and theirs != here:
        yield f"its GPUs are {_listed(theirs)}, here {_listed(here)}"
    facts: tuple[tuple[str, Fact[str], Fact[str]], ...] = (
        ("its architecture is", planned.system.cpu.architecture, ours.system.cpu.architecture),
        ("it runs Linux", planned.system.linux.release, ours.system.linux.release),
    )
    for words, there, now in facts:
        if isinstance(there, str) and isinstance(now, str) and there != now:
            yield f"{words} {_shown(there)}, here {now}"


def _gpu_ids(snapshot: Snapshot) -> tuple[str, ...] | None:
    if isinstance(snapshot.gpus, Unknown):
        return None
    ids = (gpu.pci_id for gpu in snapshot.gpus)
    return tuple(sorted(one.lower() for one in ids if isinstance(one, str)))


def _listed(ids: tuple[str, ...]) -> str:
    return ", ".join(map(_shown, ids)) or "none"


def _shown(text: str) -> str:
    """Return what a snapshot says as one short word, whatever it holds."""
    return text if can_be_typed(text) and len(text) < _LONGEST else ascii(text)[:_LONGEST]
