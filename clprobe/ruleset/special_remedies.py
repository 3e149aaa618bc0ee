# SPDX-License-Identifier: MIT
"""Remedies that depend on the host, or whose action takes other words than a rule writes.

Each is a function of the site and of the arguments that the rule writes, with their types.
"""

from typing import Literal

import msgspec

from clprobe.commands.command_words import is_package
from clprobe.commands.commands import remedy
from clprobe.commands.mending import env_command
from clprobe.compat.packages import package_manager, packages_with, title_of
from clprobe.facts.paths import Scope
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.package_managers import package_managers
from clprobe.knowledge.tables import Tables
from clprobe.model import action as actions
from clprobe.model import mending
from clprobe.model.action import Advise
from clprobe.model.finding import Remedy, TakesEffect
from clprobe.model.hardware import Gpu, pci_id_of
from clprobe.model.mending import Argv, Complete
from clprobe.model.placeholders import USER
from clprobe.model.shell_words import can_be_typed, command_line, shell_word
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

NEW_SESSION: TakesEffect = "after logging out and in again"
NEXT_BOOT: TakesEffect = "after the next boot"
NEW_SHELL: TakesEffect = "in programs started from this shell"
_EFFECTS = {"/etc/security/limits.d": NEW_SESSION, "/etc/modprobe.d": NEXT_BOOT}
"""When a setting counts, by its folder, where no command lets it."""
_SPOKEN = {"opensuse": "openSUSE"}
_OF_PODMAN = ("podman", "toolbox", "distrobox")


class Site(msgspec.Struct, frozen=True):
    """Where remedies are applied: the facts, and the packages of the distribution."""

    scope: Scope
    tables: Tables

    @property
    def tool(self) -> PackageManager | None:
        """The package manager of the distribution; None: we know none."""
        return package_manager(self.scope.facts.system.distribution)


def plan(site: Site, goal: Literal["opencl", "pytorch"], text: str) -> Remedy:
    """Send to `clprobe install-plan`; of several GPUs, for the one that the rule speaks of."""
    return remedy(text, actions.SeePlan(goal=goal, gpu=_gpu_meant(site)), "once its steps are done")


def _gpu_meant(site: Site) -> str | None:
    """Return the PCI id, or the name, of the GPU that the rule speaks of, if there are others."""
    meant = site.scope.variables.get("gpu")
    if meant is None or not isinstance(meant.value, Gpu) or len(listed(site.scope.facts.gpus)) < 2:
        return None
    gpu = meant.value
    return pci_id_of(gpu) or (_known_name(gpu.name, site.tables) if gpu.name else None)


def _known_name(name: Fact[str], tables: Tables) -> str | None:
    """Return of a GPU's name what the tables know; whoever told it may have said more."""
    if isinstance(name, Unknown):
        return None
    named = tables.named_gpu(name)
    told = named.read_as or name
    return told if named.is_known and can_be_typed(told) and told[0].isalnum() else None


def add_to_group(_: Site, user: str, group: str, text: str | None = None) -> Remedy:
    """Put a user into a group; `text` says what that means where it is more than usual."""
    title = text or f"Add {_spoken(user)} to the group {group}"
    return remedy(title, actions.JoinGroup(user=user, group=group), NEW_SESSION)


def ask_for_group(title: str) -> Remedy:
    """Return the remedy of joining a group that the person must name."""
    argv = ("usermod", "-aG", "GROUP", USER)
    action = Complete(argv=argv, holes=(("GROUP", "that group"),), needs_root=True)
    return remedy(f"{title}: {_completed(action)}", action, NEW_SESSION)


def join_group_by_number(_: Site, user: str, gid: str, name: str) -> Remedy:
    """Give a group that has only a number a name, and put the user into it."""
    title = f"Give group number {gid} the name {name} and put {_spoken(user)} into it"
    return remedy(title, actions.NameGroup(gid=gid, group=name, user=user), NEW_SESSION)


