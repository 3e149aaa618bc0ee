# SPDX-License-Identifier: MIT
"""Reads what tells about files: ls -l lines, stat, getfacl, and the errors of ls and cat."""

import re

import msgspec

LS = re.compile(
    r"(?P<kind>[-bcdlps])(?P<bits>[r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-])(?P<mark>[+.@"
    r"])? +\d+ +"
    r"(?P<owner>[\w.$+-]+) +(?P<group>[\w.$+-]+(?: \w+)?) +(?P<size>\d+(?:, *\d+)?) +"
    r"(?P<date>[^/]{4,40}?) (?P<name>[^ ]+(?: -> \S+)?)$"
)
STAT_ACCESS = re.compile(
    r"Access: \((?P<mode>[0-7]{4})/[\w-]{10}\)\s+Uid: \( *(?P<uid>\d+)/ *(?P<owner>[^)]*)\)"
    r"\s+Gid: \( *(?P<gid>\d+)/ *(?P<group>[^)]*)\)"
)
_ERRORS = {
    "permission denied": "EACCES",
    "operation not permitted": "EPERM",
    "no such file or directory": "ENOENT",
    "no such device or address": "ENXIO",
    "no such device": "ENODEV",
    "input/output error": "EIO",
    "device or resource busy": "EBUSY",
    "too many open files": "EMFILE",
    # The commonest translations of the first and third.
    "keine berechtigung": "EACCES",
    "datei oder verzeichnis nicht gefunden": "ENOENT",
    "permission non accordée": "EACCES",
    "aucun fichier ou dossier de ce": "ENOENT",
    "permiso denegado": "EACCES",
    "no existe el archivo": "ENOENT",
    "permesso negato": "EACCES",
    "file o directory non esistente": "ENOENT",
    "отказано в доступе": "EACCES",
    "нет такого файла": "ENOENT",
    "没有那个文件或目录": "ENOENT",
    "权限不够": "EACCES",
}
_PATH_IN_ERROR = re.compile(r"(?P<path>(?:/[\w.*+@-]+){1,12}/?)")


class Listed(msgspec.Struct, frozen=True):
    """A line of `ls -l`: numbers in owner and group stay texts."""

    kind: str
    mode: str
    has_acl: bool
    owner: str
    group: str
    name: str
    target: str | None


def listed(line: str) -> Listed | None:
    """Return the line of `ls -l`; None if it is none."""
    found = LS.match(line)
    if found is None:
        return None
    name, _, target = found["name"].partition(" -> ")
    return Listed(
        kind=found["kind"],
        mode=octal(found["bits"]),
        has_acl=found["mark"] == "+",
        owner=found["owner"],
        group=found["group"].split()[0],
        name=name,
        target=target or None,
    )


def octal(bits: str) -> str:
    """Return `rw-rw----` as 0660."""
    special = sum(value for value, at in ((4, 2), (2, 5), (1, 8)) if bits[at] in "sStT")
    digits = [
        sum(
            weight
            for weight, letter in zip((4, 2, 1), bits[at : at + 3], strict=True)
            if letter not in "-ST"
        )
        for at in (0, 3, 6)
    ]
    return f"{special}" + "".join(map(str, digits))


def errno_of(line: str) -> str | None:
    """Return the errno name of the message that the line ends with."""
    lower = line.lower()
    return next((name for text, name in _ERRORS.items() if text in lower), None)


def path_in_error(line: str) -> str | None:
    """Return the file that a line such as `ls: cannot access '/dev/dri': …` complains about."""
    found = _PATH_IN_ERROR.search(line)
    return found["path"].rstrip("/") if found else None
