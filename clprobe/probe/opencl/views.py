# SPDX-License-Identifier: MIT
"""What programs of this user see, each through the loader that it would load."""

from collections.abc import Callable

from msgspec.structs import replace

from clprobe.model.opencl import Loader, View
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, known
from clprobe.probe.host import Host, Pending, Role
from clprobe.probe.libraries import Libraries
from clprobe.probe.opencl.enumeration import PYOPENCL, view_of
from clprobe.probe.opencl.loaders import LIBRARY

SYSTEM, CONDA = "system-loader", "conda-loader"
Start = Callable[[Role, str], Pending]


def start_views(host: Host, libraries: Libraries, start: Start) -> dict[str, Pending]:
    """Start a child per viewer; pyopencl first, because its imports take longest."""
    views = {}
    python = ask(host.python)
    if not isinstance(python, Unknown) and python.pyopencl_folder:
        views[PYOPENCL] = start("pyopencl", "")
    views[SYSTEM] = start("loader", _system_loader(host, libraries))
    if conda := host.environment().get("CONDA_PREFIX"):
        own = f"{conda}/lib/{LIBRARY}"
        if not isinstance(ask(host.status, own), Unknown):
            views[CONDA] = start("loader", own)
    return views


def finished_views(
    views: dict[str, Pending] | Unknown, timeout_s: float, *, has_loader: bool
) -> tuple[View, ...] | Unknown:
    """Return what each viewer saw; `has_loader`: plain programs find a loader."""
    if isinstance(views, Unknown):
        return views
    seen = {
        viewer: known(ask(_seen, viewer, pending, timeout_s), View, viewer=viewer)
        for viewer, pending in views.items()
    }
    if not has_loader:
        seen[SYSTEM] = replace(seen[SYSTEM], loader=None, version=None)
    return tuple(seen.values())


def _seen(viewer: str, pending: Pending, timeout_s: float) -> View:
    return view_of(viewer, pending.wait(), timeout_s)


def with_version(loader: Loader, views: tuple[View, ...] | Unknown) -> Loader:
    """Return the loader with the version that it told the child it was loaded by."""
    for view in () if isinstance(views, Unknown) else views:
        if view.loader == loader.path and view.viewer in (SYSTEM, CONDA):
            return replace(loader, version=view.version)
    return loader


def _system_loader(host: Host, libraries: Libraries) -> str:
    """Return what plain programs load, by its path where this Python would load another.

    The children are started with this Python, and that of conda looks beside itself first.
    """
    python = ask(host.python)
    if isinstance(python, Unknown) or python.prefix in ("/", "/usr"):
        return LIBRARY
    if isinstance(ask(host.status, f"{python.prefix}/lib/{LIBRARY}"), Unknown):
        return LIBRARY
    return libraries.find(LIBRARY) or LIBRARY
