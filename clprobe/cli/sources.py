# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - readers of pastes load only where there is a paste to read
"""Where commands get their snapshot: a file or standard input, be it a snapshot or a paste."""

import sys
from pathlib import Path

from msgspec.structs import replace

from clprobe.cli.folder import files_of, holds_several
from clprobe.model.codec import snapshot_from_text
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.kind import is_snapshot
from clprobe.plain_file import TooLargeError, read_plain

_LARGEST = 16 << 20
_LARGEST_PASTE = 4 << 20
_MOST_LINES = 100_000
"""More than that is not read within some ten seconds."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_LISTS = ("gpus", "device_nodes", "packages", "loaders", "icds", "views", "frameworks")


def read_snapshot(name: str) -> Snapshot:
    """Return the snapshot in the file `name`, or the facts of a pasted text in it; "-" is stdin.

    All files of a folder, or of a pattern such as "logs/*.txt", count as one report: their texts
    are read as one text, and what snapshots state stands before it.

    Raises: ClprobeError if it cannot be read, is a damaged snapshot, or says nothing we know.
    """
    if holds_several(name):
        return _of_several(name)
    text = _decoded(_bytes_of(name))
    if is_snapshot(text):
        return _of_snapshot(text, name)
    from clprobe.paste.embedded import facts_alone

    facts = facts_alone(text)
    return _of_paste(text, name) if facts is None else _of_snapshot(facts, name)


def read_machine(path: Path) -> Snapshot:
    """Return the snapshot in a file that says that it is one.

    Raises: ClprobeError if it cannot be read, or is damaged.
    """
    name = str(path)
    return _of_snapshot(_decoded(_bytes_of(name)), name)


def _of_snapshot(text: str, name: str) -> Snapshot:
    return _with_messages_read(snapshot_from_text(text, name=name), name)


def _of_several(name: str) -> Snapshot:
    """Return what several files tell together; the first snapshot is the host itself."""
    stated: list[Snapshot] = []
    texts: list[str] = []
    pictures: list[str] = []
    for path in files_of(name):
        data = _bytes_of(str(path))
        text = _decoded(data)
        if b"\0" in data and not data.startswith(_UTF_16):
            pictures.append(f"{path.name}: this file is no text")
        elif is_snapshot(text):
            stated.append(_of_snapshot(text, str(path)))
        else:
            texts.append(text)
    if texts or not stated:
        stated.append(_of_paste("\n\n".join(texts), name))
    from clprobe.paste.merge import merge

    first, *more = stated
    for other in more:
        merged, _ = merge(first, other)
        first = replace(merged, unread=tuple(dict.fromkeys((*first.unread, *other.unread))))
    return replace(first, unread=(*first.unread, *pictures))


def _of_paste(text: str, name: str) -> Snapshot:
    _check_size(text, name)
    from clprobe.paste.assemble import read_paste
    from clprobe.scrub import known_in_text, scrub

    # Scrubbed like a live snapshot, so that a report shows no reporter's name.
    return scrub(read_paste(text, name=name), known=known_in_text(text))


def _check_size(text: str, name: str) -> None:
    """Raise a ClprobeError if reading the text would take minutes."""
    lines = text.count("\n") + text.count("\r") - text.count("\r\n")
    if len(text) > _LARGEST_PASTE:
        raise _too_large(name, f"{_LARGEST_PASTE >> 20} MiB, the most that is read of a text")
    if lines > _MOST_LINES:
        raise _too_large(name, f"{_MOST_LINES:,} lines, the most that are read of a text")


def _with_messages_read(snapshot: Snapshot, name: str) -> Snapshot:
    """Return the snapshot with what its messages tell; whatever it states itself stays."""
    if isinstance(snapshot.messages, Unknown) or not snapshot.messages:
        return snapshot
    from clprobe.paste.assemble import read_paste
    from clprobe.paste.merge import merge

    text = "\n".join(snapshot.messages)
    _check_size(text, f"{name}: messages")
    try:
        told = read_paste(text, name="messages")
    except ClprobeError:
        return snapshot  # nothing in them but what rules search for
    stated = [field for field in _LISTS if isinstance(getattr(snapshot, field), tuple)]
    silent = dict.fromkeys([*stated, "messages"], NOT_STATED)
    merged, _ = merge(snapshot, replace(told, **silent))
    partial = [field for field in told.excerpts if field not in stated]
    return replace(merged, excerpts=tuple(dict.fromkeys((*snapshot.excerpts, *partial))))


def _bytes_of(name: str) -> bytes:
    try:
        if name != "-":
            return read_plain(Path(name), _LARGEST)
        data = b"" if sys.stdin is None else sys.stdin.buffer.read(_LARGEST + 1)
    except TooLargeError as error:
        raise _too_large(name, _most()) from error
    except (OSError, ValueError) as error:  # a name may hold NUL
        problem = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise ClprobeError(
            reference="snapshot-unreadable",
            message=f"{name}: {problem}.",
            hint="clprobe snapshot --output FILE writes one; --from - reads a pipe.",
        ) from error
    if len(data) > _LARGEST:
        raise _too_large(name, _most())
    return data


def _most() -> str:
    return f"{_LARGEST >> 20} MiB, the most that is read of a snapshot"


def _too_large(name: str, most: str) -> ClprobeError:
    return ClprobeError(
        reference="snapshot-too-large",
        message=f"{name} holds more than {most}.",
        hint="Cut it down to the output of the commands that matter.",
    )


def _decoded(data: bytes) -> str:
    """Return the text; Windows programs write UTF-16, which its byte order mark tells."""
    if data.startswith(_UTF_16):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")
