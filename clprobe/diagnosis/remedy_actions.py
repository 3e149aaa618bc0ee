# SPDX-License-Identifier: MIT
"""The closed set of remedy actions, each as a function from its arguments to a remedy."""

from collections.abc import Callable

import msgspec

from clprobe.compat.packages import package_manager, packages_with, title_of
from clprobe.diagnosis.command_words import is_package
from clprobe.facts.paths import Scope
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import Remedy
from clprobe.model.placeholders import USER
from clprobe.model.shell_words import assignment, can_be_typed
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

_NEW_SESSION = "after logging out and in again"
_NEXT_BOOT = "after the next boot"
_NEW_SHELL = "in programs started from this shell"


class Site(msgspec.Struct, frozen=True):
    """Where remedies are applied: the facts, and the packages of the distribution."""

    scope: Scope
    tables: Tables

    @property
    def tool(self) -> PackageManager | None:
        """The package manager of the distribution; None: we know none."""
        return package_manager(self.scope.facts.system.distribution)


def _manual(site: Site, text: str) -> Remedy:  # noqa: ARG001 - one signature for all actions
    return Remedy(title=text, takes_effect="when done")


def _add_to_group(site: Site, user: str, group: str) -> Remedy:  # noqa: ARG001
    return Remedy(
        title=f"Add {_spoken(user)} to the group {group}",
        argv=("usermod", "-aG", group, user),
        needs_root=True,
        takes_effect=_NEW_SESSION,
        # gpasswd takes one group at a time.
        undo=None if "," in group else ("gpasswd", "-d", user, group),
    )


def _join_group_by_number(site: Site, user: str, gid: str, name: str) -> Remedy:  # noqa: ARG001
    return Remedy(
        title=f"Give group number {gid} the name {name} and put {_spoken(user)} into it",
        argv=("groupadd", "--gid", gid, "--users", user, name),
        needs_root=True,
        takes_effect=_NEW_SESSION,
        undo=("groupdel", name),
    )


def _spoken(user: str) -> str:
    return "yourself" if user == USER else user


def _install(site: Site, what: str) -> Remedy:
    names = packages_with(what, site.tables, site.scope.facts.system.distribution)
    title = title_of(what, site.tables)
    if site.tool is None or not names:
        return Remedy(title=f"Install {title}", takes_effect="when installed")
    return Remedy(
        title=f"Install {title}",
        argv=(*site.tool.by_hand.install, *names),
        needs_root=True,
        undo=(*site.tool.by_hand.remove, *names),
    )


def _reinstall(site: Site, package: str) -> Remedy:
    title = f"Install the package {package} again"
    manager = _manager(site, package)
    own = _OWN_REINSTALL.get(manager) if isinstance(manager, str) else None
    if own is not None and is_package(package, str(manager)):
        return Remedy(title=title, argv=(*own, package))
    if own is not None or site.tool is None or not is_package(package, site.tool.database):
        return Remedy(title=title, takes_effect="when installed")
    return Remedy(title=title, argv=(*site.tool.by_hand.reinstall, package), needs_root=True)


_OWN_REINSTALL = {
    "pip": ("python3", "-m", "pip", "install", "--force-reinstall"),
    "conda": ("conda", "install", "--force-reinstall"),
}


def _manager(site: Site, package: str) -> Fact[str]:
    packages = site.scope.facts.packages
    for known in () if isinstance(packages, Unknown) else packages:
        if known.name == package:
            return known.manager
    return NOT_STATED


def _remove_package(site: Site, package: str) -> Remedy:
    title = f"Remove the package {package}"
    if site.tool is None or not is_package(package, site.tool.database):
        return Remedy(title=title, takes_effect="when removed")
    return Remedy(
        title=title,
        argv=(*site.tool.by_hand.remove, package),
        needs_root=True,
        undo=(*site.tool.by_hand.install, package),
    )


def _set_environment(site: Site, name: str, value: str) -> Remedy:  # noqa: ARG001
    return Remedy(
        title=f"Set it in the environment: export {name}={value}",
        takes_effect=_NEW_SHELL,
        undo=f"unset {name}",
    )


def _unset_environment(site: Site, name: str) -> Remedy:
    value = site.scope.facts.environment.get(name)
    is_shown = isinstance(value, str) and can_be_typed(value)
    return Remedy(
        title=f"Take it out of the environment: unset {name}",
        takes_effect=_NEW_SHELL,
        undo=assignment(name, value) if isinstance(value, str) and is_shown else None,
    )


