# SPDX-License-Identifier: MIT
"""The recorded outputs of clinfo in clinfo/, which record_clinfo.py wrote."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from clprobe.model.opencl import Answer

CORPUS = Path(__file__).parent / "clinfo"


class Recording(NamedTuple):
    """One output, and what the probe learned from the same drivers at that time."""

    name: str
    form: str
    text: str
    live: Answer


def recordings():
    """Return all recorded outputs."""
    found = []
    for path in sorted(CORPUS.glob("*/*.txt")):
        form = path.name.split(".")[-2]
        live = msgspec.json.decode((path.parent / "live.json").read_bytes(), type=Answer)
        name = f"{path.parent.name}/{path.name}"
        found.append(Recording(name, form, path.read_text(encoding="utf-8"), live))
    return found


def recorded_texts():
    """Return the texts alone."""
    return [recording.text for recording in recordings()]
