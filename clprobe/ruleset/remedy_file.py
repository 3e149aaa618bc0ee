# SPDX-License-Identifier: MIT
"""A remedy as a rule file writes it: a closed set of actions with their arguments."""

from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec

CONDITION = "condition"
"""The name of conditions in the schema; `clprobe.ruleset.conditions` reads them."""
ConditionText: TypeAlias = Annotated[
    dict[str, Any], msgspec.Meta(extra_json_schema={"$ref": f"#/$defs/{CONDITION}"})
]


class Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Part of a rule file; a surplus key is a mistake."""


class Manual(Written, frozen=True, kw_only=True):
    """What a person must do."""

    text: str


class Plan(Written, frozen=True, kw_only=True):
    """Sends to `clprobe install-plan`."""

    goal: Literal["opencl", "pytorch"]
    text: str


class AddToGroup(Written, frozen=True, kw_only=True):
    """Puts a user into a group; `text` says what that means where it is more than usual."""

    user: str
    group: str
    text: str | None = None


class JoinGroupByNumber(Written, frozen=True, kw_only=True):
    """Gives a group that has only a number a name, and puts the user into it."""

    user: str
    gid: str
    name: str


class InstallWhat(Written, frozen=True, kw_only=True):
    """Installs an implementation of the tables, `loader` or `tool-chain`."""

    what: str


class OfPackage(Written, frozen=True, kw_only=True):
    """About a package."""

    package: str


class Packages(Written, frozen=True, kw_only=True):
    """Installs packages that no table has, by the distribution's id; `text` says what they are."""

    text: str
    packages: dict[str, tuple[str, ...]]


class Variable(Written, frozen=True, kw_only=True):
    """An environment variable with its value, as a shell reads it; `text` says why."""

    name: str
    value: str
    text: str | None = None


class Variables(Written, frozen=True, kw_only=True):
    """Environment variables that only work together."""

    text: str
    variables: dict[str, str]


class WrittenShow(Written, frozen=True, kw_only=True):
    """A command that only shows something, as its words; `root`: root must run it."""

    text: str
    argv: tuple[str, ...]
    root: bool = False


class WrittenComplete(Written, frozen=True, kw_only=True):
    """A command for a person to complete; `holes` says what each word in capitals stands for."""

    text: str
    argv: tuple[str, ...]
    holes: dict[str, str]
    root: bool = False


class Options(Written, frozen=True, kw_only=True):
    """Options for starting a container, in the words of podman and docker."""

    text: str
    options: tuple[str, ...]


class Hidden(Written, frozen=True, kw_only=True):
    """Hides drivers from the programs of a shell: broken ones, all but one, or one as well."""

    text: str
    only: str | None = None
    without: str | None = None


class WrittenLimit(Written, frozen=True, kw_only=True):
    """Lifts a limit of a shell."""

    text: str
    limit: Literal["address-space"]


class OfGroup(Written, frozen=True, kw_only=True):
    """About a group."""

    group: str


class WrittenEnd(Written, frozen=True, kw_only=True):
    """Ends what keeps a log-in's processes."""

    text: str
    keeper: Literal["login", "tmux", "screen"]


class Setting(Written, frozen=True, kw_only=True):
    """A file of one line in a folder of settings, such as /etc/udev/rules.d."""

    path: str
    line: str


class KernelValue(Written, frozen=True, kw_only=True):
    """A value for files under /sys or /proc, whose names may be patterns."""

    text: str
    paths: tuple[str, ...]
    value: str


class ServiceSettings(Written, frozen=True, kw_only=True):
    """Settings of a systemd service, such as PrivateDevices=no."""

    unit: str
    settings: tuple[str, ...]


class OfUnit(Written, frozen=True, kw_only=True):
    """About a systemd unit."""

    unit: str


class Units(Written, frozen=True, kw_only=True):
    """About several systemd units."""

    text: str
    units: tuple[str, ...]


class NodeAndGroup(Written, frozen=True, kw_only=True):
    """Gives a device node to a group; `former` and `mode` are what it has."""

    path: str
    group: str
    former: str
    mode: str


class Boolean(Written, frozen=True, kw_only=True):
    """About a boolean of SELinux's policy."""

    text: str
    boolean: str


class Gpu(Written, frozen=True, kw_only=True):
    """About the GPU with that number."""

    gpu: str


