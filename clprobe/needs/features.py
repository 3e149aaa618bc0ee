# SPDX-License-Identifier: MIT
"""What kernels may use on a device: half and double precision, sub-groups, images."""

from clprobe.facts.facts import DeviceFacts
from clprobe.knowledge.versions import in_range
from clprobe.model.unknown import Fact, Unknown
from clprobe.needs.told import opencl_of
from clprobe.needs.truth import Truth

_BY_EXTENSION = {"fp16": "cl_khr_fp16", "fp64": "cl_khr_fp64"}
_SUBGROUPS = ("cl_khr_subgroups", "cl_intel_subgroups")


def has_feature(feature: str, device: DeviceFacts) -> tuple[Truth, str]:
    """Return whether a device offers a feature to kernels, and by what it was told."""
    if feature == "images":
        return _truth(device.image_support, "images")
    if feature == "subgroups":
        return _has_subgroups(device)
    wanted = _BY_EXTENSION[feature]
    if isinstance(device.extensions, Unknown):
        return None, device.extensions.unknown
    has = wanted in device.extensions
    return has, feature if has else f"no {wanted}"


def _truth(fact: Fact[bool], what: str) -> tuple[Truth, str]:
    if isinstance(fact, Unknown):
        return None, fact.unknown
    return fact, what if fact else f"no {what}"


def _has_subgroups(device: DeviceFacts) -> tuple[Truth, str]:
    """Extensions tell it, then the version: part of OpenCL 2.1 and 2.2, a choice of 3.0."""
    extensions, most, version = device.extensions, device.max_sub_groups, opencl_of(device)
    if not isinstance(extensions, Unknown):
        named = next((one for one in _SUBGROUPS if one in extensions), None)
        if named is not None:
            return True, named
    # Some of Intel's drivers tell 0 beside an extension.
    if isinstance(most, int) and (most > 0 or not isinstance(extensions, Unknown)):
        return most > 0, f"{most} sub-groups in a work-group"
    if isinstance(extensions, Unknown) or isinstance(version, Unknown):
        return None, "whether it has sub-groups is not known"
    if in_range(version, ">=3.0", "dotted"):
        return None, "whether it has sub-groups, a choice of OpenCL 3.0, is not known"
    return in_range(version, ">=2.1", "dotted"), f"OpenCL {version} without cl_khr_subgroups"
