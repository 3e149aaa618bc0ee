# SPDX-License-Identifier: MIT
"""How an OpenCL implementation is recognised, as a type."""

import msgspec


class Recognise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shell patterns. A library pattern with "/" is for the whole path, else for the file name.

    `packages` are names under which it is installed, `files` those of its .icd file.
    """

    libraries: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    platform_names: tuple[str, ...] = ()
    platform_versions: tuple[str, ...] = ("*",)
    driver_versions: tuple[str, ...] = ("*",)
