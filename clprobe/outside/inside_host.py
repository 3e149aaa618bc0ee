# SPDX-License-Identifier: MIT
# ruff: noqa: D102 - Host documents the methods
"""InsideHost: a container as the probes see it, by answers that a shell in it gave.

Probes ask one thing after the other, and to enter a container takes a tenth of a second. So what
they ask and nobody has looked at is noted, and asked for all at once before they run once more.
"""

import errno
import os
import re
from collections.abc import Iterable, Mapping

from clprobe.outside.answers import Answer, Looked, Question, cached_in, errno_of, looked
from clprobe.outside.databases import GroupRow, accounts_in, groups_in, packages_in
from clprobe.probe.host import (
    Account,
    CachedLibrary,
    ElfFile,
    Fed,
    FileStatus,
    Host,
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
from clprobe.probe.live_host import texts_with
from clprobe.probe.opencl.children import NotStarted
from clprobe.probe.processes import group_ids

STATUS = "/proc/self/status"
_SHARED = (
    "/sys/", "/proc/cpuinfo", "/proc/version", "/proc/modules", "/proc/devices", "/proc/cmdline",
    "/proc/uptime", "/proc/driver/", "/dev/kmsg", "/lib/modules", "/lib/firmware",
    "/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/usr/local/lib/modprobe.d",
)  # fmt: skip
"""What belongs to Linux, of which host and container have one."""
_UNSEEN = ("/sys/fs/cgroup", "/proc/self/cgroup")
"""Where the container's own differ and nobody follows them from folder to folder."""
_ERRORS = {"absent": errno.ENOENT, "denied": errno.EACCES, "folder": errno.EISDIR}
_OUTSIDE = "nobody looks at it from outside the container"


class InsideHost:
    """Answers probes as the container would; `wanted` are the questions that nobody asked yet.

    `groups` are those that the program has, where the shell that looks may have fewer.
    """

    def __init__(
        self,
        host: Host,
        answers: Mapping[Question, Answer],
        environment: Mapping[str, str],
        groups: tuple[int, ...] = (),
    ) -> None:
        self._groups_beside = groups
        self._host = host
        self._answers = answers
        self._environment = dict(environment)
        self.wanted: dict[Question, None] = {}

    def read(self, path: str, limit: int = 65536) -> bytes:
        if _is_shared(path):
            return self._host.read(path, limit)
        return self._found("text", path)[:limit]

    def lines_in(self, path: str, pattern: str, last_bytes: int = 4 << 20) -> tuple[str, ...]:
        return self._host.lines_in(path, pattern, last_bytes)

    def list_folder(self, path: str) -> tuple[str, ...]:
        if _is_shared(path):
            return self._host.list_folder(path)
        names = self._found("folder", path).decode("utf-8", "surrogateescape").split("\n")
        return tuple(sorted(filter(None, names)))

    def status(self, path: str) -> FileStatus:
        if _is_shared(path):
            return self._host.status(path)
        target = self._looked(path).target
        if target is None:
            raise FileNotFoundError(errno.ENOENT, "a link to nothing", path)
        return target

    def link_status(self, path: str) -> FileStatus:
        return self._host.link_status(path) if _is_shared(path) else self._looked(path).link

    def real_path(self, path: str) -> str:
        if _is_shared(path):
            return self._host.real_path(path)
        try:
            return self._looked(path).real_path
        except OSError:
            return path

    def open_error(self, path: str, mode: OpenMode) -> str | None:
        if mode == "read":
            word = self._answer("reads", path).word
            return None if word == "found" else errno.errorcode[_ERRORS[word]]
        answer = self._answer("open", path)
        if answer.word == "absent":
            return "ENOENT"
        own = set(group_ids(self._status_fields()))
        if answer.word != "tried" or not own.issuperset(self._groups_beside):
            raise _unseen(path)  # with its groups the program may open what the shell may not
        try:
            return errno_of(answer.body)
        except ValueError as error:
            raise OSError(errno.EIO, f"the container's shell says: {error}", path) from None

    def attribute(self, path: str, name: str) -> bytes:
        if self._looked(path).has_access_list:
            raise _unseen(f"the access list of {path}")
        raise OSError(errno.ENODATA, os.strerror(errno.ENODATA), name)

    def environment(self) -> dict[str, str]:
        return dict(self._environment)

    def which(self, command: str) -> str | None:
        folders = self._environment.get("PATH", os.defpath).split(":")
        paths = [f"{folder}/{command}" for folder in folders if folder.startswith("/")]
        found = [path for path in paths if self._is_program(path)]
        return found[0] if found else None

    def identity(self) -> Identity:
        fields = self._status_fields()
        uid, gid = int(fields["Uid"].split()[1]), int(fields["Gid"].split()[1])
        groups = tuple(dict.fromkeys((*group_ids(fields), *self._groups_beside)))
        return Identity(uid=uid, gid=gid, groups=groups)

    def user_name(self, uid: int) -> str | None:
        return next((one.name for one in self._accounts() if one.uid == uid), None)

    def home_folder(self, uid: int) -> str | None:
        raise _unseen(f"the home of user {uid}")

    def group_name(self, gid: int) -> str | None:
        return next((one.name for one in self._groups() if one.gid == gid), None)

    def database_groups(self, name: str, gid: int) -> tuple[int, ...]:
        joined = (one.gid for one in self._groups() if name in one.members)
        return tuple(dict.fromkeys((gid, *joined)))

    def account(self, name: str) -> Account | None:
        return next((one for one in self._accounts() if one.name == name), None)

    def account_names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self._accounts())

    def group_id(self, name: str) -> int | None:
        return next((one.gid for one in self._groups() if one.name == name), None)

    def group_names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self._groups())

    def capabilities(self) -> int:
        return int(self._status_fields()["CapEff"], 16)

    def ancestors(self) -> tuple[Process, ...]:
        raise _unseen("the processes above")

    def mount_flags(self, path: str) -> tuple[str, ...]:
        raise _unseen(f"how {path} is mounted")

    def machine(self) -> Machine:
        return self._host.machine()

    def python(self) -> Python:
        raise _unseen("Python")

    def elf(self, path: str) -> ElfFile:
        raise _unseen(path)

    def texts_in(self, path: str, marks: tuple[str, ...]) -> tuple[str, ...]:
        return texts_with(self._found("bytes", path), marks)

    def cached_libraries(self, name: str) -> tuple[CachedLibrary, ...]:
        answer = self._answer("cache", "-")
        return tuple(CachedLibrary(path=path, flags=0) for path in cached_in(answer.body, name))

    def packages(self, pattern: str) -> tuple[PackageRecord, ...]:
        answer = self._answer("packages", "-")
        if answer.word == "none":
            raise _unseen("its packages")
        wanted = re.compile(pattern)
        records = packages_in(answer.body, answer.word)
        return tuple(record for record in records if wanted.search(record.name))

    def owners(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        raise _unseen(f"which package owns {' '.join(paths)}")

    def pci_name(self, vendor: str, device: str) -> str | None:
        return self._host.pci_name(vendor, device)

    def start_opencl(self, request: OpenclRequest) -> Pending:
        return NotStarted(f"{request.role}: {_OUTSIDE}")

    def ask_tool(
        self, tool: Tool, arguments: tuple[str, ...], limit_s: float, fed: Fed = ""
    ) -> ToolAnswer:
        return self._host.ask_tool(tool, arguments, limit_s, fed)

    def _is_program(self, path: str) -> bool:
        try:
            status = self.status(path)
        except OSError:
            return False
        return status.kind == "file" and bool(status.mode & 0o111)

    def _answer(self, kind: str, path: str) -> Answer:
        answer = self._answers.get((kind, path))
        if path.startswith(_UNSEEN):
            raise _unseen(path)
        if answer is None:
            self.wanted[kind, path] = None
            raise _unseen(path)
        return answer

    def _found(self, kind: str, path: str) -> bytes:
        answer = self._answer(kind, path)
        if answer.word in _ERRORS:
            number = _ERRORS[answer.word]
            raise OSError(number, os.strerror(number), path)
        return answer.body

    def _looked(self, path: str) -> Looked:
        found = looked(self._found("look", path))
        if found is None:
            raise _unseen(path)
        return found

    def _status_fields(self) -> dict[str, str]:
        lines = self._found("text", STATUS).decode("utf-8", "replace").splitlines()
        pairs = (line.partition(":") for line in lines)
        return {name: value.strip() for name, _, value in pairs}

    def _accounts(self) -> Iterable[Account]:
        return accounts_in(self._found("text", "/etc/passwd"))

    def _groups(self) -> Iterable[GroupRow]:
        return groups_in(self._found("text", "/etc/group"))


def _is_shared(path: str) -> bool:
    return path.startswith(_SHARED) and not path.startswith(_UNSEEN)


def _unseen(what: str) -> OSError:
    return OSError(errno.ENODATA, _OUTSIDE, what)