def _spoken(user: str) -> str:
    return "yourself" if user == USER else user


def install(site: Site, what: str) -> Remedy:
    """Install an implementation of the tables, `loader` or `tool-chain`.

    The plan says from where, if what the release has compiles nothing for the processor.
    """
    system = site.scope.facts.system
    names = packages_with(what, site.tables, system.distribution, system.cpu)
    title = f"Install {title_of(what, site.tables)}"
    if not names and packages_with(what, site.tables, system.distribution):
        return plan(site, "opencl", f"{title} from elsewhere: the release's own is too old")
    if site.tool is None or not names:
        return remedy(title, Advise(), "when installed")
    return remedy(title, actions.Install(manager=site.tool.manager, packages=names))


def reinstall(site: Site, package: str) -> Remedy:
    """Install a package once more, by the manager that has it."""
    title = f"Install the package {package} again"
    packages = listed(site.scope.facts.packages)
    manager = next((one.manager for one in packages if one.name == package), NOT_STATED)
    if manager in ("pip", "conda"):
        if is_package(package, str(manager)):
            return remedy(title, actions.Reinstall(manager=str(manager), package=package))
    elif site.tool is not None and is_package(package, site.tool.database):
        return remedy(title, actions.Reinstall(manager=site.tool.manager, package=package))
    return remedy(title, Advise(), "when installed")


def remove_package(site: Site, package: str) -> Remedy:
    """Remove a package."""
    title = f"Remove the package {package}"
    if site.tool is None or not is_package(package, site.tool.database):
        return remedy(title, Advise(), "when removed")
    return remedy(title, actions.Remove(manager=site.tool.manager, packages=(package,)))


def install_packages(site: Site, text: str, packages: dict[str, Argv]) -> Remedy:
    """Install packages that no table has, by the distribution's id; `text` says what they are."""
    distribution = site.scope.facts.system.distribution
    like = distribution.like if isinstance(distribution.like, tuple) else ()
    names = next((packages[one] for one in (distribution.id, *like) if one in packages), ())
    tool = site.tool
    if tool is not None and names and all(is_package(one, tool.database) for one in names):
        return remedy(text, actions.Install(manager=tool.manager, packages=names))
    where: dict[str, list[str]] = {}
    for one, some in packages.items():
        where.setdefault(" ".join(some), []).append(_SPOKEN.get(one, one.capitalize()))
    listed_ones = (f"{some} ({', '.join(ones)})" for some, ones in where.items())
    return remedy(f"{text}: {', '.join(listed_ones)}", Advise(), "when installed")


def repair_packages(site: Site, text: str) -> Remedy:
    """Let the package manager finish what it left half done; `text` says why."""
    tool = site.tool or _manager_of_packages(site)
    action = Advise() if tool is None else mending.RepairPackages(manager=tool.manager)
    return remedy(text, action, "when done")


def _manager_of_packages(site: Site) -> PackageManager | None:
    """Return the manager that keeps the list of packages; None: not known, or one of several."""
    packages = site.scope.facts.packages
    kept_by = set() if isinstance(packages, Unknown) else {one.manager for one in packages}
    fitting = [one for one in package_managers() if one.database in kept_by]
    return fitting[0] if len(fitting) == 1 else None


def find_owner(site: Site, path: str) -> Remedy:
    """See which package owns a file."""
    tool = site.tool
    action = Advise() if tool is None else mending.FindOwner(manager=tool.manager, path=path)
    return remedy(f"See which package owns {path}", action, "when done")


def set_environment(_: Site, name: str, value: str, text: str | None = None) -> Remedy:
    """Set an environment variable to a value as a shell reads it; `text` says why."""
    title = f"{text or 'Set it in the environment'}: export {name}={value}"
    return remedy(title, actions.SetVariable(name=name, value=value), NEW_SHELL)