class CondaPackage(Written, frozen=True, kw_only=True):
    """A package of a conda channel."""

    text: str
    channel: str
    package: str


class WithText(Written, frozen=True, kw_only=True):
    """Says why; what is done follows from the action alone."""

    text: str


class VariableName(Written, frozen=True, kw_only=True):
    """An environment variable."""

    name: str


class OfFile(Written, frozen=True, kw_only=True):
    """About a file."""

    path: str


class FileWithMode(Written, frozen=True, kw_only=True):
    """About a file or folder; `mode` is what it has."""

    path: str
    mode: str


class IcdAndLibrary(Written, frozen=True, kw_only=True):
    """Lets an .icd file name the library."""

    path: str
    library: str


class TargetAndLink(Written, frozen=True, kw_only=True):
    """Makes a symbolic link to the target."""

    target: str
    link: str


class OfParameter(Written, frozen=True, kw_only=True):
    """About a boot parameter."""

    parameter: str


class AddedParameter(Written, frozen=True, kw_only=True):
    """A boot parameter to add; `text` says why."""

    parameter: str
    text: str | None = None


class OfModule(Written, frozen=True, kw_only=True):
    """About a kernel module."""

    module: str


class WrittenRemedy(Written, frozen=True, kw_only=True):
    """One remedy: exactly one action; `if` limits it to a condition.

    `then`: it comes after the one before, not in its place.

    An action with one argument may be written short: `install: pocl`.
    """

    given: ConditionText | None = msgspec.field(name="if", default=None)
    then: bool = False
    manual: str | Manual | None = None
    plan: Plan | None = None
    add_to_group: AddToGroup | None = None
    join_group_by_number: JoinGroupByNumber | None = None
    install: str | InstallWhat | None = None
    reinstall: str | OfPackage | None = None
    remove_package: str | OfPackage | None = None
    set_environment: Variable | None = None
    unset_environment: str | VariableName | None = None
    move_aside: str | OfFile | None = None
    make_readable: FileWithMode | None = None
    open_folder: FileWithMode | None = None
    clean_icd_file: str | OfFile | None = None
    point_icd_at: IcdAndLibrary | None = None
    link_file: TargetAndLink | None = None
    remove_boot_parameter: str | OfParameter | None = None
    add_boot_parameter: str | AddedParameter | None = None
    load_module: str | OfModule | None = None
    reload_module: str | OfModule | None = None
    build_modules: str | WithText | None = None
    install_packages: Packages | None = None
    repair_packages: str | WithText | None = None
    find_owner: str | OfFile | None = None
    conda_install: CondaPackage | None = None
    pip_build: str | OfPackage | None = None
    set_variables: Variables | None = None
    hide_drivers: Hidden | None = None
    lift_limit: WrittenLimit | None = None
    enter_group: str | OfGroup | None = None
    end_session: WrittenEnd | None = None
    write_setting: Setting | None = None
    write_kernel_value: KernelValue | None = None
    configure_service: ServiceSettings | None = None
    start_service: str | OfUnit | None = None
    enable_services: Units | None = None
    list_folder: str | OfFile | None = None
    open_node: FileWithMode | None = None
    restore_mode: FileWithMode | None = None
    give_to_group: NodeAndGroup | None = None
    drop_access_list: str | OfFile | None = None
    renew_node: str | OfFile | None = None
    allow_selinux: Boolean | None = None
    switch_mig_off: str | Gpu | None = None
    update_wsl: str | WithText | None = None
    restart_wsl: str | WithText | None = None
    start_container_with: Options | None = None
    show: WrittenShow | None = None
    complete: WrittenComplete | None = None


ACTIONS: tuple[str, ...] = tuple(
    name for name in WrittenRemedy.__struct_fields__ if name not in ("given", "then")
)
"""The closed set of remedies' actions."""


def _only_argument(kind: str) -> str | None:
    """Return the one argument of an action that may be written short."""
    fields = {one.name: one.type for one in msgspec.structs.fields(WrittenRemedy)}
    structs = [one for one in get_args(fields[kind]) if isinstance(one, type(msgspec.Struct))]
    return structs[0].__struct_fields__[0] if str in get_args(fields[kind]) else None


SHORT = {kind: name for kind in ACTIONS if (name := _only_argument(kind)) is not None}
"""The argument of each action that may be written short."""
