# SPDX-License-Identifier: MIT
"""LiveHost: the machine that this process runs on."""

import contextlib
import errno
import functools
import grp
import importlib.machinery
import os
import pwd
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from clprobe.probe import text_lines
from clprobe.probe.elf import LARGEST_LINKER_CACHE_BYTES, elf_at, read_linker_cache
from clprobe.probe.host import (
    Account,
    CachedLibrary,
    ElfFile,
    Fed,
    FileKind,
    FileStatus,
    Identity,
    Machine,
    OpenclRequest,
    OpenMode,
    PackageRecord,
    Pending,
    Process,
    Python,
    Tool,
    ToolAnswer,
)
from clprobe.probe.opencl.children import Child
from clprobe.probe.opencl.pyopencl_view import PyopenclView
from clprobe.probe.processes import ancestors, effective_capabilities
from clprobe.probe.tools import run_tool

if TYPE_CHECKING:
    from clprobe.probe.packages.databases import PackageDatabases

# Opening must neither wait for a fifo's other end, nor make a terminal ours, nor reach children.
_SAFELY = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_OPEN_FLAGS = {"read": os.O_RDONLY, "read-write": os.O_RDWR}
_KINDS: dict[int, FileKind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character-device",
    stat.S_IFBLK: "block-device",
}
_MOUNT_FLAGS = {
    "ro": os.ST_RDONLY,
    "nosuid": os.ST_NOSUID,
    "nodev": os.ST_NODEV,
    "noexec": os.ST_NOEXEC,
}
_PCI_ID_LISTS = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids")
_LARGEST_LIBRARY_SEARCHED = 4 << 20
LOCAL = "/usr/local"
"""Where pip installs for the system's Python of Debian, which keeps its own packages for itself."""


# ruff: noqa: D102, PTH110, PTH116, PTH123, PTH208 - Host documents the methods; its paths are texts, as the system has them.


