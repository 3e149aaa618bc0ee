# SPDX-License-Identifier: MIT
"""What probes may ask a host: the one door, so that every answer can be recorded and replayed."""

from typing import Literal, Protocol

import msgspec

from clprobe.probe.opencl.reports import Report

OpenMode = Literal["read", "read-write"]
FileKind = Literal[
    "file", "directory", "link", "fifo", "socket", "character-device", "block-device", "other"
]
Role = Literal["icd", "loader", "pyopencl", "torch"]
Tool = Literal["podman", "docker", "flatpak", "snap"]
Fed = Literal["", "inside.sh"]
"""What a tool reads from its standard input: nothing, or a script of clprobe's."""


class FileStatus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What lstat or stat says; `mode` holds the permission bits only.

    `device` is the number of a device file, such as 226:128.
    """

    kind: FileKind
    mode: int
    uid: int = 0
    gid: int = 0
    size: int = 0
    device: str = ""


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Who this process is: effective ids, and its supplementary groups."""

    uid: int
    gid: int
    groups: tuple[int, ...]


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the user database."""

    name: str
    uid: int
    gid: int


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """A process above this one: its name, its effective user and the groups that it has."""

    name: str
    uid: int
    groups: tuple[int, ...]


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What uname says, the processors this process may use, and its pointer size."""

    node_name: str
    release: str
    version: str
    architecture: str
    logical_cores: int
    pointer_bits: int


class Python(msgspec.Struct, frozen=True, kw_only=True):
    """This Python: its prefix, its package folders, and its pyopencl; None: it has none."""

    prefix: str
    package_folders: tuple[str, ...]
    pyopencl_folder: str | None


class ElfFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the headers of a library say; `elf_class` is 32 or 64.

    `required_bytes` is the size the file must have to hold what its headers announce. `problem`
    says how they contradict themselves; empty: they do not.
    """

    format: Literal["elf", "not-elf", "empty"]
    size_bytes: int
    elf_class: int = 0
    machine: str = ""
    required_bytes: int = 0
    needed: tuple[str, ...] = ()
    run_path: tuple[str, ...] = ()
    problem: str = ""


class CachedLibrary(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the dynamic linker's cache; `flags` tell the architecture (ld.so's own bits)."""

    path: str
    flags: int


class PackageRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A package as its manager's database has it; `origin` is empty where none is recorded.

    `held`: it is kept at its version. `damaged`: the manager wants it installed once more.
    """

    name: str
    version: str
    manager: str
    architecture: str = ""
    state: str = "installed"
    origin: str = ""
    held: bool = False
    damaged: bool = False


class OpenclRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a child process is to ask; `library` is empty for pyopencl, a device type for torch.

    `beside` is a second vendor library that is loaded into the same process. `kernels`: run one on
    each device. `anew`: compile it, although an earlier build may be at hand.
    """

    role: Role
    library: str
    timeout_s: float
    kernels: bool = False
    anew: bool = False
    beside: str = ""


class ChildResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a child reported before it ended, what it printed, and how it ended.

    `ended` is `exit` or `signal` with its number in `status`, `timeout`, or `not-started` with
    the reason in `problem`. `damage` says what is wrong with the first record that is none of ours;
    those after it are not in `reports`. `peak_bytes` is the memory it took at most, 0 below 1 GiB.
    `stopped_by` is the signal that had stopped one that ran into its time limit. `others` are the
    children that ran a kernel on the second device and those after it, in order.
    """

    ended: Literal["exit", "signal", "timeout", "not-started"]
    status: int = 0
    reports: tuple[Report, ...] = ()
    damage: str = ""
    printed: str = ""
    problem: str = ""
    peak_bytes: int = 0
    stopped_by: int = 0
    others: "tuple[ChildResult, ...]" = ()


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a tool printed and how it ended; `status` is that of its exit.

    `ended` is `absent` where there is no such tool, `timeout` where it was ended for being slow.
    """

    ended: Literal["exit", "timeout", "absent"]
    status: int = 0
    printed: bytes = b""
    complaint: str = ""


