# SPDX-License-Identifier: MIT
"""Asks pyopencl for its devices, inside the child: its import loads drivers as any program does.

Part of the child (opencl_worker.py): nothing but the standard library, and pyopencl itself.
"""

import os
import sys

from clprobe.probe.opencl.calls import OpenclError, Report, mapped_files, mapped_loader
from clprobe.probe.opencl.questions import MOST_OBJECTS


def ask_pyopencl(report: Report) -> None:
    """Report what pyopencl sees, and last the files that it came from."""
    report(stage="load")
    import pyopencl  # noqa: PLC0415 - the one role that needs it

    report(loader=mapped_loader(), viewer_version=pyopencl.VERSION_TEXT)
    report(stage="platforms")
    try:
        platforms = pyopencl.get_platforms()
    except pyopencl.Error as error:
        raise OpenclError(str(error), getattr(error, "code", None)) from None
    platforms = platforms[:MOST_OBJECTS]
    for index, platform in enumerate(platforms):
        report(platform=index)
        for name in ("name", "vendor", "version"):
            report(at=[index], asking=name)
            report(at=[index], fact=name, value=getattr(platform, name))
    report(stage="devices")
    for index, platform in enumerate(platforms):
        try:
            devices = platform.get_devices()[:MOST_OBJECTS]
        except pyopencl.Error as error:
            report(platform=index, devices=0, devices_error=getattr(error, "code", None))
            continue
        report(platform=index, devices=len(devices), devices_error=None)
        if devices:
            report(stage="queries")
        for place, device in enumerate(devices):
            for name in ("name", "type", "driver_version"):
                report(at=[index, place], asking=name)
                report(at=[index, place], fact=name, value=getattr(device, name))
    _tell_files(report)


def _tell_files(report: Report) -> None:
    """Report all that may decide what another import does: pyopencl_view.py."""
    extension = getattr(sys.modules.get("pyopencl._cl"), "__file__", None)
    mapped = mapped_files()
    if not extension or not mapped:
        return
    modules = {getattr(module, "__file__", None) for module in tuple(sys.modules.values())}
    # Each entry is looked through for modules; a file beside it is what its list is told by.
    searched = {f"{folder}/" for folder in sys.path if folder}
    started = {
        f"{sys.prefix}/pyvenv.cfg",
        *(file for folder in sys.path for file in _paths(folder)),
    }
    files = {*mapped, *searched, *started, *(file for file in modules if file)}
    named = sorted(file for file in files if file.startswith("/") and "\n" not in file)
    home = os.environ.get("PYOPENCL_HOME", "")
    report(imported="\n".join(named), extension=extension, home=home)


def _paths(folder: str) -> "list[str]":
    """Return the files of a folder that add to Python's path when it starts."""
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".pth")]  # noqa: PTH208 - as in calls.py
    except OSError:  # a zip file
        return []
