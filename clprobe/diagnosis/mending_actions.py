# SPDX-License-Identifier: MIT
"""Remedy actions for settings, services, modules, containers and the person's own shell."""

from collections.abc import Callable
from typing import Literal

from clprobe.commands.commands import remedy
from clprobe.commands.mending import env_command
from clprobe.diagnosis.command_words import is_package
from clprobe.diagnosis.remedy_actions import Site
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.package_managers import package_managers
from clprobe.model.action import Action, Advise, Install
from clprobe.model.finding import Remedy, TakesEffect
from clprobe.model.mending import (
    AllowSelinux,
    Argv,
    BuildModules,
    Complete,
    CondaInstall,
    ConfigureService,
    ContainerOptions,
    DropAccessList,
    EnableServices,
    EndSession,
    EnterGroup,
    FindOwner,
    GiveToGroup,
    HideDrivers,
    LiftLimit,
    PipBuild,
    ReloadModule,
    RenewNode,
    RepairPackages,
    RestartWsl,
    SetVariables,
    Show,
    StartService,
    SwitchMigOff,
    UpdateWsl,
    WriteKernelValue,
    WriteSetting,
)
from clprobe.model.placeholders import USER
from clprobe.model.shell_words import command_line, shell_word
from clprobe.model.unknown import Unknown

_NEW_SHELL: TakesEffect = "in programs started from this shell"
_EFFECTS: dict[str, TakesEffect] = {
    "/etc/security/limits.d/": "after logging out and in again",
    "/etc/modprobe.d/": "after the next boot",
}
"""When a setting counts, by its folder, where no command lets it."""
_SPOKEN = {"opensuse": "openSUSE"}
_OF_PODMAN = ("podman", "toolbox", "distrobox")


def ask_for_group(title: str) -> Remedy:
    """Return the remedy of joining a group that the person must name."""
    argv = ("usermod", "-aG", "GROUP", USER)
    action = Complete(argv=argv, holes=(("GROUP", "that group"),), needs_root=True)
    return remedy(f"{title}: {_completed(action)}", action, "after logging out and in again")


def _completed(action: Complete) -> str:
    """Return the line to complete, with what its holes stand for."""
    line = f"{'sudo ' if action.needs_root else ''}{command_line(action.argv)}"
    legend = "; ".join(f"{hole}: {what}" for hole, what in action.holes)
    return f"{line} ({legend})" if legend else line


def _install_packages(site: Site, text: str, packages: dict[str, Argv]) -> Remedy:
    distribution = site.scope.facts.system.distribution
    like = distribution.like if isinstance(distribution.like, tuple) else ()
    names = next((packages[one] for one in (distribution.id, *like) if one in packages), ())
    tool = site.tool
    if tool is not None and names and all(is_package(one, tool.database) for one in names):
        return remedy(text, Install(manager=tool.manager, packages=names))
    where: dict[str, list[str]] = {}
    for one, some in packages.items():
        where.setdefault(" ".join(some), []).append(_SPOKEN.get(one, one.capitalize()))
    listed = (f"{some} ({', '.join(ones)})" for some, ones in where.items())
    return remedy(f"{text}: {', '.join(listed)}", Advise(), "when installed")


def _repair_packages(site: Site, text: str) -> Remedy:
    tool = site.tool or _manager_of_packages(site)
    if tool is None:
        return remedy(text, Advise(), "when done")
    return remedy(text, RepairPackages(manager=tool.manager), "when done")


def _manager_of_packages(site: Site) -> PackageManager | None:
    """Return the manager that keeps the list of packages; None: not known, or one of several."""
    packages = site.scope.facts.packages
    kept_by = set() if isinstance(packages, Unknown) else {one.manager for one in packages}
    fitting = [one for one in package_managers() if one.database in kept_by]
    return fitting[0] if len(fitting) == 1 else None


def _find_owner(site: Site, path: str) -> Remedy:
    title = f"See which package owns {path}"
    if site.tool is None:
        return remedy(title, Advise(), "when done")
    return remedy(title, FindOwner(manager=site.tool.manager, path=path), "when done")


def _conda_install(site: Site, text: str, channel: str, package: str) -> Remedy:  # noqa: ARG001
    return remedy(text, CondaInstall(channel=channel, package=package))


def _pip_build(site: Site, package: str) -> Remedy:  # noqa: ARG001
    return remedy(f"Build {package} here, against the system's loader", PipBuild(package=package))


def _set_variables(site: Site, text: str, variables: dict[str, str]) -> Remedy:  # noqa: ARG001
    pairs = tuple(variables.items())
    line = " ".join(f"{name}={shell_word(value)}" for name, value in pairs)
    return remedy(f"{text}: export {line}", SetVariables(variables=pairs), _NEW_SHELL)


def _hide_drivers(
    site: Site,  # noqa: ARG001
    text: str,
    only: str | None = None,
    without: str | None = None,
) -> Remedy:
    action = HideDrivers(only=only, without=without)
    line = f'eval "$({command_line(env_command(action))})"'
    return remedy(f"{text}: {line}", action, _NEW_SHELL)


def _lift_limit(site: Site, text: str, limit: Literal["address-space"]) -> Remedy:  # noqa: ARG001
    return remedy(f"{text}: ulimit -v unlimited", LiftLimit(limit=limit), _NEW_SHELL)


