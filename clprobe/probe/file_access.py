# SPDX-License-Identifier: MIT
"""Who may reach and open a file: its owner, mode and access list, and those of its folders."""

from msgspec.structs import replace

from clprobe.model.access import FileAccess, Folder
from clprobe.model.opencl import Icd
from clprobe.model.unknown import Unknown
from clprobe.probe.access_lists import read_access_list
from clprobe.probe.facts import ask, unknown_part
from clprobe.probe.host import FileStatus, Host

_SEARCHABLE_BY_ALL = 0o111


class AccessReader:
    """Reads files' access facts; remembers folders, which many files share."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._folders: dict[str, Folder | None] = {}

    def access(self, path: str) -> FileAccess:
        """Return who may reach and open the file behind the path, its links followed."""
        status = ask(self._host.status, path)
        folders = self.closed_folders(path)
        if isinstance(status, Unknown):
            return FileAccess(
                uid=status, owner=status, gid=status, group=status, mode=status, acl=status,
                closed_folders=folders,
            )  # fmt: skip
        return FileAccess(
            uid=status.uid,
            owner=ask(self._host.user_name, status.uid),
            gid=status.gid,
            group=ask(self._host.group_name, status.gid),
            mode=f"{status.mode:04o}",
            acl=read_access_list(self._host, path),
            closed_folders=folders,
        )

    def closed_folders(self, path: str) -> tuple[Folder, ...]:
        """Return the folders on the way to the path that not everybody may search."""
        # A link may lead through folders of its own, so both ways count.
        ways = (path, ask(self._host.real_path, path))
        absolute = [way for way in ways if isinstance(way, str) and way.startswith("/")]
        names = dict.fromkeys(folder for way in absolute for folder in _above(way))
        folders = (self._closed(name) for name in names)
        return tuple(folder for folder in folders if folder is not None)

    def _closed(self, path: str) -> Folder | None:
        if path not in self._folders:
            self._folders[path] = self._looked_at(path)
        return self._folders[path]

    def _looked_at(self, path: str) -> Folder | None:
        status = ask(self._host.status, path)
        if isinstance(status, Unknown):
            # Behind a closed folder nothing can be seen, and that folder is in the list already.
            return None
        acl = read_access_list(self._host, path)
        if not acl and status.mode & _SEARCHABLE_BY_ALL == _SEARCHABLE_BY_ALL:
            return None
        return self._folder(path, status, acl)

    def _folder(self, path: str, status: FileStatus, acl: tuple[str, ...] | Unknown) -> Folder:
        return Folder(
            path=path,
            uid=status.uid,
            owner=ask(self._host.user_name, status.uid),
            gid=status.gid,
            group=ask(self._host.group_name, status.gid),
            mode=f"{status.mode:04o}",
            acl=acl,
        )


def _above(path: str) -> list[str]:
    """Return the folders above an absolute path, the root first."""
    parts = path.strip("/").split("/")[:-1]
    return ["/", *("/" + "/".join(parts[: count + 1]) for count in range(len(parts)))]


def with_access(host: Host, icds: tuple[Icd, ...]) -> tuple[Icd, ...]:
    """Return the ICDs with who may read their files and libraries."""
    reader = AccessReader(host)
    return tuple(_with_access(reader, icd) for icd in icds)


def _with_access(reader: AccessReader, icd: Icd) -> Icd:
    read = ask(_icd, reader, icd)
    if not isinstance(read, Unknown):
        return read
    access = unknown_part(FileAccess, read)
    return replace(icd, file_access=access, library=replace(icd.library, access=access))


def _icd(reader: AccessReader, icd: Icd) -> Icd:
    path = icd.library.path
    library = icd.library
    if isinstance(path, str) and path.startswith("/"):
        library = replace(library, access=reader.access(path))
    return replace(icd, file_access=reader.access(icd.path), library=library)
