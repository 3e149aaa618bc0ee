# SPDX-License-Identifier: MIT
"""The closed set of remedy actions, each as a function from its arguments to a remedy."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import msgspec

from clprobe.commands.commands import remedy
from clprobe.compat.packages import package_manager, packages_with, title_of
from clprobe.diagnosis.command_words import is_package
from clprobe.facts.paths import Scope
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.tables import Tables
from clprobe.model.action import (
    Action,
    Advise,
    BootParameter,
    CleanIcdFile,
    Install,
    JoinGroup,
    LinkFile,
    LoadModule,
    NameGroup,
    Permit,
    PointIcdAt,
    PutAside,
    Reinstall,
    Remove,
    SeePlan,
    SetVariable,
    UnsetVariable,
)
from clprobe.model.finding import Remedy, TakesEffect
from clprobe.model.placeholders import USER
from clprobe.model.unknown import NOT_STATED, Fact, listed

_NEW_SESSION: TakesEffect = "after logging out and in again"
_NEXT_BOOT: TakesEffect = "after the next boot"
_NEW_SHELL: TakesEffect = "in programs started from this shell"
Builder: TypeAlias = Callable[..., Remedy]


class Site(msgspec.Struct, frozen=True):
    """Where remedies are applied: the facts, and the packages of the distribution."""

    scope: Scope
    tables: Tables

    @property
    def tool(self) -> PackageManager | None:
        """The package manager of the distribution; None: we know none."""
        return package_manager(self.scope.facts.system.distribution)


def _told(title: str, action: Callable[..., Action], effect: TakesEffect = "at once") -> Builder:
    """Return the builder of a remedy whose title and action hold its arguments as they are."""

    def build(site: Site, **arguments: str) -> Remedy:  # noqa: ARG001 - one signature for all
        spoken = {key: _spoken(text) for key, text in arguments.items()}
        return remedy(title.format(**spoken), action(**arguments), effect)

    return build


def _add_to_group(site: Site, user: str, group: str, text: str | None = None) -> Remedy:  # noqa: ARG001
    title = text or f"Add {_spoken(user)} to the group {group}"
    return remedy(title, JoinGroup(user=user, group=group), _NEW_SESSION)


def _spoken(user: str) -> str:
    return "yourself" if user == USER else user


def _install(site: Site, what: str) -> Remedy:
    names = packages_with(what, site.tables, site.scope.facts.system.distribution)
    title = f"Install {title_of(what, site.tables)}"
    if site.tool is None or not names:
        return remedy(title, Advise(), "when installed")
    return remedy(title, Install(manager=site.tool.manager, packages=names))


def _reinstall(site: Site, package: str) -> Remedy:
    title = f"Install the package {package} again"
    manager = _manager(site, package)
    if manager in ("pip", "conda"):
        if is_package(package, str(manager)):
            return remedy(title, Reinstall(manager=str(manager), package=package))
    elif site.tool is not None and is_package(package, site.tool.database):
        return remedy(title, Reinstall(manager=site.tool.manager, package=package))
    return remedy(title, Advise(), "when installed")


def _manager(site: Site, package: str) -> Fact[str]:
    packages = site.scope.facts.packages
    for known in listed(packages):
        if known.name == package:
            return known.manager
    return NOT_STATED


def _remove_package(site: Site, package: str) -> Remedy:
    title = f"Remove the package {package}"
    if site.tool is None or not is_package(package, site.tool.database):
        return remedy(title, Advise(), "when removed")
    return remedy(title, Remove(manager=site.tool.manager, packages=(package,)))


def _set_environment(
    site: Site,  # noqa: ARG001
    name: str,
    value: str,
    text: str = "Set it in the environment",
) -> Remedy:
    title = f"{text}: export {name}={value}"
    return remedy(title, SetVariable(name=name, value=value), _NEW_SHELL)


def _unset_environment(site: Site, name: str) -> Remedy:
    value = site.scope.facts.environment.get(name)
    action = UnsetVariable(name=name, value=value if isinstance(value, str) else None)
    return remedy(f"Take it out of the environment: unset {name}", action, _NEW_SHELL)


def _boot(site: Site, parameter: str, text: str | None = None, *, add: bool) -> Remedy:
    verb = "Add" if add else "Remove"
    if text is not None:
        verb = f"{text}: {verb.lower()}"
    if site.tool is not None and site.tool.manager == "dnf":
        title = f"{verb} the boot parameter {parameter}"
        return remedy(title, BootParameter(parameter=parameter, add=add, tool="grubby"), _NEXT_BOOT)
    title = (
        f"{verb} {parameter} in GRUB_CMDLINE_LINUX_DEFAULT of /etc/default/grub, "
        "then run update-grub (or write the boot loader's configuration anew)"
    )
    return remedy(title, BootParameter(parameter=parameter, add=add), _NEXT_BOOT)


BUILDERS: dict[str, Builder] = {
    "manual": _told("{text}", lambda **_: Advise(), "when done"),
    "plan": _told("{text}", lambda goal, **_: SeePlan(goal=goal), "once its steps are done"),
    "add_to_group": _add_to_group,
    "join_group_by_number": _told(
        "Give group number {gid} the name {name} and put {user} into it",
        lambda gid, name, user: NameGroup(gid=gid, group=name, user=user),
        _NEW_SESSION,
    ),
    "install": _install,
    "reinstall": _reinstall,
    "remove_package": _remove_package,
    "set_environment": _set_environment,
    "unset_environment": _unset_environment,
    "move_aside": _told("Put {path} aside; loaders read only names that end in .icd", PutAside),
    "make_readable": _told("Let everybody read {path}", partial(Permit, what="read")),
    "open_folder": _told(
        "Let everybody pass through the folder {path}; what it holds stays unlisted",
        partial(Permit, what="pass"),
    ),
    "open_node": _told(
        "Let everybody use {path}, until the node is made anew", partial(Permit, what="use")
    ),
    "restore_mode": _told(
        "Let the owner and the group of {path} use it, until the node is made anew",
        partial(Permit, what="own"),
    ),
    "list_folder": _told(
        "Let everybody into the folder {path}; where that is lost at a boot, "
        "look for what makes it (a container's set-up, a script, a umask of init)",
        partial(Permit, what="list", mode=None),
    ),
    "clean_icd_file": _told("Leave only the library's name in {path}", CleanIcdFile),
    "point_icd_at": _told("Let {path} name {library}", PointIcdAt),
    "link_file": _told("Let {link} lead to {target}", LinkFile),
    "remove_boot_parameter": partial(_boot, add=False),
    "add_boot_parameter": partial(_boot, add=True),
    "load_module": _told("Load the kernel module {module}", LoadModule),
}
"""By kind, with the arguments that clprobe.ruleset.rule_file lists."""
