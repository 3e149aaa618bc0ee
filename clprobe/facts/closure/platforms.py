# SPDX-License-Identifier: MIT
"""What an error of clGetDeviceIDs and a vendor's name say of the platforms that a program lists."""

from msgspec.structs import replace

from clprobe.facts.closure.closed import Closed
from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Platform, View
from clprobe.model.unknown import NOT_STATED, Unknown

_FORMS = Forms("closure")
_NO_DEVICE = -1
"""CL_DEVICE_NOT_FOUND, which clGetDeviceIDs returns of a platform without devices."""


def with_empty_platforms(closed: Closed) -> Closed:
    """Return it with the platforms known to be empty, and named by name rather than vendor."""
    why = "clGetDeviceIDs found no device on the platform (-1), or its vendor stands for its name"
    return closed.with_each("views", _told, "opencl.empty_platforms", why)


def _told(view: View) -> View:
    platforms = view.answer.platforms
    if isinstance(platforms, Unknown):
        return view
    told = tuple(_named(_emptied(one, view.answer, alone=len(platforms) == 1)) for one in platforms)
    return view if told == platforms else replace(view, answer=replace(view.answer, platforms=told))


def _emptied(platform: Platform, answer: Answer, *, alone: bool) -> Platform:
    refused = platform.devices_error == _NO_DEVICE
    by_program = alone and answer.error_code == _NO_DEVICE and platform.devices_error == NOT_STATED
    if isinstance(platform.devices, Unknown) and (refused or by_program):
        return replace(platform, devices=())
    return platform


def _named(platform: Platform) -> Platform:
    by_vendor = _FORMS.tables["platforms_by_vendor"]
    if isinstance(platform.name, Unknown) and platform.vendor in by_vendor:
        return replace(platform, name=by_vendor[str(platform.vendor)])
    name = by_vendor.get(str(platform.name))
    if name is None or not isinstance(platform.vendor, Unknown):
        return platform
    return replace(platform, name=name, vendor=platform.name)
