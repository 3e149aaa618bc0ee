# SPDX-License-Identifier: MIT
"""Whole things to damage: libraries, a linker cache, the report of a child."""

import struct
from pathlib import Path

import msgspec

from clprobe.probe.live_host import LiveHost


def libraries_here() -> list[bytes]:
    """Return two real libraries of this machine and two made ones, 64 and 32 bits wide."""
    cached = LiveHost({}).cached_libraries
    real = [path for name in ("libc.so.6", "libm.so.6") for path in cached(name)[:1]]
    made = [made_library(wide=True), made_library(wide=False)]
    return [*(Path(one.path).read_bytes() for one in real), *made]


def cache_here() -> bytes:
    """Return this machine's linker cache, or one entry made up where it has none."""
    try:
        return Path("/etc/ld.so.cache").read_bytes()
    except OSError:
        texts = b"libx.so.1\0/usr/lib/libx.so.1\0"
        head = struct.pack("=20sII5I", b"glibc-ld.so.cache1.1", 1, len(texts), 0, 0, 0, 0, 0)
        return head + struct.pack("=iIIIQ", 0x303, 72, 82, 0, 0) + texts


def made_library(*, wide: bool) -> bytes:
    """Return a small shared library: its headers, what it needs, and where it looks for that."""
    names = b"\0libm.so.6\0$ORIGIN/lib:/opt/x\0"
    tags = [(1, 1), (29, 11), (5, 0x400), (0, 0)]
    form, machine = ("QQ", 62) if wide else ("II", 3)
    dynamic = b"".join(struct.pack(f"<{form}", *tag) for tag in tags)
    size = 0x400 + len(names)
    if wide:
        head = struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
        programs = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)
        programs += struct.pack(
            "<IIQQQQQQ", 2, 6, 0x200, 0x200, 0x200, len(dynamic), len(dynamic), 8
        )
    else:
        head = struct.pack("<HHIIIIIHHHHHH", 3, machine, 1, 0, 52, 0, 0, 52, 32, 2, 40, 0, 0)
        programs = struct.pack("<IIIIIIII", 1, 0, 0, 0, size, size, 5, 4096)
        programs += struct.pack(
            "<IIIIIIII", 2, 0x200, 0x200, 0x200, len(dynamic), len(dynamic), 6, 4
        )
    start = b"\x7fELF" + bytes([2 if wide else 1, 1, 1, 0]) + bytes(8) + head + programs
    return start.ljust(0x200, b"\0") + dynamic.ljust(0x200, b"\0") + names


def conversation() -> bytes:
    """Return the report of a driver with two platforms, one of them with two devices."""
    records: list[dict[str, object]] = [
        {"stage": "load"}, {"loading": "/usr/lib/libx.so"}, {"stage": "entry-point"},
        {"stage": "platforms"},
    ]  # fmt: skip
    for index in (0, 1):
        records.append({"platform": index})
        for name in ("name", "vendor", "version"):
            records.append({"at": [index], "asking": name})
            records.append({"at": [index], "fact": name, "value": f"OpenCL 3.0 {name}"})
        records.append({"at": [index], "fact": "icd_suffix", "error": -30})
    records += [
        {"stage": "devices"}, {"platform": 0, "devices": 2, "devices_error": None},
        {"platform": 1, "devices": 0, "devices_error": -1}, {"stage": "queries"},
    ]  # fmt: skip
    for place in (0, 1):
        at = [0, place]
        records += [{"at": at, "fact": name, "value": "x y"} for name in ("name", "extensions")]
        records += [{"at": at, "fact": name, "value": 4} for name in ("type", "compute_units")]
        records.append({"at": at, "fact": "pci_bus_info", "value": "00" * 16})
        records.append({"at": at, "fact": "sub_group_sizes", "value": [8, 16]})
        records += [{"stage": "compile"}, {"stage": "run"}]
        records.append({"at": at, "fact": "kernel_result", "value": "right"})
    records.append({"done": True})
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)
