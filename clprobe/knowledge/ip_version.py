# SPDX-License-Identifier: MIT
"""Reads CL_DEVICE_IP_VERSION_INTEL, which drivers have packed in two ways."""

from clprobe.knowledge.table_types import Generation

_SMALLEST_WIDE = 1 << 22
"""Architecture 1 in the wide packing; every value of the early one is below it."""


def ip_version_in(ip_version: int, generation: Generation) -> bool:
    """Whether the value belongs to the generation.

    The wide packing is architecture (10 bits), release (8), revision (14), so 12.55.8 is
    0x030dc008. compute-runtime 22.43 packs 8 bits each: Gen9 is 0x090000.

    **Source** third_party/aot_config_headers of compute-runtime; 22.43 run with stubbed GPUs.
    """
    if ip_version >= _SMALLEST_WIDE:
        number, ranges = (ip_version >> 22, ip_version >> 14 & 0xFF), generation.ip_versions
    else:
        number, ranges = (ip_version >> 16, ip_version >> 8 & 0xFF), generation.ip_versions_early
    return any(_inside(number, text) for text in ranges)


def _inside(number: tuple[int, int], text: str) -> bool:
    first, _, last = text.partition("-")
    return _pair(first) <= number <= _pair(last or first)


def _pair(text: str) -> tuple[int, int]:
    architecture, _, release = text.partition(".")
    return int(architecture), int(release)
