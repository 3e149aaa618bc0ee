# SPDX-License-Identifier: MIT
"""What a library is to a program that computes, by its file's name."""

import re

_ROLES = (
    ("loader", r"libOpenCL(?:-[\w.]+)?\.so"),
    ("level-zero", r"libze_(?:loader|intel_gpu)\.so"),
    ("cuda", r"libcuda\.so"),
    ("hip", r"lib(?:amdhip64|hsa-runtime64)\.so"),
    ("vulkan", r"libvulkan\.so"),
    ("va-api", r"libva(?:-drm|-x11|-wayland)?\.so"),
)
"""The names under which each interface's entry library is installed (its SONAME); wheels add a
hash to that of OpenCL's loader."""
_PATTERNS = tuple((role, re.compile(pattern)) for role, pattern in _ROLES)
INTERFACES = {"loader": "opencl", **{role: role for role, _ in _ROLES[1:]}}
"""The interface for which a library of that role stands."""


def role_of(name: str) -> str | None:
    """Return what the library of that name or path is; None: nothing that matters here."""
    file_name = name.rpartition("/")[2]
    return next((role for role, pattern in _PATTERNS if pattern.match(file_name)), None)
