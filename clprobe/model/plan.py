# SPDX-License-Identifier: MIT
"""Install plans: routes, what each installs, what was rejected; and the matrix of versions."""

from typing import Literal

import msgspec

from clprobe.model.action import Action
from clprobe.model.finding import Source

RouteStatus = Literal["supported", "workaround", "unverified"]
How = Literal[
    "package", "backports", "file", "repository", "pip", "conda", "container", "source",
    "included", "by-hand",
]  # fmt: skip
"""How a route gets its implementation: "included" needs none, "by-hand" has no commands."""
Installed = Literal["installed", "partly", "new", "unknown"]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """What the plan is for; None is "not known". `gpu` is a PCI id or generation with a name.

    `cpu` is the generation of the processor, such as "Zen 4", where compilers tell it apart.
    `wsl`: the system runs under WSL2.
    """

    gpu: str | None
    os: str | None
    linux: str | None
    python: str | None
    arch: str | None
    cpu: str | None = None
    wsl: bool = False


class Component(msgspec.Struct, frozen=True, kw_only=True):
    """A package or file of a route; `origin` says where it comes from.

    `installed`: whether the machine has it, not older than `version`; None: not known. Then
    `installed_version` is the one that it has.
    """

    name: str
    version: str | None
    origin: str
    installed: bool | None = None
    installed_version: str | None = None


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One action and its commands: `verify` proves that it worked, `undo` takes it back.

    `done`: the snapshot shows that it is so already.
    """

    title: str
    action: Action
    argv: tuple[str, ...]
    needs_root: bool
    undo: tuple[str, ...] | None = None
    verify: tuple[str, ...] | None = None
    done: bool = False


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One way to get the goal, ranked from 1 (best); `ranking` says why it stands there.

    `essential` are those of the caveats without which the steps fail or have no effect.
    `installed` sums up its components. `by_hand` is what a person does before the steps, or in
    place of them: lines to type or to paste, and sentences as comments. `is_known`: the tables say
    that this version drives the GPU, even where the status is "unverified" because nobody tried
    this way to get it.
    """

    rank: int
    backend: str
    stack: str | None
    uses_gpu: bool
    status: RouteStatus
    because: str
    components: tuple[Component, ...]
    steps: tuple[Step, ...]
    caveats: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    how: How = "package"
    slower_than_cpu: bool = False
    ranking: str = ""
    essential: tuple[str, ...] = ()
    installed: Installed = "unknown"
    by_hand: tuple[str, ...] = ()
    is_known: bool = False


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """A route that cannot work here, and the constraint that rules it out.

    `how` tells routes to one backend apart; None: whichever way it comes. `of_gpu` is the reason
    where it lies in the GPU or its Linux, and so holds for other drivers as well.
    """

    backend: str
    stack: str | None
    because: str
    sources: tuple[Source, ...] = ()
    how: How | None = None
    of_gpu: str | None = None


class InstallPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Routes, best first, and the rejected ones."""

    target: Target
    goal: str
    routes: tuple[Route, ...]
    rejected: tuple[Rejected, ...]


ANY = "any"
"""Stands for a release, driver or Python where the answer is the same for all of them."""


class VersionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stack in one version, with its torch and Pythons, on one driver of one release.

    `python` are the releases that get this build, such as "3.11 to 3.14"; `shipped` is the one
    that the distribution brings itself. `status` "no" stands for hardware on which it fails, and
    `why` says so.
    """

    release: str
    driver: str
    driver_version: str | None
    how: How | None
    stack: str
    version: str | None
    torch: str | None
    python: str
    shipped: str | None
    device: Literal["gpu", "cpu"]
    status: Literal["supported", "workaround", "unverified", "no"]
    why: str
