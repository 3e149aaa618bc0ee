# SPDX-License-Identifier: MIT
"""Which algorithm was measured to be the fastest for which convolution, kept for later processes.

A file of this machine for one device and version of its driver, as those of products of matrices
are. It names lines of the ladder in kernels/conv/variants.yaml, which are built and chosen from as
ever; a file that was measured with other kernels, or is damaged, is done without.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyopencl as cl
import yaml

from clprobe.private_files import private_folder, read
from clprobe.tensor.ops.conv.geometry import Direction, Geometry
from clprobe.tensor.tuning.table import MAY_MAKE, identity, path_of

FORMAT = 1
Measured = dict[tuple[Direction, Geometry], str]
"""The name of the fastest entry of the ladder."""


def load_convolutions(device: cl.Device, kernels: Path, folder: Path | None = None) -> Measured:
    """Return what this machine measured on the device with these kernels; damaged: nothing."""
    kept = read(path_of_convolutions(device, folder))
    try:
        content = yaml.safe_load(kept or b"")
        if content["format"] != FORMAT or content["source"] != kernels_digest(kernels):
            return {}
        return dict(_entry(one) for one in content["convolutions"])
    except (OSError, yaml.YAMLError, LookupError, TypeError, ValueError):
        return {}


def save_convolutions(
    device: cl.Device, kernels: Path, found: Measured, folder: Path | None = None
) -> Path:
    """Keep what was found, in place of what is kept; a reader sees the old file or the new one.

    **Raises** OSError, also where others can write to the folder.
    """
    path = path_of_convolutions(device, folder)
    content = {
        "format": FORMAT,
        "for": identity(device),
        "source": kernels_digest(kernels),
        "convolutions": [
            {"direction": direction.value, "sizes": _sizes(geometry), "entry": entry}
            for (direction, geometry), entry in found.items()
        ],
    }
    with private_folder(path.parent, may_make=MAY_MAKE) as opened:
        opened.write(path.name, yaml.safe_dump(content, sort_keys=False).encode())
        opened.prune()
    return path


def path_of_convolutions(device: cl.Device, folder: Path | None = None) -> Path:
    """Return where this machine's file for a device and its driver's version is."""
    products = path_of(device, folder)
    return products.with_name(f"conv-{products.name}")


def kernels_digest(kernels: Path) -> str:
    """Return what tells these kernels and this ladder from others."""
    digest = hashlib.sha256()
    for path in sorted((*(kernels / "conv").iterdir(), *(kernels / "common").iterdir())):
        if path.is_file():
            digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _sizes(geometry: Geometry) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(geometry).items()
    }


def _entry(kept: Mapping[str, Any]) -> tuple[tuple[Direction, Geometry], str]:
    sizes: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in kept["sizes"].items()
    }
    return (Direction(kept["direction"]), Geometry(**sizes)), str(kept["entry"])