def _move_aside(site: Site, path: str) -> Remedy:  # noqa: ARG001
    aside = f"{path}.disabled"
    return Remedy(
        title=f"Put {path} aside; loaders read only names that end in .icd",
        argv=("mv", path, aside),
        needs_root=_owned_by_root(path),
        undo=("mv", aside, path),
    )


def _make_readable(site: Site, path: str, mode: str) -> Remedy:  # noqa: ARG001
    return Remedy(
        title=f"Let everybody read {path}",
        argv=("chmod", "a+r", path),
        needs_root=_owned_by_root(path),
        undo=("chmod", mode, path),
    )


def _open_folder(site: Site, path: str, mode: str) -> Remedy:  # noqa: ARG001
    return Remedy(
        title=f"Let everybody pass through the folder {path}; what it holds stays unlisted",
        argv=("chmod", "a+x", path),
        needs_root=_owned_by_root(path),
        undo=("chmod", mode, path),
    )


def _clean_icd_file(site: Site, path: str) -> Remedy:  # noqa: ARG001
    edits = (r"1s/^\xEF\xBB\xBF//", r"s/^[[:space:]]*//", r"s/[[:space:]]*$//", "/^#/d", "/^$/d")
    flags = tuple(part for edit in edits for part in ("-e", edit))
    return Remedy(
        title=f"Leave only the library's name in {path}",
        argv=("sed", "-i.before", *flags, path),
        needs_root=_owned_by_root(path),
        undo=("mv", f"{path}.before", path),
    )


# A constant program that takes both names as arguments: in sed's language a path would be code.
_WRITE_LINE = 'cp -p -- "$1" "$1.before" && printf "%s\\n" "$2" > "$1"'


def _point_icd_at(site: Site, path: str, library: str) -> Remedy:  # noqa: ARG001
    return Remedy(
        title=f"Let {path} name {library}",
        argv=("sh", "-c", _WRITE_LINE, "sh", path, library),
        needs_root=_owned_by_root(path),
        undo=("mv", f"{path}.before", path),
    )


def _link_file(site: Site, target: str, link: str) -> Remedy:  # noqa: ARG001
    return Remedy(
        title=f"Let {link} lead to {target}",
        argv=("ln", "-s", target, link),
        needs_root=_owned_by_root(link),
        undo=("rm", link),
    )


def _remove_boot_parameter(site: Site, parameter: str) -> Remedy:
    return _boot(site, parameter, add=False)


def _add_boot_parameter(site: Site, parameter: str) -> Remedy:
    return _boot(site, parameter, add=True)


def _boot(site: Site, parameter: str, *, add: bool) -> Remedy:
    verb, opposite = ("Add", "remove") if add else ("Remove", "add")
    tool = site.tool
    if tool is not None and tool.manager == "dnf":
        done, undone = ("--args=", "--remove-args=") if add else ("--remove-args=", "--args=")
        return Remedy(
            title=f"{verb} the boot parameter {parameter}",
            argv=("grubby", "--update-kernel=ALL", f"{done}{parameter}"),
            needs_root=True,
            takes_effect=_NEXT_BOOT,
            undo=("grubby", "--update-kernel=ALL", f"{undone}{parameter}"),
        )
    return Remedy(
        title=f"{verb} {parameter} in GRUB_CMDLINE_LINUX_DEFAULT of /etc/default/grub, "
        "then run update-grub (or write the boot loader's configuration anew)",
        needs_root=True,
        takes_effect=_NEXT_BOOT,
        undo=f"{opposite} {parameter} there and run update-grub again",
    )


def _load_module(site: Site, module: str) -> Remedy:  # noqa: ARG001
    return Remedy(
        title=f"Load the kernel module {module}",
        argv=("modprobe", module),
        needs_root=True,
        undo=("modprobe", "-r", module),
    )


def _owned_by_root(path: str) -> bool:
    return path.startswith(("/etc/", "/usr/", "/opt/", "/lib", "/dev/"))


BUILDERS: dict[str, Callable[..., Remedy]] = {
    "manual": _manual,
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
    "clean_icd_file": _clean_icd_file,
    "point_icd_at": _point_icd_at,
    "link_file": _link_file,
    "remove_boot_parameter": _remove_boot_parameter,
    "add_boot_parameter": _add_boot_parameter,
    "load_module": _load_module,
}
"""By kind, with the arguments that clprobe.ruleset.actions lists."""