def set_variables(_: Site, text: str, variables: dict[str, str]) -> Remedy:
    """Set environment variables that only work together."""
    pairs = tuple(variables.items())
    line = " ".join(f"{name}={shell_word(value)}" for name, value in pairs)
    return remedy(f"{text}: export {line}", mending.SetVariables(variables=pairs), NEW_SHELL)


def unset_environment(site: Site, name: str) -> Remedy:
    """Take an environment variable out of the person's shell, or out of what starts the program."""
    program = site.scope.facts.program
    if program is not None and name in program.environment:  # which differs from that of the shell
        starts = f"{program.name}: its script, its launcher or its unit"
        return remedy(f"Take {name} out of what starts {starts}", Advise(), "when done")
    value = site.scope.facts.environment.get(name)
    action = actions.UnsetVariable(name=name, value=value if isinstance(value, str) else None)
    return remedy(f"Take it out of the environment: unset {name}", action, NEW_SHELL)


def hide_drivers(_: Site, text: str, only: str | None = None, without: str | None = None) -> Remedy:
    """Hide drivers from the programs of a shell: broken ones, all but one, or one as well."""
    action = mending.HideDrivers(only=only, without=without)
    line = f'eval "$({command_line(env_command(action))})"'
    return remedy(f"{text}: {line}", action, NEW_SHELL)


def add_boot_parameter(site: Site, parameter: str, text: str | None = None) -> Remedy:
    """Add a boot parameter; `text` says why."""
    return _boot(site, parameter, "Add" if text is None else f"{text}: add", add=True)


def remove_boot_parameter(site: Site, parameter: str) -> Remedy:
    """Remove a boot parameter."""
    return _boot(site, parameter, "Remove", add=False)


def _boot(site: Site, parameter: str, verb: str, *, add: bool) -> Remedy:
    if site.tool is not None and site.tool.manager == "dnf":
        action = actions.BootParameter(parameter=parameter, add=add, tool="grubby")
        return remedy(f"{verb} the boot parameter {parameter}", action, NEXT_BOOT)
    title = (
        f"{verb} {parameter} in GRUB_CMDLINE_LINUX_DEFAULT of /etc/default/grub, "
        "then run update-grub (or write the boot loader's configuration anew)"
    )
    return remedy(title, actions.BootParameter(parameter=parameter, add=add), NEXT_BOOT)


def write_setting(_: Site, path: str, line: str) -> Remedy:
    """Write a file of one line into a folder of settings, such as /etc/udev/rules.d."""
    effect = _EFFECTS.get(path.rpartition("/")[0], "at once")
    return remedy(f"Write {line} into {path}", mending.WriteSetting(path=path, line=line), effect)


def start_container_with(site: Site, text: str, options: Argv) -> Remedy:
    """Start the container with these options, in the words of podman and docker."""
    inside = site.scope.facts.system.virtualization.container
    engine = "podman" if inside in _OF_PODMAN else "docker"
    title = f"{text}: {engine} run {command_line(options)} …"
    return remedy(title, mending.ContainerOptions(options=options), "when done")


def show(_: Site, text: str, argv: Argv, root: bool = False) -> Remedy:
    """Run a command that only shows something, as its words; `root`: root must run it."""
    return remedy(text, mending.Show(argv=argv, needs_root=root), "when done")


def complete(_: Site, text: str, argv: Argv, holes: dict[str, str], root: bool = False) -> Remedy:
    """Let a person complete a command; `holes` says what each word in capitals stands for."""
    action = Complete(argv=argv, holes=tuple(holes.items()), needs_root=root)
    return remedy(f"{text}: {_completed(action)}", action, "when done")


def _completed(action: Complete) -> str:
    """Return the line to complete, with what its holes stand for."""
    line = f"{'sudo ' if action.needs_root else ''}{command_line(action.argv)}"
    legend = "; ".join(f"{hole}: {what}" for hole, what in action.holes)
    return f"{line} ({legend})" if legend else line
