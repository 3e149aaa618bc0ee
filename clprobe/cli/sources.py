# SPDX-License-Identifier: MIT
"""Where commands get their snapshot: this host, a file, or standard input."""

import sys
from pathlib import Path

from clprobe.model.codec import snapshot_from_text
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot


def read_snapshot(name: str) -> Snapshot:
    """Return the snapshot in the file `name`; "-" is standard input.

    Raises: ClprobeError if it cannot be read or is none.
    """
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise ClprobeError(
            reference="snapshot-unreadable",
            message=f"{name}: {error.strerror or error}.",
            hint="clprobe snapshot --output FILE writes one.",
        ) from error
    return snapshot_from_text(data.decode("utf-8", "replace"), name=name)
