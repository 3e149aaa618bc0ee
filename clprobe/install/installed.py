# SPDX-License-Identifier: MIT
"""What of a plan a machine has already, as far as its snapshot shows; absence from it may not."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.knowledge.versions import Scheme, compare
from clprobe.model import action as actions
from clprobe.model.errors import ClprobeError
from clprobe.model.placeholders import SUDO_CALLER
from clprobe.model.plan import Component, Installed, InstallPlan, Route, Step
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, Package, User
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.probe.packages.installed import RELEVANT
from clprobe.probe.packages.sources import short_name

_OF_SYSTEM = ("package", "backports", "file", "repository")
"""Ways whose packages the system's manager lists; the others have an environment of their own."""
_INSTALLS = actions.Install | actions.InstallFiles
_SCHEMES: dict[str, Scheme] = {"dpkg": "debian", "rpm": "rpm", "pacman": "pacman"}
_URI = re.compile(r"^URIs: https?://(\S+?)/?$", re.MULTILINE)


class _Had(NamedTuple):
    """Whether something is there, None: not known; and in which version."""

    there: bool | None
    version: str | None = None


def with_installed(plan: InstallPlan, snapshot: Snapshot) -> InstallPlan:
    """Return the plan with what the snapshot's machine has of it marked in routes and steps."""
    return replace(plan, routes=tuple(_marked(route, snapshot) for route in plan.routes))


def _marked(route: Route, snapshot: Snapshot) -> Route:
    components = {c.name: _component(c, route, snapshot) for c in route.components}
    of_repository = _done_repository(route, snapshot)
    steps = tuple(
        replace(step, done=step in of_repository or _is_done(step, components, snapshot))
        for step in route.steps
    )
    installs = [one for one in steps if isinstance(one.action, _INSTALLS)]
    if installs and all(one.done for one in installs):
        steps = tuple(
            replace(one, done=True) if isinstance(one.action, actions.Refresh) else one
            for one in steps
        )
    found = tuple(components.values())
    return replace(route, components=found, steps=steps, installed=_summed_up(found))


def _done_repository(route: Route, snapshot: Snapshot) -> list[Step]:
    """Return the steps that add a repository which is there, and bring only what that takes."""
    added = [n for n, step in enumerate(route.steps) if _is_there(_repository(step), snapshot)]
    names = {component.name for component in route.components}
    return [
        step
        for step in route.steps[: added[-1] + 1 if added else 0]
        if isinstance(step.action, actions.MakeFolder | actions.FetchKey | actions.WriteFile)
        or (isinstance(step.action, actions.Install) and names.isdisjoint(step.action.packages))
    ]


def _summed_up(components: Iterable[Component]) -> Installed:
    verdicts = [one.installed for one in components]
    if any(verdicts):
        return "installed" if all(verdicts) else "partly"
    return "new" if verdicts and None not in verdicts else "unknown"


def _component(component: Component, route: Route, snapshot: Snapshot) -> Component:
    if route.how not in _OF_SYSTEM or component.origin == "pip" or component.name == "python":
        return component
    had = _had(component.name, component.version, snapshot)
    if had.there and route.how == "repository" and component.version is None:
        # The distribution may have a package of the same name, which is another one.
        known = [_repository(step) for step in route.steps]
        from_there = any(
            package.name == component.name and package.origin in known
            for package in listed(snapshot.packages)
        )
        had = had if from_there else _Had(None)
    return replace(component, installed=had.there, installed_version=had.version)


def _had(name: str, version: str | None, snapshot: Snapshot) -> _Had:
    for package in listed(snapshot.packages):
        if package.name != name or package.manager in ("pip", "conda"):
            continue
        if package.state != "installed" or isinstance(package.version, Unknown):
            return _Had(None if isinstance(package.state, Unknown) else False)
        is_older = version is not None and _is_older(package, version)
        return _Had(not is_older, None if is_older else package.version)
    whole = not isinstance(snapshot.packages, Unknown) and "packages" not in snapshot.excerpts
    return _Had(False if whole and re.search(RELEVANT, name) else None)


def _is_older(package: Package, version: str) -> bool:
    scheme = _SCHEMES.get(str(package.manager))
    try:
        return scheme is not None and compare(str(package.version), version, scheme) < 0
    except ClprobeError:  # what a snapshot says may be no version
        return True


def _is_done(step: Step, components: dict[str, Component], snapshot: Snapshot) -> bool:
    action = step.action
    if isinstance(action, _INSTALLS):
        return all(
            components[name].installed is True
            if name in components
            else _had(name, None, snapshot).there is True
            for name in action.packages
        )
    if isinstance(action, actions.JoinGroup):
        user = _person(snapshot)
        wanted = set(action.group.split(","))
        # A session that began before has to begin anew, which the step's caveat says.
        in_session = isinstance(user.groups, Unknown) or wanted <= _names(user.groups)
        return user.uid == 0 or (in_session and wanted <= _names(user.database_groups))
    if isinstance(action, actions.MakeGroup):
        user = _person(snapshot)
        there = _names(snapshot.system.gpu_groups) | _names(user.database_groups)
        return user.uid == 0 or action.group in there
    return False


def _person(snapshot: Snapshot) -> User:
    """Return who uses the machine: behind sudo, the caller."""
    for other in snapshot.perspectives:
        if other.who == SUDO_CALLER:
            return other.facts.user
    return snapshot.user


def _names(groups: Fact[tuple[Group, ...]]) -> set[object]:
    return {group.name for group in listed(groups)}


def _repository(step: Step) -> str | None:
    """Return the repository that the step adds, as snapshots name it."""
    found = _URI.search(step.action.text) if isinstance(step.action, actions.WriteFile) else None
    return short_name(found[1]) if found is not None else None


def _is_there(repository: str | None, snapshot: Snapshot) -> bool:
    return repository is not None and repository in listed(snapshot.package_sources)
