# SPDX-License-Identifier: MIT
"""What a plan is for: a host as a snapshot has it, changed by what the user describes."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

import msgspec
from msgspec.structs import replace

from clprobe.install.stated_gpu import (
    NO_GPU,
    StatedGpu,
    gpus_of_snapshot,
    is_inside_processor,
    stated_gpu,
)
from clprobe.knowledge.core_table import Core
from clprobe.knowledge.release_names import NamedSystem, with_linux
from clprobe.knowledge.table_types import Distribution
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import Scheme, compare
from clprobe.model.errors import ClprobeError
from clprobe.model.plan import Target
from clprobe.model.snapshot import Snapshot

_USUAL_ARCH = "x86_64"
_WSL2 = 2
_HANDFUL = 6
_NEAR = 0.8


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of the machine to plan for; None is "not known".

    `os` is the name of its system for plans, `release` the same in the tables. `core` is the
    processor's. `wsl`: it runs under WSL2. `notes` say in sentences how names were read. `others`
    are further GPUs of the machine.
    """

    gpu: StatedGpu | None = None
    others: tuple[StatedGpu, ...] = ()
    os: str | None = None
    release: Distribution | None = None
    linux: str | None = None
    python: str | None = None
    arch: str | None = None
    core: Core | None = None
    windows: bool = False
    wsl: bool = False
    notes: tuple[str, ...] = ()

    @property
    def target(self) -> Target:
        """The same for documents."""
        return Target(
            gpu=self.gpu.text if self.gpu is not None else None,
            os=self.os,
            linux=self.linux,
            python=self.python,
            arch=self.arch,
            cpu=self.core.name if self.core is not None else None,
            wsl=self.wsl,
        )


def of_snapshot(snapshot: Snapshot, tables: Tables, *, python: str | None = None) -> Stated:
    """Return what a snapshot shows; `python` is the release that runs there."""
    distribution = snapshot.system.distribution
    distribution_id = _known(distribution.id) or ""
    version = _known(distribution.version) or _known(distribution.codename) or "rolling"
    linux = _version(snapshot.system.linux.release, "linux")
    release = _find_release(distribution_id, version, tables)
    named = NamedSystem(release=release)
    if release is None and distribution_id:
        named = tables.named_system(f"{distribution_id} {version}")
    elif release is not None and snapshot.system.virtualization.container is None:
        named = with_linux(release, linux)  # inside a container it is the host's
    gpu, others = gpus_of_snapshot(snapshot, tables)
    return Stated(
        gpu=gpu,
        others=others,
        os=f"{distribution_id}-{version}" if distribution_id else None,
        release=named.release,
        linux=linux,
        python=python,
        arch=_known(snapshot.system.cpu.architecture),
        core=tables.core_of(snapshot.system.cpu) or _around(gpu, tables),
        windows=distribution_id == "windows",
        wsl=snapshot.system.virtualization.wsl == _WSL2 or _is_of_wsl(linux),
        notes=tuple(named.notes(distribution_id)),
    )


def described(  # noqa: PLR0913 - one parameter per option
    base: Stated,
    tables: Tables,
    *,
    gpu: str | None = None,
    os: str | None = None,
    linux: str | None = None,
    python: str | None = None,
    cpu: str | None = None,
) -> Stated:
    """Return `base` with the described facts in place of its own.

    Another distribution brings its own Linux and Python, so those of `base` are dropped with it. A
    GPU that is named stands for all of the machine; one inside a processor brings that.

    Raises: ClprobeError if no table knows the distribution or the processor, or a version cannot be
    read.
    """
    checked: tuple[tuple[str | None, Scheme], ...] = ((linux, "linux"), (python, "pep440"))
    for version, scheme in checked:
        if version is not None:
            compare(version, version, scheme)
    stated = base if os is None else _on(os, base, tables)
    named = stated_gpu(gpu, tables) if gpu is not None else stated.gpu
    core = _core(cpu, tables) if cpu is not None else stated.core
    if cpu is None and gpu is not None:
        core = _around(named, tables) or core
    return replace(
        stated,
        gpu=named,
        others=stated.others if gpu is None else (),
        core=core,
        notes=(*stated.notes, *_about(named)),
        linux=linux or stated.linux,
        python=python or stated.python,
        arch=stated.arch or _USUAL_ARCH,
        wsl=stated.wsl or _is_of_wsl(linux),
    )


