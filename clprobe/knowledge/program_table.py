# SPDX-License-Identifier: MIT
"""What a file of rules/tables/programs means: how a program's lines look, and what they tell."""

import re
from typing import Any, Literal

import msgspec

from clprobe.knowledge.table_types import DeviceType, Entry, Names
from clprobe.model.opencl import Outcome

Api = Literal[
    "opencl", "level-zero", "cuda", "hip", "vulkan", "opengl", "va-api", "metal", "directml",
    "processor",
]  # fmt: skip
"""Interfaces by which programs compute; "processor" is none."""
Vendor = Literal["intel", "amd", "nvidia", "arm", "qualcomm", "apple", "broadcom"]
OF_DEVICES = (
    "name", "vendor", "version", "type", "driver_version", "opencl_version", "compute_units",
    "max_clock_mhz", "pci_address", "global_memory_bytes", "max_allocation_bytes",
    "global_memory_mib", "max_allocation_mib",
)  # fmt: skip
"""Groups that describe the platform or device which was opened last."""
GROUPS = (
    *OF_DEVICES, "platform", "device", "of_platform", "number", "code", "program_version", "gpu",
    "gpu_id", "gpu_address", "bus", "slot", "function", "node", "module_version", "package",
    "package_version",
)  # fmt: skip
"""Names that the groups of a form may have: facts that the line itself holds."""


