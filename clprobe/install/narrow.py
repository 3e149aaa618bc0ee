# SPDX-License-Identifier: MIT
"""Takes out the routes that the person does not want, each with the wish that took it out."""

from collections.abc import Sequence

from clprobe.install.machine import Machine
from clprobe.install.wording import sentence
from clprobe.model.plan import Component, Rejected, Route

_FOREIGN = {"repository": "a foreign repository", "conda": "the channel conda-forge"}


class FilesOfOthers(Component, frozen=True, kw_only=True):
    """A package whose files are to be fetched from another vendor than the distribution's."""


class WheelOfOthers(Component, frozen=True, kw_only=True):
    """A wheel that is to be fetched from its project, because no index has it."""


def narrowed(routes: Sequence[Route], machine: Machine) -> tuple[list[Route], list[Rejected]]:
    """Return the routes that fit the wishes, and those that they took out."""
    kept: list[Route] = []
    rejected: list[Rejected] = []
    for route in routes:
        because = _against(route, machine)
        if because is None:
            kept.append(route)
        else:
            rejected.append(
                Rejected(
                    backend=route.backend,
                    stack=route.stack,
                    because=sentence(because),
                    sources=route.sources,
                    how=route.how,
                )
            )
    return kept, rejected


def _against(route: Route, machine: Machine) -> str | None:
    wishes = machine.wishes
    if wishes.want is not None and route.uses_gpu is not (wishes.want == "gpu"):
        return f"narrowed by --want {wishes.want}: it uses the {'GPU' if route.uses_gpu else 'CPU'}"
    if not wishes.root:
        step = next((step for step in route.steps if step.needs_root), None)
        if step is not None:
            return f"narrowed by --no-root: a step of it needs root ({step.title})"
    if wishes.wheels is not None and route.how == "conda":
        return "narrowed by --offline-wheels: conda asks the channel conda-forge for its packages"
    if not wishes.third_party:
        foreign = _foreign(route)
        if foreign is not None:
            return f"narrowed by --no-third-party: it brings {foreign}"
    return None


def _foreign(route: Route) -> str | None:
    """Return what the route brings that is neither the distribution's nor an index of Python's."""
    if route.how in _FOREIGN:
        return _FOREIGN[route.how]
    for component in route.components:
        if isinstance(component, WheelOfOthers):
            return f"the file {component.origin}"
        if isinstance(component, FilesOfOthers):
            return f"files of {component.origin}"
    return None
