# SPDX-License-Identifier: MIT
"""Versions in what devices tell of themselves."""

import re

from clprobe.facts.facts import DeviceFacts
from clprobe.knowledge.versions import in_range
from clprobe.model.unknown import Fact, Unknown

_OPENCL = re.compile(r"OpenCL (?:C )?(\d{1,4}\.\d{1,4})")
_DRIVER = re.compile(r"(\d+(?:\.\d+)+(?:[-~.]?(?:rc|devel)\d*)?|\d+)")
_NEWEST_C_OF_3 = "3.0"


def opencl_of(device: DeviceFacts) -> Fact[str]:
    """Return the version of "OpenCL 3.0 NEO"."""
    return _version(device.opencl_version, _OPENCL)


def driver_of(device: DeviceFacts) -> Fact[str]:
    """Return the version in the driver's: 21.10 of "Oclgrind 21.10", 3.0-rc2."""
    return _version(device.driver_version, _DRIVER)


def opencl_c_of(device: DeviceFacts) -> Fact[str]:
    """Return the newest OpenCL C that a device compiles.

    A device of OpenCL 3.0 may report OpenCL C 1.2, for which older programs ask, and compiles
    OpenCL C 3.0 as well.

    Source: OpenCL 3.0 API specification, CL_DEVICE_OPENCL_C_ALL_VERSIONS.
    """
    version, reported = opencl_of(device), _version(device.opencl_c_version, _OPENCL)
    if isinstance(version, Unknown) or isinstance(reported, Unknown):
        return version if isinstance(version, Unknown) else reported
    is_older = in_range(reported, f"<{_NEWEST_C_OF_3}", "dotted")
    is_3 = in_range(version, f">={_NEWEST_C_OF_3}", "dotted")
    return _NEWEST_C_OF_3 if is_3 and is_older else reported


def _version(text: Fact[str], form: re.Pattern[str]) -> Fact[str]:
    if isinstance(text, Unknown):
        return text
    found = form.search(text[:200])
    return found[1] if found else Unknown(f"{text[:40]!r} tells no version")
