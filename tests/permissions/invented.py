# SPDX-License-Identifier: MIT
"""Hosts that hold nothing but the answers of one test."""

from pathlib import Path
from typing import Any

import yaml
from recording import ReplayedHost

from clprobe.probe.host import Host


def invented_host(folder: Path, answers: dict[str, dict[str, Any]]) -> Host:
    """Return a host that answers these questions; all others find nothing."""
    wrapped = {
        question: {key: {"answer": answer} for key, answer in by_key.items()}
        for question, by_key in answers.items()
    }
    path = folder / "host.yaml"
    path.write_text(yaml.safe_dump({"format": "clprobe.host/1", "answers": wrapped}))
    return ReplayedHost(path).as_host()
