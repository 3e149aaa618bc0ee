# SPDX-License-Identifier: MIT
"""Tables of measured configurations: those that clprobe ships and those measured on this machine.

A table is a YAML file. Shipped ones (kernels/tuned/) name the platforms they are for; those of this
machine are for one device and version of its driver, and are kept as private_files does: whoever
writes one chooses what runs on the device. An entry whose kernel has changed since it was measured
is left out, for its tile may no longer be what the kernel computes.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import log2
from pathlib import Path, PurePosixPath
from typing import Any

import pyopencl as cl
import yaml

from clprobe.private_files import cache_folder, private_folder, read
from clprobe.tensor.limits import said
from clprobe.tensor.ops.variants import Product, Variant, read_variant, write_variant
from clprobe.tensor.program import read_with_includes

FORMAT = 1
# A configuration serves products of up to twice or down to half the size it was measured at.
_REACH = 1.0
# The user's folder for caches, clprobe's in it, and that of the tables.
MAY_MAKE = 3
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Tuned:
    """The fastest configuration for one product."""

    product: Product
    variant: Variant
    gflops: float


@dataclass(slots=True)
class Tables:
    """What is known about one device, best source first, and what could not be used."""

    entries: list[Tuned] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    """Files and entries, each with the reason."""

    def nearest(self, product: Product) -> list[Variant]:
        """Return the configurations measured at products like this one, the most similar first."""
        near = [
            (distance, number, tuned.variant)
            for number, tuned in enumerate(self.entries)
            if (distance := _distance(tuned.product, product)) is not None
        ]
        return [variant for _, _, variant in sorted(near, key=lambda found: found[:2])]


def load_tables(device: cl.Device, kernels: Path, folder: Path | None = None) -> Tables:
    """Return this machine's table for the device, if there is one, and the shipped ones for it."""
    tables = Tables()
    own = path_of(device, folder)
    kept = read(own)
    if kept is not None:
        _read(own, kept, device, kernels, tables)
    elif own.exists() or own.is_symlink():
        tables.ignored.append(f"{own}: damaged, or others can write it; clprobe bench --tune")
    for path in sorted((kernels / "tuned").glob("*.yaml")):
        _read(path, path.read_bytes(), device, kernels, tables)
    return tables


def save(device: cl.Device, kernels: Path, found: Sequence[Tuned], folder: Path | None) -> Path:
    """Write this machine's table for a device; a reader sees the old one or all of the new one.

    **Raises** OSError, also where others can write to the folder.
    """
    content: dict[str, Any] = {
        "format": FORMAT,
        "for": identity(device),
        "matmul": [
            {
                "product": asdict(tuned.product),
                "gflops": round(tuned.gflops, 1),
                "source": source_digest(kernels, tuned.variant.file),
                "variant": write_variant(tuned.variant),
            }
            for tuned in found
        ],
    }
    path = path_of(device, folder)
    with private_folder(path.parent, may_make=MAY_MAKE) as opened:
        opened.write(path.name, yaml.safe_dump(content, sort_keys=False).encode())
        opened.prune()
    return path


def path_of(device: cl.Device, folder: Path | None = None) -> Path:
    """Return where this machine's table for a device and its driver's version is."""
    about = identity(device)
    readable = re.sub(r"[^a-z0-9]+", "-", about["device"].lower()).strip("-")
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]
    return (folder or default_folder()) / f"{readable}-{digest}.yaml"


def default_folder() -> Path:
    """Return the folder of this machine's tables."""
    return cache_folder("tuned")


def identity(device: cl.Device) -> dict[str, str]:
    """Return what a measurement holds for."""
    return {
        "platform": said(device.platform, "name"),
        "device": said(device, "name"),
        "driver": said(device, "driver_version"),
    }


def source_digest(kernels: Path, file: str) -> str:
    """Return what tells this version of a kernel from others."""
    return hashlib.sha256(read_with_includes(kernels, file).encode()).hexdigest()[:16]


def _read(path: Path, text: bytes, device: cl.Device, kernels: Path, tables: Tables) -> None:
    try:
        content = yaml.safe_load(text)
        if content["format"] != FORMAT:
            tables.ignored.append(f"{path}: format {content['format']}, not {FORMAT}")
            return
        about = identity(device)
        if not all(value in about[key] for key, value in content["for"].items()):
            return
        entries = [_entry(entry, kernels) for entry in content["matmul"]]
    except (OSError, yaml.YAMLError, LookupError, TypeError, ValueError, AttributeError) as error:
        tables.ignored.append(f"{path}: damaged: {type(error).__name__}: {error}".splitlines()[0])
        return
    for number, tuned in enumerate(entries):
        if tuned is None:
            tables.ignored.append(f"{path}: matmul entry {number} was measured with another kernel")
        else:
            tables.entries.append(tuned)


def _entry(entry: Mapping[str, Any], kernels: Path) -> Tuned | None:
    variant = read_variant(entry["variant"])
    place = PurePosixPath(variant.file)
    if place.is_absolute() or ".." in place.parts or place.suffix != ".cl":
        raise ValueError(f"{variant.file} is no kernel of clprobe's")
    if not all(_NAME.fullmatch(name) for name in variant.defines):
        raise ValueError(f"{', '.join(variant.defines)} are not all names")
    if not (kernels / place).is_file():
        return None
    if entry["source"] != source_digest(kernels, variant.file):
        return None
    return Tuned(Product(**entry["product"]), variant, float(entry["gflops"]))


def _distance(a: Product, b: Product) -> float | None:
    """Return how far two products are apart in octaves, None if too far to learn from."""
    if a.transposed != b.transposed:
        return None
    sizes = ("rows", "columns", "depth", "batches")
    octaves = [abs(log2(getattr(a, size) / getattr(b, size))) for size in sizes]
    return sum(octaves) if max(octaves) <= _REACH else None
