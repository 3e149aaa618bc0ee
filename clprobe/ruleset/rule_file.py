# SPDX-License-Identifier: MIT
"""A rule as its file writes it: types, of which the published JSON Schema follows."""

from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec

from clprobe.model.finding import Severity, Source
from clprobe.ruleset.rule import Frequency, Link

CONDITION = "condition"
"""The name of conditions in the schema; `clprobe.ruleset.conditions` reads them."""
ConditionText: TypeAlias = Annotated[
    dict[str, Any], msgspec.Meta(extra_json_schema={"$ref": f"#/$defs/{CONDITION}"})
]


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Part of a rule file; a surplus key is a mistake."""


class WrittenLoop(_Written, frozen=True, kw_only=True):
    """`for_each`: asks once per element of the list at a path, named so in the rule."""

    path: str = msgspec.field(name="in")
    name: str = msgspec.field(name="as")


class Manual(_Written, frozen=True, kw_only=True):
    """What a person must do."""

    text: str


class Plan(_Written, frozen=True, kw_only=True):
    """Sends to `clprobe install-plan`."""

    goal: Literal["opencl", "pytorch"]
    text: str


class AddToGroup(_Written, frozen=True, kw_only=True):
    """Puts a user into a group."""

    user: str
    group: str


class JoinGroupByNumber(_Written, frozen=True, kw_only=True):
    """Gives a group that has only a number a name, and puts the user into it."""

    user: str
    gid: str
    name: str


class InstallWhat(_Written, frozen=True, kw_only=True):
    """Installs an implementation of the tables, `loader` or `tool-chain`."""

    what: str


class OfPackage(_Written, frozen=True, kw_only=True):
    """About a package."""

    package: str


class Variable(_Written, frozen=True, kw_only=True):
    """An environment variable with its value."""

    name: str
    value: str


class VariableName(_Written, frozen=True, kw_only=True):
    """An environment variable."""

    name: str


class OfFile(_Written, frozen=True, kw_only=True):
    """About a file."""

    path: str


class FileWithMode(_Written, frozen=True, kw_only=True):
    """About a file or folder; `mode` is what it has."""

    path: str
    mode: str


class IcdAndLibrary(_Written, frozen=True, kw_only=True):
    """Lets an .icd file name the library."""

    path: str
    library: str


class TargetAndLink(_Written, frozen=True, kw_only=True):
    """Makes a symbolic link to the target."""

    target: str
    link: str


class OfParameter(_Written, frozen=True, kw_only=True):
    """About a boot parameter."""

    parameter: str


class OfModule(_Written, frozen=True, kw_only=True):
    """About a kernel module."""

    module: str


class WrittenRemedy(_Written, frozen=True, kw_only=True):
    """One remedy: exactly one action; `if` limits it to a condition.

    An action with one argument may be written short: `install: pocl`.
    """

    given: ConditionText | None = msgspec.field(name="if", default=None)
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
    add_boot_parameter: str | OfParameter | None = None
    load_module: str | OfModule | None = None


class WrittenRule(_Written, frozen=True, kw_only=True):
    """A rule file; rules/README.md says what each field means."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: str
    severity: Severity
    link: Link
    when: ConditionText
    because: str
    sources: Annotated[tuple[Source, ...], msgspec.Meta(min_length=1)]
    since: str
    for_each: WrittenLoop | tuple[WrittenLoop, ...] = ()
    remedy: tuple[WrittenRemedy, ...] = ()
    explains: tuple[str, ...] = ()
    vital: bool = False
    symptom: bool = False
    frequency: Frequency = "occasional"
    summary: str | None = None


ACTIONS: tuple[str, ...] = tuple(
    name for name in WrittenRemedy.__struct_fields__ if name != "given"
)
"""The closed set of remedies' actions."""


def _only_argument(kind: str) -> str | None:
    """Return the one argument of an action that may be written short."""
    fields = {one.name: one.type for one in msgspec.structs.fields(WrittenRemedy)}
    structs = [one for one in get_args(fields[kind]) if isinstance(one, type(msgspec.Struct))]
    return structs[0].__struct_fields__[0] if str in get_args(fields[kind]) else None


SHORT = {kind: name for kind in ACTIONS if (name := _only_argument(kind)) is not None}
"""The argument of each action that may be written short."""
