# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - readers of pastes load only where there is a paste to read
"""Where commands get their snapshot: a file or standard input, be it a snapshot or a paste."""

import sys
from pathlib import Path

from msgspec.structs import replace

from clprobe.model.codec import snapshot_from_text
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.kind import is_snapshot

_LARGEST = 64 << 20
_LISTS = ("gpus", "device_nodes", "packages", "loaders", "icds", "views", "frameworks")


def read_snapshot(name: str) -> Snapshot:
    """Return the snapshot in the file `name`, or the facts of a pasted text in it; "-" is stdin.

    Raises: ClprobeError if it cannot be read, is a damaged snapshot, or says nothing we know.
    """
    text = _decoded(_bytes_of(name))
    if is_snapshot(text):
        return _with_messages_read(snapshot_from_text(text, name=name))
    from clprobe.paste.assemble import read_paste
    from clprobe.probe.scrub import known_in_text, scrub

    # Scrubbed like a live snapshot, so that a report shows no reporter's name.
    return scrub(read_paste(text, name=name), known=known_in_text(text))


def _with_messages_read(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with what its messages tell; whatever it states itself stays."""
    if isinstance(snapshot.messages, Unknown) or not snapshot.messages:
        return snapshot
    from clprobe.paste.assemble import read_paste
    from clprobe.paste.merge import merge

    try:
        told = read_paste("\n".join(snapshot.messages), name="messages")
    except ClprobeError:
        return snapshot  # nothing in them but what rules search for
    stated = [field for field in _LISTS if isinstance(getattr(snapshot, field), tuple)]
    silent = dict.fromkeys([*stated, "messages"], NOT_STATED)
    merged, _ = merge(snapshot, replace(told, **silent))
    partial = [field for field in told.excerpts if field not in stated]
    return replace(merged, excerpts=tuple(dict.fromkeys((*snapshot.excerpts, *partial))))


def _bytes_of(name: str) -> bytes:
    try:
        if name == "-":
            data = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(_LARGEST + 1)
    except OSError as error:
        raise ClprobeError(
            reference="snapshot-unreadable",
            message=f"{name}: {error.strerror or error}.",
            hint="clprobe snapshot --output FILE writes one.",
        ) from error
    if len(data) > _LARGEST:
        raise ClprobeError(
            reference="snapshot-too-large",
            message=f"{name} is larger than {_LARGEST >> 20} MiB.",
            hint="Cut it down to the output of the commands that matter.",
        )
    return data


def _decoded(data: bytes) -> str:
    """Return the text; Windows programs write UTF-16, which its byte order mark tells."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")
