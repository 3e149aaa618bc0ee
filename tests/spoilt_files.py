# SPDX-License-Identifier: MIT
"""Spoils a file in every way that a disk, a crash or another user could; each kind by its name.

`python tests/spoilt_files.py 10000` lets clprobe's three caches meet that many each.
"""

import os
import random
import socket
from collections.abc import Callable
from pathlib import Path

_FOREIGN = 65534


def _flip(chance: random.Random, content: bytes) -> bytes:
    place = chance.randrange(len(content))
    flipped = content[place] ^ 1 << chance.randrange(8)
    return content[:place] + bytes([flipped]) + content[place + 1 :]


def _flip_several(chance: random.Random, content: bytes) -> bytes:
    for _ in range(chance.randrange(2, 20)):
        content = _flip(chance, content)
    return content


def _cut(chance: random.Random, content: bytes) -> bytes:
    return content[: chance.randrange(len(content))]


def _cut_start(chance: random.Random, content: bytes) -> bytes:
    return content[chance.randrange(1, len(content)) :]


def _swap(chance: random.Random, content: bytes) -> bytes:
    place, length = chance.randrange(len(content) // 2), chance.randrange(1, len(content) // 4)
    parts = content[place : place + length], content[place + length : place + 2 * length]
    return content[:place] + parts[1] + parts[0] + content[place + 2 * length :]


def _repeat(chance: random.Random, content: bytes) -> bytes:
    place = chance.randrange(len(content))
    return content[:place] + content[place // 2 :]


def _zeros(chance: random.Random, content: bytes) -> bytes:
    place, length = chance.randrange(len(content)), chance.randrange(1, 4097)
    return content[:place] + bytes(len(content[place : place + length])) + content[place + length :]


def _append(chance: random.Random, content: bytes) -> bytes:
    return content + chance.randbytes(chance.randrange(1, 100))


def _noise(chance: random.Random, content: bytes) -> bytes:
    return chance.randbytes(len(content))


def _nested(chance: random.Random, content: bytes) -> bytes:
    _, _, body = content.partition(b"\n")
    return content[: -len(body)] + chance.choice([b"[", b"\x91", b"{a: "]) * 100_000


_CONTENTS: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "flip": _flip,
    "flip several": _flip_several,
    "cut": _cut,
    "cut start": _cut_start,
    "swap": _swap,
    "repeat": _repeat,
    "zeros": _zeros,
    "append": _append,
    "noise": _noise,
    "nested": _nested,
    "empty": lambda _, __: b"",
}


def _link(target: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.unlink()
        path.symlink_to(target)

    return make


def _link_to_copy(path: Path) -> None:
    copy = path.with_name("copy")
    path.replace(copy)
    path.symlink_to(copy)


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link_to_fifo(path: Path) -> None:
    copy = path.with_name("copy")
    os.mkfifo(copy)
    path.unlink()
    path.symlink_to(copy)


def _socket(path: Path) -> None:
    path.unlink()
    # Longer paths are too long for a socket.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name[:100])
        Path(path.name[:100]).replace(path.name)
    finally:
        os.chdir(here)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _huge(path: Path) -> None:
    os.truncate(path, 1 << 40)


def _writable(path: Path) -> None:
    path.chmod(0o666)


def _group_writable(path: Path) -> None:
    path.chmod(0o620)


def _foreign_file(path: Path) -> None:
    os.chown(path, _FOREIGN, _FOREIGN)


def _foreign_folder(path: Path) -> None:
    os.chown(path.parent, _FOREIGN, _FOREIGN)


_PLACES: dict[str, Callable[[Path], None]] = {
    "link to /dev/zero": _link("/dev/zero"),
    "link to nothing": _link("/nonexistent/file"),
    "link to itself's copy": _link_to_copy,
    "fifo": _fifo,
    "link to fifo": _link_to_fifo,
    "socket": _socket,
    "folder": _folder,
    "huge": _huge,
    "writable by all": _writable,
    "writable by group": _group_writable,
}
_AS_ROOT = {"foreign file": _foreign_file, "foreign folder": _foreign_folder}
KINDS = [*_CONTENTS, *_PLACES]
KINDS_AS_ROOT = [*_AS_ROOT]


def spoil(path: Path, kind: str, chance: random.Random) -> bool:
    """Spoil a file; return whether anything is different now."""
    if kind in _CONTENTS:
        content = path.read_bytes()
        spoilt = _CONTENTS[kind](chance, content)
        path.write_bytes(spoilt)
        return spoilt != content
    (_PLACES | _AS_ROOT)[kind](path)
    return True


def mend(path: Path) -> None:
    """Remove what is in the file's place, and give its folder back."""
    os.chown(path.parent, os.geteuid(), os.getegid())
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    for one in (path, path.with_name("copy")):
        one.unlink(missing_ok=True)


if __name__ == "__main__":
    import sys

    import pytest

    os.environ["CLPROBE_MUTATIONS"] = sys.argv[1] if len(sys.argv) > 1 else "10000"
    here = Path(__file__).resolve().parent
    sys.exit(pytest.main([str(here / "test_spoilt_caches.py"), "-k", "mutations", "-s", "-q"]))