def _core(cpu: str, tables: Tables) -> Core:
    """Return the core that is named.

    Raises: ClprobeError if no table knows it.
    """
    found = tables.core_named(cpu)
    if found is None:
        keys = ", ".join(core.core for table in tables.cores() for core in table.cores)
        raise ClprobeError(
            reference="cpu-unknown",
            message=f"{cpu!r} is no processor whose generation the tables know.",
            hint=f"Give its full name, as /proc/cpuinfo has it, or one of {keys}.",
        )
    return found


def _around(gpu: StatedGpu | None, tables: Tables) -> Core | None:
    """Return the core of the processor that the GPU is inside; None: of none that is known."""
    if gpu is None:
        return None
    if tables.processor(gpu.name) is not None:
        return tables.core_named(gpu.name)
    return tables.only_core("intel") if is_inside_processor(gpu, tables) else None


def _about(gpu: StatedGpu | None) -> Iterator[str]:
    """Yield why a GPU that was stated is none, and what else its name means."""
    if gpu is None:
        return
    for other in gpu.passed_over:
        yield f"{gpu.name} is also a name of {other}, for which no OpenCL exists."
    if gpu.nothing_because is not None and gpu != NO_GPU:
        yield f"{gpu.name}: {gpu.nothing_because}. Only routes on the CPU are planned."


def _on(os: str, base: Stated, tables: Tables) -> Stated:
    """Return what is stated of a machine on that system; of the same one, all that `base` says.

    Raises: ClprobeError if no table knows it, or nothing can be planned there.
    """
    named = tables.named_system(os)
    other, release = named.other, named.release
    if other is not None and other.plan == "none":
        raise ClprobeError(
            reference="os-without-plan",
            message=other.because or f"clprobe has no plan for {other.name}.",
            hint="Name a Linux distribution or Windows, such as --os ubuntu-24.04.",
        )
    if other is None and release is None:
        raise ClprobeError(
            reference="os-unknown",
            message=f"{os!r} is no system that the tables know.",
            hint=_releases_near(os, tables),
        )
    key = release.key if release is not None else other.key if other is not None else ""
    if key == base.os and named.wsl == base.wsl:
        return base
    notes = list(named.notes(os))
    if other is not None and other.plan == "linux":
        notes.append(f"No table lists the packages of {os}: only what needs none is planned.")
        notes += [other.because] if other.because is not None else []
    return Stated(
        gpu=base.gpu,
        others=base.others,
        os=key,
        release=release,
        arch=base.arch,
        core=base.core,
        windows=other is not None and other.plan == "windows",
        wsl=named.wsl,
        notes=tuple(notes),
    )


def _releases_near(name: str, tables: Tables) -> str:
    """Return a hint with the releases of the distribution that the name begins with, if any."""
    known = tables.distributions()
    own = [one.key for one in known if re.search(rf"\b{re.escape(one.id)}\b", name.lower())]
    near = get_close_matches(name.lower(), own or [one.key for one in known], n=3, cutoff=_NEAR)
    if near:
        return f"Did you mean {' or '.join(near)}?"
    if own:
        return f"Of this distribution the tables know {', '.join(own[-_HANDFUL:])}."
    return (
        'Give a distribution and its release, such as ubuntu-24.04, "Linux Mint 22" or fedora; of '
        "one that is built on another, that other's: ID_LIKE in /etc/os-release names it."
    )


def _is_of_wsl(linux: str | None) -> bool:
    return linux is not None and "microsoft" in linux.lower()


def _find_release(distribution_id: str, version: str, tables: Tables) -> Distribution | None:
    # os-release may say more than the tables: 3.24.1 of Alpine 3.24, 9.4 of RHEL 9.
    parts = version.lower().split(".")
    for count in range(len(parts), 0, -1):
        found = tables.distribution(distribution_id.lower(), ".".join(parts[:count]))
        if found is not None:
            return found
    # Gentoo's os-release names the version of a package, 2.17.
    return tables.distribution(distribution_id.lower(), "rolling")


def _known(fact: object) -> str | None:
    return fact if isinstance(fact, str) else None


def _version(fact: object, scheme: Scheme) -> str | None:
    """Return a version that can be compared; what a host says may be anything."""
    version = _known(fact)
    try:
        return version if version is not None and compare(version, version, scheme) == 0 else None
    except ClprobeError:
        return None
