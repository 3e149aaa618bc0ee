# SPDX-License-Identifier: MIT
"""Keeps what was computed from clprobe's own data files alone, from one run to the next.

One file in the user's cache folder for each such thing. It tells the state of every file that it
was computed from, of clprobe's code too, so nothing is ever stale; what cannot be believed or
written is computed anew, as in `clprobe.parsed_files`.
"""

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from clprobe.parsed_files import is_of_installation, signature_of
from clprobe.private_files import cache_folder, private_folder, read
from clprobe.resources import rules_path
from clprobe.version import __version__

NAMES = "derived-*.msgpack"
"""The files of all installations."""
T = TypeVar("T")
_PACKAGE = Path(__file__).resolve().parent


class _Kept(msgspec.Struct, frozen=True):
    root: str
    made_from: str
    parts: dict[str, msgspec.Raw]


def derived(
    name: str,
    kind: Any,
    sources: Sequence[Path],
    make: Callable[[], T],
    store: Path | None = None,
) -> T:
    """Return what `make` makes, or what it made while all files in `sources` were as they are.

    `sources` are files, and folders with all that is below; `kind` is the type of what is made. It
    is kept in `store`, by default a file of the user's cache that is called after `name`.

    Raises: what `make` raises.
    """
    made: T = derived_parts(name, kind, sources, [name], lambda _: make(), store)[name]
    return made


def derived_parts(  # noqa: PLR0913, PLR0917 - as derived, and which parts
    name: str,
    kind: Any,
    sources: Sequence[Path],
    wanted: Sequence[str],
    make: Callable[[str], T],
    store: Path | None = None,
    *,
    most: int | None = None,
) -> dict[str, T]:
    """Return the parts that are `wanted` by name; `make` makes those that are not kept yet.

    They are kept in one file, and all are made anew when one of `sources` changes. Of parts that
    go by whatever a user names, no more than the `most` last ones are kept.

    Raises: what `make` raises.
    """
    try:
        made_from = _state(sources)
    except OSError:  # what is missing, `make` complains of
        return {part: make(part) for part in wanted}
    store = store or _store(name)
    kept = _kept(store, made_from)
    try:
        found = {
            part: msgspec.msgpack.decode(kept[part], type=kind) for part in wanted if part in kept
        }
    except msgspec.DecodeError:  # another version kept it in another form
        found = {}
    made = {part: make(part) for part in wanted if part not in found}
    if made:
        # What changed while it was read has been noted as it was before, and so is read again.
        new = {part: msgspec.Raw(msgspec.msgpack.encode(one)) for part, one in made.items()}
        with contextlib.suppress(OSError):
            parts = dict(list({**kept, **new}.items())[-most if most else None :])
            _write(store, _Kept(str(rules_path()), made_from, parts))
    return {part: made[part] if part in made else found[part] for part in wanted}


def _kept(store: Path, made_from: str) -> dict[str, msgspec.Raw]:
    try:
        kept = msgspec.msgpack.decode(read(store) or b"", type=_Kept)
    except msgspec.DecodeError:
        return {}
    return kept.parts if kept.made_from == made_from else {}


def code_of(*names: str) -> tuple[Path, ...]:
    """Return the folders of these parts of clprobe, as `derived` takes them."""
    return tuple(_PACKAGE / name for name in names)


def _write(store: Path, kept: _Kept) -> None:
    with private_folder(store.parent, may_make=1) as folder:
        folder.write(store.name, msgspec.msgpack.encode(kept))
        folder.prune(
            is_of_use=lambda name: not fnmatch(name, NAMES) or is_of_installation(folder, name)
        )


def _store(name: str) -> Path:
    # Two installations take no turns in one file.
    root = hashlib.blake2s(str(rules_path()).encode(), digest_size=6).hexdigest()
    return cache_folder(NAMES.replace("*", f"{name}-{root}"))


def _state(sources: Sequence[Path]) -> str:
    """Return what changes whenever one of the files does. Raises: OSError."""
    digest = hashlib.blake2s(f"{__version__} {sys.version}".encode())
    for path, *signature in sorted(found for source in sources for found in _files(str(source))):
        digest.update(f"{path}\0{signature}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _files(path: str) -> Iterator[tuple[Any, ...]]:
    if not os.path.isdir(path):  # noqa: PTH112 - a run asks for a thousand
        yield path, *signature_of(os.stat(path))  # noqa: PTH116 - see above
        return
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                yield entry.path, *signature_of(entry.stat())
