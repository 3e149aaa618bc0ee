# SPDX-License-Identifier: MIT
"""The closed set of remedies, by the names that rules give them.

What a rule may write follows: the fields of the action, or the arguments of the function.
"""

import inspect
from collections.abc import Callable, Iterator
from types import NoneType
from typing import Any, TypeAlias, get_args

import msgspec

from clprobe.commands.commands import remedy
from clprobe.model import action as actions
from clprobe.model import mending
from clprobe.model.action import Action
from clprobe.model.finding import Remedy, TakesEffect
from clprobe.ruleset import special_remedies as special
from clprobe.ruleset.special_remedies import NEW_SESSION, NEW_SHELL, NEXT_BOOT, Site


class Plain(msgspec.Struct, frozen=True):
    """A remedy whose action takes what the rule writes as it is.

    `title` holds these arguments, and `{text}` where the rule says why. No rule writes the fields
    that are `settled`.
    """

    action: type[Action]
    title: str = "{text}"
    takes_effect: TakesEffect = "at once"
    settled: dict[str, Any] = {}

    def __call__(self, _: Site, text: str = "", **arguments: Any) -> Remedy:
        """Return the remedy."""
        spoken = {
            key: " and ".join(value) if isinstance(value, tuple) else value
            for key, value in arguments.items()
        }
        action = self.action(**arguments, **self.settled)
        return remedy(self.title.format(text=text, **spoken), action, self.takes_effect)


Kind: TypeAlias = Plain | Callable[..., Remedy]
KINDS: dict[str, Kind] = {
    "manual": Plain(actions.Advise, takes_effect="when done"),
    "plan": special.plan,
    "add_to_group": special.add_to_group,
    "join_group_by_number": special.join_group_by_number,
    "install": special.install,
    "reinstall": special.reinstall,
    "remove_package": special.remove_package,
    "set_environment": special.set_environment,
    "unset_environment": special.unset_environment,
    "move_aside": Plain(
        actions.PutAside, "Put {path} aside; loaders read only names that end in .icd"
    ),
    "make_readable": Plain(actions.Permit, "Let everybody read {path}", settled={"what": "read"}),
    "open_folder": Plain(
        actions.Permit,
        "Let everybody pass through the folder {path}; what it holds stays unlisted",
        settled={"what": "pass"},
    ),
    "clean_icd_file": Plain(actions.CleanIcdFile, "Leave only the library's name in {path}"),
    "point_icd_at": Plain(actions.PointIcdAt, "Let {path} name {library}"),
    "link_file": Plain(actions.LinkFile, "Let {link} lead to {target}"),
    "remove_boot_parameter": special.remove_boot_parameter,
    "add_boot_parameter": special.add_boot_parameter,
    "load_module": Plain(actions.LoadModule, "Load the kernel module {module}"),
    "reload_module": Plain(
        mending.ReloadModule,
        "End programs that compute, then load the kernel module {module} anew; "
        "where it stays in use, reboot",
    ),
    "build_modules": Plain(mending.BuildModules, takes_effect="when done"),
    "install_packages": special.install_packages,
    "repair_packages": special.repair_packages,
    "find_owner": special.find_owner,
    "conda_install": Plain(mending.CondaInstall),
    "pip_build": Plain(mending.PipBuild, "Build {package} here, against the system's loader"),
    "set_variables": special.set_variables,
    "hide_drivers": special.hide_drivers,
    "lift_limit": Plain(mending.LiftLimit, "{text}: ulimit -v unlimited", NEW_SHELL),
    "enter_group": Plain(
        mending.EnterGroup, "Start a shell with the group {group}, for this terminal alone"
    ),
    "end_session": Plain(mending.EndSession, takes_effect=NEW_SESSION),
    "write_setting": special.write_setting,
    "write_kernel_value": Plain(mending.WriteKernelValue),
    "configure_service": Plain(
        mending.ConfigureService, "Give {unit} {settings} in a drop-in, and restart it"
    ),
    "start_service": Plain(mending.StartService, "Start {unit}"),
    "enable_services": Plain(mending.EnableServices, takes_effect=NEXT_BOOT),
    "list_folder": Plain(
        actions.Permit,
        "Let everybody into the folder {path}; where that is lost at a boot, "
        "look for what makes it (a container's set-up, a script, a umask of init)",
        settled={"what": "list", "mode": None},
    ),
    "open_node": Plain(
        actions.Permit,
        "Let everybody use {path}, until the node is made anew",
        settled={"what": "use"},
    ),
    "restore_mode": Plain(
        actions.Permit,
        "Let the owner and the group of {path} use it, until the node is made anew",
        settled={"what": "own"},
    ),
    "give_to_group": Plain(
        mending.GiveToGroup, "Let the group {group} use {path}, until the node is made anew"
    ),
    "drop_access_list": Plain(
        mending.DropAccessList,
        "Take the access list of {path} away; "
        "udev or logind writes a sound one at the next log-in or boot",
    ),
    "renew_node": Plain(mending.RenewNode, "Let udev set up {path} anew"),
    "allow_selinux": Plain(mending.AllowSelinux),
    "switch_mig_off": Plain(
        mending.SwitchMigOff, "Switch MIG off, with nothing running on the GPU {gpu}"
    ),
    "update_wsl": Plain(mending.UpdateWsl, takes_effect="when done"),
    "restart_wsl": Plain(mending.RestartWsl, takes_effect="when done"),
    "start_container_with": special.start_container_with,
    "show": special.show,
    "complete": special.complete,
}


def arguments_of(kind: Kind) -> Iterator[tuple[Any, ...]]:
    """Yield name, type and default of each argument that a rule writes; without one, it must."""
    if isinstance(kind, Plain):
        if "{text}" in kind.title:
            yield "text", str
        for field in msgspec.structs.fields(kind.action):
            if field.name not in kind.settled:
                yield field.name, _stated(field.type)
        return
    _, *parameters = inspect.signature(kind).parameters.values()
    for one in parameters:
        default = () if one.default is one.empty else (one.default,)
        yield one.name, one.annotation, *default


def _stated(kind: Any) -> Any:
    """Return the type of a field, less None: what a rule writes is there."""
    kinds = get_args(kind)
    return next(one for one in kinds if one is not NoneType) if NoneType in kinds else kind


def explained(kind: Kind) -> str | None:
    """Return what it does, in a sentence."""
    return inspect.getdoc(kind.action if isinstance(kind, Plain) else kind)
