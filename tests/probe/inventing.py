# SPDX-License-Identifier: MIT
"""Makes a host that knows the answers given to it, and nothing else."""

from pathlib import Path
from typing import Any

import yaml
from recording import ReplayedHost

from clprobe.probe.host import Host

MACHINE = {
    "node_name": "host", "release": "6.8.0", "version": "#1", "architecture": "x86_64",
    "logical_cores": 4, "pointer_bits": 64,
}  # fmt: skip


def invent_host(folder: Path, **answers: dict[str, Any]) -> Host:
    """Return a host with answers by question and arguments; {"error": NAME} is a refusal."""
    stated = {"environment": {"": {}}, "machine": {"": MACHINE}, **answers}
    plain = {
        question: {
            key: value if isinstance(value, dict) and "error" in value else {"answer": value}
            for key, value in pairs.items()
        }
        for question, pairs in stated.items()
    }
    document = {"format": "clprobe.host/1", "synthetic": True, "answers": plain}
    (folder / "host.yaml").write_text(yaml.safe_dump(document))
    return ReplayedHost(folder / "host.yaml").as_host()
