# SPDX-License-Identifier: MIT
"""The closed set of remedy actions, each as a function from its arguments to a remedy."""

from collections.abc import Callable

import msgspec

from clprobe.commands.commands import remedy
from clprobe.compat.packages import package_manager, packages_with, title_of
from clprobe.diagnosis.command_words import is_package
from clprobe.facts.paths import Scope
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.tables import Tables
from clprobe.model.action import (
    Advise,
    BootParameter,
    CleanIcdFile,
    Goal,
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


class Site(msgspec.Struct, frozen=True):
    """Where remedies are applied: the facts, and the packages of the distribution."""

    scope: Scope
    tables: Tables

    @property
    def tool(self) -> PackageManager | None:
        """The package manager of the distribution; None: we know none."""
        return package_manager(self.scope.facts.system.distribution)


def _manual(site: Site, text: str) -> Remedy:  # noqa: ARG001 - one signature for all actions
    return remedy(text, Advise(), "when done")


def _plan(site: Site, goal: Goal, text: str) -> Remedy:  # noqa: ARG001
    return remedy(text, SeePlan(goal=goal), "once its steps are done")


def _add_to_group(site: Site, user: str, group: str, text: str | None = None) -> Remedy:  # noqa: ARG001
    title = text or f"Add {_spoken(user)} to the group {group}"
    return remedy(title, JoinGroup(user=user, group=group), _NEW_SESSION)


def _join_group_by_number(site: Site, user: str, gid: str, name: str) -> Remedy:  # noqa: ARG001
    title = f"Give group number {gid} the name {name} and put {_spoken(user)} into it"
    return remedy(title, NameGroup(gid=gid, group=name, user=user), _NEW_SESSION)


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


def _move_aside(site: Site, path: str) -> Remedy:  # noqa: ARG001
    title = f"Put {path} aside; loaders read only names that end in .icd"
    return remedy(title, PutAside(path=path))


def _make_readable(site: Site, path: str, mode: str) -> Remedy:  # noqa: ARG001
    return remedy(f"Let everybody read {path}", Permit(path=path, what="read", mode=mode))


def _open_node(site: Site, path: str, mode: str) -> Remedy:  # noqa: ARG001
    title = f"Let everybody use {path}, until the node is made anew"
    return remedy(title, Permit(path=path, what="use", mode=mode))


def _list_folder(site: Site, path: str) -> Remedy:  # noqa: ARG001
    title = (
        f"Let everybody into the folder {path}; where that is lost at a boot, "
        "look for what makes it (a container's set-up, a script, a umask of init)"
    )
    return remedy(title, Permit(path=path, what="list", mode=None))


def _restore_mode(site: Site, path: str, mode: str) -> Remedy:  # noqa: ARG001
    title = f"Let the owner and the group of {path} use it, until the node is made anew"
    return remedy(title, Permit(path=path, what="own", mode=mode))


def _open_folder(site: Site, path: str, mode: str) -> Remedy:  # noqa: ARG001
    title = f"Let everybody pass through the folder {path}; what it holds stays unlisted"
    return remedy(title, Permit(path=path, what="pass", mode=mode))


def _clean_icd_file(site: Site, path: str) -> Remedy:  # noqa: ARG001
    return remedy(f"Leave only the library's name in {path}", CleanIcdFile(path=path))


def _point_icd_at(site: Site, path: str, library: str) -> Remedy:  # noqa: ARG001
    return remedy(f"Let {path} name {library}", PointIcdAt(path=path, library=library))


def _link_file(site: Site, target: str, link: str) -> Remedy:  # noqa: ARG001
    return remedy(f"Let {link} lead to {target}", LinkFile(target=target, link=link))


def _remove_boot_parameter(site: Site, parameter: str) -> Remedy:
    return _boot(site, parameter, add=False)


def _add_boot_parameter(site: Site, parameter: str, text: str | None = None) -> Remedy:
    return _boot(site, parameter, text, add=True)


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


def _load_module(site: Site, module: str) -> Remedy:  # noqa: ARG001
    return remedy(f"Load the kernel module {module}", LoadModule(module=module))


BUILDERS: dict[str, Callable[..., Remedy]] = {
    "manual": _manual,
    "plan": _plan,
    "add_to_group": _add_to_group,
    "join_group_by_number": _join_group_by_number,
    "install": _install,
    "reinstall": _reinstall,
    "remove_package": _remove_package,
    "set_environment": _set_environment,
    "unset_environment": _unset_environment,
    "move_aside": _move_aside,
    "make_readable": _make_readable,
    "open_folder": _open_folder,
    "open_node": _open_node,
    "restore_mode": _restore_mode,
    "list_folder": _list_folder,
    "clean_icd_file": _clean_icd_file,
    "point_icd_at": _point_icd_at,
    "link_file": _link_file,
    "remove_boot_parameter": _remove_boot_parameter,
    "add_boot_parameter": _add_boot_parameter,
    "load_module": _load_module,
}
"""By kind, with the arguments that clprobe.ruleset.actions lists."""
