# SPDX-License-Identifier: MIT
"""The steps that switch on what a package is in: a component, a pocket, somebody's repository."""

from collections.abc import Sequence

from clprobe.commands.commands import step
from clprobe.compat.offers import Offer
from clprobe.install import steps
from clprobe.knowledge.package_managers import manager_of_distribution
from clprobe.knowledge.table_types import Distribution, Enabling
from clprobe.model import action as actions
from clprobe.model.plan import Step

_FIRMWARE = "non-free-firmware"
_OFF_AT_FIRST = ("contrib", "non-free", _FIRMWARE)
"""Components that Debian's installer switches on only where somebody asks for them."""


def enable_origin(
    offer: Offer, distribution: Distribution, vendor: str | None = None
) -> list[Step]:
    """Return the steps that let packages of an offer be installed, the index read last.

    `vendor` is the GPU's, for which the packages may be set up.
    """
    made = enable_pocket(distribution, offer.pocket, offer.component)
    made += [
        steps.write_file(f"Say how {offer.packages[0]} is to be installed", one.path, one.text)
        for one in offer.settings
        if not one.vendors or vendor in one.vendors
    ]
    third_party = offer.third_party
    if third_party is None:
        return made
    if distribution.key in third_party.repositories:
        return made + steps.add_repository(third_party, distribution)
    return made + _carried_out(third_party.enabled_by(distribution), distribution)


def enable_pocket(
    distribution: Distribution, pocket: str | None, component: str | None = None
) -> list[Step]:
    """Return the steps that switch a pocket and a component on, where they are off at first."""
    made = _carried_out(distribution.enabling.get(pocket or "", ()), distribution)
    backports = pocket == "backports"
    off = component in _OFF_AT_FIRST
    if not (steps.uses_apt(distribution) and distribution.codename and (backports or off)):
        return made
    if distribution.id != "debian":
        return made
    wanted = [component] if off and component is not None else ["main"]
    if component == "non-free":
        wanted.append("contrib")
        # NVIDIA's driver depends on its firmware, which has a component of its own since Debian 12.
        wanted += [_FIRMWARE] if _has_component(distribution, _FIRMWARE) else []
    # A file for each: one that was written before must keep what it switched on.
    name = "-".join([*(["backports"] if backports else []), *([component or ""] if off else [])])
    suite = f"{distribution.codename}-backports" if backports else None
    action = actions.AddSources(
        path=f"/etc/apt/sources.list.d/clprobe-{name}.sources",
        codename=distribution.codename,
        components=tuple(wanted),
        suite=suite,
    )
    what = suite or " and ".join(wanted)
    return [
        *made,
        step(f"Switch {what} on in the package sources", action),
        *steps.refresh(distribution),
    ]


def _has_component(distribution: Distribution, component: str) -> bool:
    return any(
        one.component == component for found in distribution.packages.values() for one in found
    )


def _carried_out(enabling: Sequence[Enabling], distribution: Distribution) -> list[Step]:
    def filled(words: tuple[str, ...] | None) -> tuple[str, ...] | None:
        release = distribution.release
        return None if words is None else tuple(w.replace("{release}", release) for w in words)

    made: list[Step] = []
    for one in enabling:
        if one.packages:
            made.append(steps.install(distribution, one.title, filled(one.packages) or ()))
            continue
        action = actions.EnableRepository(
            argv=_by_own_manager(filled(one.argv) or (), distribution),
            undo=_by_own_manager(filled(one.undo) or (), distribution) or None,
            verify=filled(one.verify),
        )
        made.append(step(one.title, action))
    return made


def _by_own_manager(argv: tuple[str, ...], distribution: Distribution) -> tuple[str, ...]:
    """Return the command as the edition's own package manager takes it, where it has another."""
    usual, own = manager_of_distribution((distribution.id,)), steps.manager_of(distribution)
    if usual is None or own is None or own is usual or argv[:1] != (usual.program,):
        return argv
    command = own.unattended.remove if argv[1] == "remove" else own.unattended.install
    return (*command, *(word for word in argv[2:] if not word.startswith("-")))