def _enter_group(site: Site, group: str) -> Remedy:  # noqa: ARG001
    title = f"Start a shell with the group {group}, for this terminal alone"
    return remedy(title, EnterGroup(group=group))


def _end_session(
    site: Site,  # noqa: ARG001
    text: str,
    keeper: Literal["login", "tmux", "screen"],
) -> Remedy:
    return remedy(text, EndSession(keeper=keeper), "after logging out and in again")


def _write_setting(site: Site, path: str, line: str) -> Remedy:  # noqa: ARG001
    effect = _EFFECTS.get(f"{path.rpartition('/')[0]}/", "at once")
    return remedy(f"Write {line} into {path}", WriteSetting(path=path, line=line), effect)


def _write_kernel_value(site: Site, text: str, paths: Argv, value: str) -> Remedy:  # noqa: ARG001
    return remedy(text, WriteKernelValue(paths=paths, value=value))


def _configure_service(site: Site, unit: str, settings: Argv) -> Remedy:  # noqa: ARG001
    title = f"Give {unit} {' and '.join(settings)} in a drop-in, and restart it"
    return remedy(title, ConfigureService(unit=unit, settings=settings))


def _start_service(site: Site, unit: str) -> Remedy:  # noqa: ARG001
    return remedy(f"Start {unit}", StartService(unit=unit))


def _enable_services(site: Site, text: str, units: Argv) -> Remedy:  # noqa: ARG001
    return remedy(text, EnableServices(units=units), "after the next boot")


def _give_to_group(
    site: Site,  # noqa: ARG001
    path: str,
    group: str,
    former: str,
    mode: str,
) -> Remedy:
    title = f"Let the group {group} use {path}, until the node is made anew"
    return remedy(title, GiveToGroup(path=path, group=group, former=former, mode=mode))


def _drop_access_list(site: Site, path: str) -> Remedy:  # noqa: ARG001
    title = (
        f"Take the access list of {path} away; "
        "udev or logind writes a sound one at the next log-in or boot"
    )
    return remedy(title, DropAccessList(path=path))


def _renew_node(site: Site, path: str) -> Remedy:  # noqa: ARG001
    return remedy(f"Let udev set up {path} anew", RenewNode(path=path))


def _reload_module(site: Site, module: str) -> Remedy:  # noqa: ARG001
    title = (
        f"End programs that compute, then load the kernel module {module} anew; "
        "where it stays in use, reboot"
    )
    return remedy(title, ReloadModule(module=module))


def _allow_selinux(site: Site, text: str, boolean: str) -> Remedy:  # noqa: ARG001
    return remedy(text, AllowSelinux(boolean=boolean))


def _switch_mig_off(site: Site, gpu: str) -> Remedy:  # noqa: ARG001
    title = f"Switch MIG off, with nothing running on the GPU {gpu}"
    return remedy(title, SwitchMigOff(gpu=gpu))


def _start_container_with(site: Site, text: str, options: Argv) -> Remedy:
    inside = site.scope.facts.system.virtualization.container
    engine = "podman" if inside in _OF_PODMAN else "docker"
    title = f"{text}: {engine} run {command_line(options)} …"
    return remedy(title, ContainerOptions(options=options), "when done")


def _show(site: Site, text: str, argv: Argv, *, root: bool) -> Remedy:  # noqa: ARG001
    return remedy(text, Show(argv=argv, needs_root=root), "when done")


def _complete(
    site: Site,  # noqa: ARG001
    text: str,
    argv: Argv,
    holes: dict[str, str],
    *,
    root: bool,
) -> Remedy:
    action = Complete(argv=argv, holes=tuple(holes.items()), needs_root=root)
    return remedy(f"{text}: {_completed(action)}", action, "when done")


def _told(action: Action) -> Callable[..., Remedy]:
    """Return the builder of an action of which nothing but its title varies."""

    def build(site: Site, text: str) -> Remedy:  # noqa: ARG001 - one signature for all
        return remedy(text, action, "when done")

    return build


BUILDERS: dict[str, Callable[..., Remedy]] = {
    "reload_module": _reload_module,
    "build_modules": _told(BuildModules()),
    "install_packages": _install_packages,
    "repair_packages": _repair_packages,
    "find_owner": _find_owner,
    "conda_install": _conda_install,
    "pip_build": _pip_build,
    "set_variables": _set_variables,
    "hide_drivers": _hide_drivers,
    "lift_limit": _lift_limit,
    "enter_group": _enter_group,
    "end_session": _end_session,
    "write_setting": _write_setting,
    "write_kernel_value": _write_kernel_value,
    "configure_service": _configure_service,
    "start_service": _start_service,
    "enable_services": _enable_services,
    "give_to_group": _give_to_group,
    "drop_access_list": _drop_access_list,
    "renew_node": _renew_node,
    "allow_selinux": _allow_selinux,
    "switch_mig_off": _switch_mig_off,
    "update_wsl": _told(UpdateWsl()),
    "restart_wsl": _told(RestartWsl()),
    "start_container_with": _start_container_with,
    "show": _show,
    "complete": _complete,
}
"""By kind, with the arguments that clprobe.ruleset.rule_file lists."""