class Means(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a line means beside what its groups hold; what is left out it does not tell.

    `opens`: the lines below describe a platform, a device, another interface's device (`other`)
    or a new run of the program. `is_partial`: it names a platform and never its devices.
    `no_loader`: the program found no OpenCL library by the names that it tried. `skips`: it passes
    over the device. `is_message`: it is no answer of OpenCL, only something said. `is_chatter`: it
    tells nothing at all. `refuses`: how opening the node ended. `driver` has the GPU; `module` has
    the version. `framework` is built for `built_for` and, where `sees_none`, shows no device.
    `lacks` is a library that nothing on the system has.
    """

    opens: Literal["platform", "device", "other", "run"] | None = None
    outcome: Outcome | None = None
    error_code: int | None = None
    no_platform: bool = False
    is_partial: bool = False
    no_loader: bool = False
    skips: bool = False
    is_message: bool = False
    is_chatter: bool = False
    signal: str | None = None
    node: str | None = None
    refuses: str | None = None
    driver: str | None = None
    module: str | None = None
    framework: str | None = None
    built_for: tuple[str, ...] | None = None
    sees_none: bool = False
    lacks: str | None = None


class SpokenLine(Entry, frozen=True, kw_only=True):
    """A line, or a part of one, that a program prints.

    `form` is a regular expression and `mark` a text, in this spelling, that each such line holds:
    no other line is tried. Without a mark the form is tried only between other lines of the
    program, from their beginning. With `if_named` it counts only where the text names the
    program, because others print the like. In each of the `examples` it is found.
    """

    form: str
    examples: tuple[str, ...]
    mark: str = ""
    if_named: bool = False
    means: Means = Means()
    note: str = ""

    def pattern(self) -> re.Pattern[str]:
        """Return the expression. Raises: re.error if it is none."""
        return re.compile(self.form)


class Run(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole run as people post it, and facts of a snapshot that are read from it."""

    prints: str
    gives: dict[str, Any]


class Fault(Entry, frozen=True, kw_only=True):
    """What some releases of a program do wrong, whatever the drivers.

    `shows` is a regular expression that finds the words of the fault among all that was printed,
    as in each of the `examples`. Others print the like unless it is `telling`: then the version
    must be known, too. `manager` is whose package alone has the fault, such as conda.
    """

    versions: str
    shows: str
    examples: tuple[str, ...]
    note: str
    telling: bool = True
    manager: str | None = None

    def pattern(self) -> re.Pattern[str]:
        """Return the expression. Raises: re.error if it is none."""
        return re.compile(self.shows)


class UseOfOpencl(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether a program uses OpenCL: always, in some builds, as one way of several, or never.

    `before` is the version that dropped it, `instead` what it computes with otherwise.
    """

    uses: Literal["always", "some-builds", "among-others", "never"]
    before: str | None = None
    instead: str = ""


class Way(Entry, frozen=True, kw_only=True):
    """One interface by which a program reaches a device.

    `libraries` are the files that it links with or opens itself, in its order. `own_copy` says
    where it brings a copy of its own, empty where it takes the system's. `when` says in which
    builds, releases or settings only.
    """

    api: Api
    libraries: tuple[str, ...] = ()
    own_copy: str = ""
    when: str = ""


class Demand(Entry, frozen=True, kw_only=True):
    """What a device must be or have before the program takes it, by `api`; the rest is left out.

    What is left out is not asked for. `vendors` are those whose devices it takes; `leaves_out` are
    generations, families and implementations that it never takes. `because` says it in one
    sentence, `unless` what makes it take them all the same.
    """

    because: str
    api: Api = "opencl"
    vendors: tuple[Vendor, ...] = ()
    types: tuple[DeviceType, ...] = ()
    opencl: str | None = None
    extensions: tuple[str, ...] = ()
    memory_mib: int | None = None
    fp16: bool = False
    fp64: bool = False
    images: bool = False
    leaves_out: tuple[str, ...] = ()
    unless: str = ""


class Switch(Entry, frozen=True, kw_only=True):
    """What chooses or switches off devices: `name` is written as a person types it.

    `only_shows`: it shows devices or paths, and changes nothing about which are used. `names` is
    what a variable's value names; of several `folders`, between colons, one that is there will do.
    """

    name: str
    kind: Literal["variable", "option", "setting", "file"]
    does: str
    only_shows: bool = False
    names: Names | None = None


class Setting(Entry, frozen=True, kw_only=True):
    """A line of a program's own file that switches OpenCL or a device off.

    The first of `files` that is there is read. They begin with `{home}`, `{config}` or `{data}`
    (folders of the XDG specification), `{cwd}`, a variable as `{$NAME}` or an option's value as
    `{--name}`; where that is not known the file is left out. `form` is a regular expression for
    the line: its group `setting` is what is shown of it, else all; `path` is a file without whose
    absence it does no harm. It counts only where the program prints what `shows` finds, if that
    is given. `does` goes on "… , which"; `instead` is what to write.
    """

    files: tuple[str, ...]
    form: str
    examples: tuple[str, ...]
    does: str
    instead: str
    shows: str = ""

    def pattern(self) -> re.Pattern[str]:
        """Return the expression. Raises: re.error if it is none."""
        return re.compile(self.form, re.MULTILINE)


class Packaging(Entry, frozen=True, kw_only=True):
    """A form in which people get it, and what that form lacks or needs for a GPU."""

    form: Literal[
        "distribution", "snap", "flatpak", "appimage", "image", "conda", "wheel", "installer"
    ]
    name: str
    lacks: str = ""
    needs: str = ""


class Service(Entry, frozen=True, kw_only=True):
    """The systemd unit that runs it, the account, and what its unit file forbids."""

    unit: str
    user: str
    note: str = ""


class Program(Entry, frozen=True, kw_only=True):
    """A program that people run, its own words, and how it comes to a device.

    `program` is the viewer in a snapshot; `called` are its commands and other names, in lower
    case. `ways` are the interfaces that it tries, in its order.
    """

    program: str
    about: str
    opencl: UseOfOpencl
    called: tuple[str, ...]
    ways: tuple[Way, ...] = ()
    demands: tuple[Demand, ...] = ()
    switches: tuple[Switch, ...] = ()
    settings: tuple[Setting, ...] = ()
    packaging: tuple[Packaging, ...] = ()
    services: tuple[Service, ...] = ()
    lines: tuple[SpokenLine, ...] = ()
    runs: tuple[Run, ...] = ()
    faults: tuple[Fault, ...] = ()