class LiveHost:
    """Answers a probe's questions from the running system; see Host for their meaning.

    `environment` replaces this process's variables, for the probes and for the children; `prefix`
    is the virtual environment whose Python is looked at instead of ours.
    """

    def __init__(
        self, environment: Mapping[str, str] | None = None, *, prefix: str | None = None
    ) -> None:
        self._prefix = prefix
        self._environment = dict(os.environ if environment is None else environment)

    def read(self, path: str, limit: int = 65536) -> bytes:
        with _opened(path) as descriptor:
            pieces = []
            while limit > 0 and (piece := os.read(descriptor, limit)):
                pieces.append(piece)
                limit -= len(piece)
        return b"".join(pieces)

    def lines_in(self, path: str, pattern: str, last_bytes: int = 4 << 20) -> tuple[str, ...]:
        with _opened(path) as descriptor:
            return text_lines.matching(descriptor, pattern, last_bytes)

    def list_folder(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(os.listdir(path)))

    def status(self, path: str) -> FileStatus:
        return _file_status(os.stat(path))

    def link_status(self, path: str) -> FileStatus:
        return _file_status(os.lstat(path))

    def real_path(self, path: str) -> str:
        return os.path.realpath(path)

    def open_error(self, path: str, mode: OpenMode) -> str | None:
        try:
            os.close(os.open(path, _OPEN_FLAGS[mode] | _SAFELY))
        except OSError as error:
            return errno.errorcode.get(error.errno or 0, str(error.errno))
        return None

    def attribute(self, path: str, name: str) -> bytes:
        return os.getxattr(path, name)

    def environment(self) -> dict[str, str]:
        return dict(self._environment)

    def which(self, command: str) -> str | None:
        import shutil  # noqa: PLC0415 - drivers are asked first

        return shutil.which(command, path=self._environment.get("PATH", os.defpath))

    def identity(self) -> Identity:
        return Identity(uid=os.geteuid(), gid=os.getegid(), groups=tuple(os.getgroups()))

    def user_name(self, uid: int) -> str | None:
        try:
            return pwd.getpwuid(uid).pw_name
        except KeyError:
            return None

    def home_folder(self, uid: int) -> str | None:
        try:
            return pwd.getpwuid(uid).pw_dir
        except KeyError:
            return None

    def group_name(self, gid: int) -> str | None:
        try:
            return grp.getgrgid(gid).gr_name
        except KeyError:
            return None

    def database_groups(self, name: str, gid: int) -> tuple[int, ...]:
        return tuple(os.getgrouplist(name, gid))

    def account(self, name: str) -> Account | None:
        try:
            entry = pwd.getpwnam(name)
        except (KeyError, ValueError):  # a NUL in the name
            return None
        return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)

    def account_names(self) -> tuple[str, ...]:
        return tuple(entry.pw_name for entry in pwd.getpwall())

    def group_id(self, name: str) -> int | None:
        try:
            return grp.getgrnam(name).gr_gid
        except (KeyError, ValueError):
            return None

    def group_names(self) -> tuple[str, ...]:
        return tuple(entry.gr_name for entry in grp.getgrall())

    def capabilities(self) -> int:
        return effective_capabilities()

    def ancestors(self) -> tuple[Process, ...]:
        return ancestors()

    def mount_flags(self, path: str) -> tuple[str, ...]:
        flags = os.statvfs(path).f_flag
        return tuple(name for name, bit in _MOUNT_FLAGS.items() if flags & bit)

    def machine(self) -> Machine:
        uname = os.uname()
        return Machine(
            node_name=uname.nodename,
            release=uname.release,
            version=uname.version,
            architecture=uname.machine,
            logical_cores=len(os.sched_getaffinity(0)),
            pointer_bits=64 if sys.maxsize > 1 << 32 else 32,
        )

    def python(self) -> Python:
        return self._python

    @functools.cached_property
    def _python(self) -> Python:
        if self._prefix is None:
            folders = tuple(
                path for path in sys.path if path.endswith(("-packages", "site-packages"))
            )
        else:
            folders = package_folders(self._prefix)
        # Looked for in the package folders alone: the folder that clprobe is started from must
        # not decide which pyopencl this is.
        spec = importlib.machinery.PathFinder.find_spec("pyopencl", list(folders))
        origin = spec.origin if spec else None
        return Python(
            prefix=self._prefix or sys.prefix,
            package_folders=folders,
            pyopencl_folder=str(Path(origin).parent) if origin else None,
        )

    def elf(self, path: str) -> ElfFile:
        return elf_at(path)

    def texts_in(self, path: str, marks: tuple[str, ...]) -> tuple[str, ...]:
        raw = self.read(path, _LARGEST_LIBRARY_SEARCHED)
        return texts_with(raw, marks)

    def cached_libraries(self, name: str) -> tuple[CachedLibrary, ...]:
        return self._linker_cache.get(name, ())

    @functools.cached_property
    def _linker_cache(self) -> dict[str, tuple[CachedLibrary, ...]]:
        try:
            return read_linker_cache(self.read("/etc/ld.so.cache", LARGEST_LINKER_CACHE_BYTES))
        except OSError:  # musl has no cache
            return {}

    @functools.cached_property
    def _packages(self) -> "PackageDatabases":
        # Drivers are asked before packages.
        from clprobe.probe.packages.databases import PackageDatabases, PipFiles  # noqa: PLC0415
        from clprobe.probe.packages.managers import managers  # noqa: PLC0415

        python = self.python()
        return PackageDatabases(managers(), PipFiles(python.prefix, python.package_folders))

    def packages(self, pattern: str) -> tuple[PackageRecord, ...]:
        return self._packages.find(pattern)

    def owners(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        return self._packages.owners(paths)

    def pci_name(self, vendor: str, device: str) -> str | None:
        path = next((path for path in _PCI_ID_LISTS if os.path.exists(path)), _PCI_ID_LISTS[0])
        inside = False
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith(vendor):
                    inside = True
                elif inside and line.startswith(f"\t{device}"):
                    return line[5:].strip()
                elif inside and not line.startswith(("\t", "#")):
                    return None
        return None

    def start_opencl(self, request: OpenclRequest) -> Pending:
        python = python_of(self._prefix) if self._prefix else sys.executable
        if request.role == "pyopencl" and python == sys.executable:
            return PyopenclView(request, self._environment, python)
        return Child(request, self._environment, python)

    def ask_tool(
        self, tool: Tool, arguments: tuple[str, ...], limit_s: float, fed: Fed = ""
    ) -> ToolAnswer:
        return run_tool(tool, arguments, limit_s, fed, self._environment)


def python_of(prefix: str) -> str:
    """Return the interpreter of an environment; what pip installs below LOCAL is for the system's.

    Few systems have one by its plain name.
    """
    folders = (prefix, "/usr") if prefix == LOCAL else (prefix,)
    found = [f"{one}/bin/{name}" for one in folders for name in ("python", "python3")]
    return next(filter(os.path.exists, found), found[0])


def package_folders(prefix: str) -> tuple[str, ...]:
    """Return the folders for packages of the Python environment there, sorted; none: it is none.

    Debian's pip has dist-packages; what Debian itself installs, below lib/python3, is no wheel.
    """
    forms = ("lib/python3*/site-packages", "lib/python3.*/dist-packages")
    return tuple(sorted(str(path) for form in forms for path in Path(prefix).glob(form)))


def texts_with(raw: bytes, marks: tuple[str, ...]) -> tuple[str, ...]:
    """Return the distinct NUL-ended texts of a file that hold a mark, sorted."""
    found = {_text_around(raw, at) for mark in marks for at in _places(raw, mark.encode())}
    return tuple(sorted(text for text in found if text.isprintable()))


def _places(raw: bytes, mark: bytes) -> Iterator[int]:
    at = raw.find(mark)
    while at >= 0:
        yield at
        at = raw.find(mark, at + 1)


def _text_around(raw: bytes, at: int) -> str:
    start, end = raw.rfind(b"\0", 0, at) + 1, raw.find(b"\0", at)
    return raw[start : end if end >= 0 else len(raw)].decode("utf-8", "replace")


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | _SAFELY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _file_status(status: os.stat_result) -> FileStatus:
    is_device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    return FileStatus(
        kind=_KINDS.get(stat.S_IFMT(status.st_mode), "other"),
        mode=stat.S_IMODE(status.st_mode),
        uid=status.st_uid,
        gid=status.st_gid,
        size=status.st_size,
        device=number if is_device else "",
    )
