# SPDX-License-Identifier: MIT
"""Every libOpenCL.so.1 on the host: whose it is, where it looks for ICDs, what programs see by it.

Source: ocl_icd_loader.c of ocl-icd 2.3, icd_linux.c of the Khronos loader; the tests compare these
rules with what real loaders list.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.model.opencl import Loader, View
from clprobe.model.unknown import Unknown, listed
from clprobe.probe.facts import ask, ask_names, is_there, or_unknown, unknown_part
from clprobe.probe.host import Host, Pending, Role
from clprobe.probe.libraries import Libraries
from clprobe.probe.opencl.enumeration import PYOPENCL, view_of

SYSTEM_FOLDER = "/etc/OpenCL/vendors"
LIBRARY = "libOpenCL.so.1"

_OCL_ICD, _WHEEL = "OCL Icd free software", "PYOPENCL_HOME"
# Only Khronos's code knows the variable; copies from before 3.0, such as the one that CUDA brings,
# do not name their maker.
_KHRONOS = ("Khronos Group", "OCL_ICD_FILENAMES")
_FOLDER = "OpenCL/vendors"
_VARIABLE = re.compile(r"OCL_ICD_[A-Z_]+|OPENCL_VENDOR_PATH|OPENCL_LAYERS|OPENCL_LAYER_PATH")
_MARKS = ("OCL_ICD_", "OPENCL_VENDOR", "OPENCL_LAYER", _OCL_ICD, *_KHRONOS, _WHEEL, _FOLDER)


class Search(NamedTuple):
    """Where one loader looks for ICDs, environment applied.

    `entries` are single `.icd` files or libraries that a variable names. `beside` is the folder
    in which a bare library name is looked for first. `recursive`: subfolders are read too.
    """

    folders: tuple[str, ...]
    entries: tuple[str, ...] = ()
    beside: str | None = None
    recursive: bool = False


class FoundLoader(NamedTuple):
    """A loader with its facts and its search."""

    facts: Loader
    search: Search


def probe_loaders(host: Host, libraries: Libraries) -> tuple[FoundLoader, ...]:
    """Return every loader that some program of this user would load."""
    found: dict[str, list[str]] = {}
    for path, finder in _candidates(host, libraries):
        if is_there(host.status, path):
            found.setdefault(host.real_path(path), []).append(finder)
    default = libraries.find(LIBRARY)
    default = host.real_path(default) if default else None
    loaders = []
    for path, finders in found.items():
        by, is_default = tuple(dict.fromkeys(finders)), path == default
        loader = ask(_loader, host, libraries, path, by, is_default=is_default)
        if isinstance(loader, Unknown):
            facts = unknown_part(Loader, loader, path=path, found_by=by, is_default=is_default)
            loader = FoundLoader(facts, Search(()))
        loaders.append(loader)
    return tuple(loaders)


def _candidates(host: Host, libraries: Libraries) -> list[tuple[str, str]]:
    environment = host.environment()
    candidates = [
        (f"{folder}/{LIBRARY}", "LD_LIBRARY_PATH") for folder in libraries.path_of_environment()
    ]
    candidates += [(path, "ldconfig") for path in libraries.in_cache(LIBRARY)]
    candidates += [(path, "default folders") for path in libraries.in_default_folders(LIBRARY)]
    if conda := environment.get("CONDA_PREFIX"):
        candidates.append((f"{conda}/lib/{LIBRARY}", "conda"))
    python = ask(host.python)
    if isinstance(python, Unknown):
        return candidates
    candidates.append((f"{python.prefix}/lib/{LIBRARY}", "prefix"))
    if python.pyopencl_folder:
        for folder in (f"{python.pyopencl_folder}/.libs", f"{python.pyopencl_folder}.libs"):
            candidates += [
                (f"{folder}/{name}", "pyopencl")
                for name in ask_names(host.list_folder, folder)
                if name.startswith("libOpenCL")
            ]
    return candidates


def _loader(
    host: Host, libraries: Libraries, path: str, found_by: tuple[str, ...], *, is_default: bool
) -> FoundLoader:
    texts = ask(host.texts_in, path, _MARKS)
    if isinstance(texts, Unknown):
        facts = Loader(
            path=path, kind=texts, found_by=found_by, is_default=is_default,
            icd_folders=texts, honours=texts,
        )  # fmt: skip
        return FoundLoader(facts, Search(()))
    environment = host.environment()
    kind = _kind(texts, path, environment.get("CONDA_PREFIX"))
    search = _search(host, kind, path, texts)
    facts = Loader(
        path=path,
        kind=kind,
        version=Unknown("only a loaded loader tells it"),
        found_by=found_by,
        is_default=is_default,
        missing_dependencies=libraries.missing_dependencies(path),
        damage=libraries.damage(path),
        icd_folders=search.folders,
        honours=tuple(text for text in texts if _VARIABLE.fullmatch(text)),
    )
    return FoundLoader(facts, search)


def _kind(texts: tuple[str, ...], path: str, conda: str | None) -> str:
    if _WHEEL in texts:
        return "pyopencl-wheel"
    if _OCL_ICD in texts:
        return "conda-ocl-icd" if conda and path.startswith(f"{conda}/") else "ocl-icd"
    return "khronos" if any(mark in texts for mark in _KHRONOS) else "vendor"


def _search(host: Host, kind: str, path: str, texts: tuple[str, ...]) -> Search:
    built_in = next(
        (text.rstrip("/") for text in texts if text.rstrip("/").endswith(_FOLDER)), SYSTEM_FOLDER
    )
    environment = host.environment()
    if kind == "khronos":
        libraries = environment.get("OCL_ICD_FILENAMES", "").split(":")
        # Set but empty is a folder too for this loader: one that does not exist.
        folder = environment.get("OCL_ICD_VENDORS", built_in).rstrip("/")
        return Search(tuple(filter(None, [folder])), tuple(filter(None, libraries)))
    if kind == "vendor":
        return Search((SYSTEM_FOLDER,))
    search = _ocl_icd_search(host, built_in)
    if kind == "pyopencl-wheel":
        own = path.rpartition("/")[0]
        # Where a variable names a single file, the wheel leaves its own drivers out too.
        folders = (*search.folders, own) if search.folders else ()
        return search._replace(folders=folders, beside=own)
    return search._replace(recursive=kind == "conda-ocl-icd")


def _ocl_icd_search(host: Host, built_in: str) -> Search:
    environment = host.environment()
    folder = environment.get("OPENCL_VENDOR_PATH") or built_in
    vendors = environment.get("OCL_ICD_VENDORS")
    if not vendors:
        return Search((folder.rstrip("/"),))
    status = ask(host.status, vendors)
    if not isinstance(status, Unknown) and status.kind == "directory":
        return Search((vendors.rstrip("/"),))
    if vendors.endswith(".icd") and "/" not in vendors:
        return Search((), (f"{folder.rstrip('/')}/{vendors}",))
    return Search((), (vendors,))


SYSTEM, CONDA = "system-loader", "conda-loader"
Start = Callable[[Role, str], Pending]


def start_views(
    host: Host,
    libraries: Libraries,
    start: Start,
    programs: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Pending]:
    """Start a child per viewer; pyopencl first, because its imports take longest.

    `programs` are further viewers with the libOpenCL that each has loaded.
    """
    views = {}
    python = ask(host.python)
    if not isinstance(python, Unknown) and python.pyopencl_folder:
        views[PYOPENCL] = start("pyopencl", "")
    views[SYSTEM] = start("loader", _system_loader(host, libraries))
    if conda := host.environment().get("CONDA_PREFIX"):
        own = f"{conda}/lib/{LIBRARY}"
        if is_there(host.status, own):
            views[CONDA] = start("loader", own)
    for viewer, loader in programs.items():
        views.setdefault(viewer, start("loader", loader))
    return views


def finished_views(
    views: dict[str, Pending] | Unknown, timeout_s: float, *, has_loader: bool
) -> tuple[View, ...] | Unknown:
    """Return what each viewer saw; `has_loader`: plain programs find a loader."""
    if isinstance(views, Unknown):
        return views
    seen = {
        viewer: or_unknown(ask(_seen, viewer, pending, timeout_s), View, viewer=viewer)
        for viewer, pending in views.items()
    }
    if not has_loader:
        seen[SYSTEM] = replace(seen[SYSTEM], loader=None, version=None)
    return tuple(seen.values())


def _seen(viewer: str, pending: Pending, timeout_s: float) -> View:
    return view_of(viewer, pending.wait(), timeout_s)


def with_version(loader: Loader, views: tuple[View, ...] | Unknown) -> Loader:
    """Return the loader with the version that it told the child it was loaded by."""
    for view in listed(views):
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
    if not is_there(host.status, f"{python.prefix}/lib/{LIBRARY}"):
        return LIBRARY
    return libraries.find(LIBRARY) or LIBRARY