class Pending(Protocol):
    """A child at work."""

    def wait(self) -> ChildResult:
        """Return its result; never later than shortly after the request's time limit."""


class Host(Protocol):
    """One machine as one process sees it. Questions raise OSError where the system refuses."""

    def read(self, path: str, limit: int = 65536) -> bytes:
        """Return at most `limit` bytes of a file; never waits on a fifo or a device."""

    def lines_in(self, path: str, pattern: str, last_bytes: int = 4 << 20) -> tuple[str, ...]:
        """Return the lines of a text file in whose lower case the regular expression finds itself.

        Only the last bytes are looked at; of /dev/kmsg a line is a record. It never waits.
        """

    def list_folder(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder, sorted."""

    def status(self, path: str) -> FileStatus:
        """Return what stat says, links followed."""

    def link_status(self, path: str) -> FileStatus:
        """Return what lstat says."""

    def real_path(self, path: str) -> str:
        """Return the path with all links resolved; parts that do not exist are kept."""

    def open_error(self, path: str, mode: OpenMode) -> str | None:
        """Return the errno name of really opening the path, None if it opens."""

    def attribute(self, path: str, name: str) -> bytes:
        """Return an extended attribute."""

    def environment(self) -> dict[str, str]:
        """Return the environment variables of this process."""

    def which(self, command: str) -> str | None:
        """Return the path of a command on PATH, None if there is none."""

    def identity(self) -> Identity:
        """Return who this process is."""

    def user_name(self, uid: int) -> str | None:
        """Return the name that the user database has for the id, None if it has none."""

    def home_folder(self, uid: int) -> str | None:
        """Return the home folder that the user database has for the id, None if it has none."""

    def group_name(self, gid: int) -> str | None:
        """Return the name that the group database has for the id, None if it has none."""

    def database_groups(self, name: str, gid: int) -> tuple[int, ...]:
        """Return the groups that a new session of the user would get."""

    def account(self, name: str) -> Account | None:
        """Return the user database's entry of that name, None if it has none."""

    def account_names(self) -> tuple[str, ...]:
        """Return the names of the user database, to suggest one where a name was mistyped."""

    def group_id(self, name: str) -> int | None:
        """Return the number that the group database has for the name, None if it has none."""

    def group_names(self) -> tuple[str, ...]:
        """Return the names of the group database, to suggest one where a name was mistyped."""

    def capabilities(self) -> int:
        """Return the effective capabilities of this process, one bit each."""

    def ancestors(self) -> tuple[Process, ...]:
        """Return the processes above this one, parent first."""

    def mount_flags(self, path: str) -> tuple[str, ...]:
        """Return which of ro, nosuid, nodev and noexec the path's file system is mounted with."""

    def machine(self) -> Machine:
        """Return uname and the like."""

    def python(self) -> Python:
        """Return where this Python keeps its packages."""

    def elf(self, path: str) -> ElfFile:
        """Return what the headers of a library say, without loading it."""

    def texts_in(self, path: str, marks: tuple[str, ...]) -> tuple[str, ...]:
        """Return the distinct NUL-ended texts of a binary file that hold a mark, sorted."""

    def cached_libraries(self, name: str) -> tuple[CachedLibrary, ...]:
        """Return what the dynamic linker's cache has under the library name, best first."""

    def packages(self, pattern: str) -> tuple[PackageRecord, ...]:
        """Return the installed packages whose name the regular expression finds."""

    def owners(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        """Return the package that owns each path, None where no package does."""

    def pci_name(self, vendor: str, device: str) -> str | None:
        """Return what the list of PCI ids calls a device, None if it is not listed."""

    def start_opencl(self, request: OpenclRequest) -> Pending:
        """Start a child process that asks OpenCL, and return at once."""

    def ask_tool(
        self, tool: Tool, arguments: tuple[str, ...], limit_s: float, fed: Fed = ""
    ) -> ToolAnswer:
        """Run a tool that manages containers or sandboxes, for `limit_s` at most.

        It is one of the system's folders, not what PATH offers.
        """
