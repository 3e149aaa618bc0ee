# SPDX-License-Identifier: MIT
"""Finds the loaders and drivers of Vulkan, Level Zero, CUDA, ROCm and VA-API; loads none.

**Source**: "Driver Discovery" in LoaderDriverInterface.md of Khronos' Vulkan-Loader; va.c of libva;
driver_discovery_lin.cpp of the Level Zero loader.
"""

import json
from collections.abc import Iterator

from clprobe.model.interfaces import InterfaceFile
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_names, ask_text
from clprobe.probe.host import Host
from clprobe.probe.libraries import Libraries

_BY_NAME = (
    ("vulkan", "loader", ("libvulkan.so.1",)),
    ("level-zero", "loader", ("libze_loader.so.1",)),
    ("level-zero", "driver", ("libze_intel_gpu.so.1",)),
    ("level-zero", "driver", ("libze_intel_gpu_legacy1.so.1",)),
    ("cuda", "driver", ("libcuda.so.1",)),
    ("hip", "driver", ("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                       "libamdhip64.so")),
    ("va-api", "loader", ("libva.so.2",)),
)  # fmt: skip
"""Libraries that programs open by name; of several names the first that is there."""
_MANIFESTS = "vulkan/icd.d"
_VULKAN_INSTEAD = ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")
_VULKAN_BESIDES = "VK_ADD_DRIVER_FILES"
_VA_SUFFIX = "_drv_video.so"
_VA_FOLDERS = ("dri", "va/drivers")
_NIXOS = "/run/opengl-driver"


def probe_interfaces(host: Host, libraries: Libraries) -> tuple[InterfaceFile, ...]:
    """Return the loaders and drivers that are installed; none: there is none of them."""
    return (
        *_by_name(libraries),
        *_vulkan(host, libraries),
        *_va_api(host, libraries),
    )


def _by_name(libraries: Libraries) -> Iterator[InterfaceFile]:
    for interface, role, names in _BY_NAME:
        path = next((found for name in names if (found := libraries.find(name))), None)
        if path is not None:
            fits = libraries.is_for_this_process(path)
            yield InterfaceFile(
                path=path, interface=interface, role=role, library=path, fits=fits
            )  # fmt: skip


def _vulkan(host: Host, libraries: Libraries) -> Iterator[InterfaceFile]:
    environment = host.environment()
    instead = next((name for name in _VULKAN_INSTEAD if environment.get(name)), None)
    named = [text for text in (instead, _VULKAN_BESIDES) if text is not None]
    given = [one for name in named for one in _manifests(host, environment.get(name, ""))]
    usual = [one for folder in _vulkan_folders(environment) for one in _in_folder(host, folder)]
    for path in dict.fromkeys((*given, *usual)):
        left_out = instead if path not in given else None
        yield _manifest(host, libraries, path, left_out)


def _vulkan_folders(environment: dict[str, str]) -> tuple[str, ...]:
    home = environment.get("HOME", "")
    of_home = {"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share"}
    own = {
        name: environment.get(name) or (f"{home}/{folder}" if home else "")
        for name, folder in of_home.items()
    }
    roots = (
        own["XDG_CONFIG_HOME"],
        *_paths(environment.get("XDG_CONFIG_DIRS") or "/etc/xdg"),
        "/etc",
        own["XDG_DATA_HOME"],
        *_paths(environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"),
        "/usr/share",
        f"{_NIXOS}/share",
    )
    return tuple(dict.fromkeys(f"{root.rstrip('/')}/{_MANIFESTS}" for root in roots if root))


def _paths(text: str) -> list[str]:
    return [one for one in text.split(":") if one.startswith("/")]


def _manifests(host: Host, text: str) -> Iterator[str]:
    """Yield the manifests that a variable names: files, or all in a folder."""
    for one in _paths(text):
        if one.endswith(".json"):
            yield one
        else:
            yield from _in_folder(host, one.rstrip("/"))


def _in_folder(host: Host, folder: str) -> list[str]:
    names = ask_names(host.list_folder, folder)
    return [f"{folder}/{name}" for name in names if name.endswith(".json")]


def _manifest(host: Host, libraries: Libraries, path: str, left_out: str | None) -> InterfaceFile:
    name = _library_name(ask_text(host.read, path), path)
    library = libraries.find(name) if isinstance(name, str) else name
    fits = libraries.is_for_this_process(library) if isinstance(library, str) else library
    nothing = Unknown("there is no library")
    return InterfaceFile(
        path=path, interface="vulkan", role="driver", library=library,
        fits=nothing if fits is None else fits, left_out_by=left_out,
    )  # fmt: skip


def _library_name(text: str | Unknown, path: str) -> str | Unknown:
    """Return what to open; a name with a slash that is no path is meant from the manifest on."""
    if isinstance(text, Unknown):
        return text
    try:
        icd = json.loads(text)["ICD"]
        name = icd["library_path"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Unknown(f"{path} is no manifest of Vulkan")
    if not isinstance(name, str) or not name:
        return Unknown(f"{path} names no library")
    beside = "/" in name and not name.startswith("/")
    return f"{path.rpartition('/')[0]}/{name}" if beside else name


def _va_api(host: Host, libraries: Libraries) -> Iterator[InterfaceFile]:
    environment = host.environment()
    chosen = environment.get("LIBVA_DRIVER_NAME")
    given = _paths(environment.get("LIBVA_DRIVERS_PATH", ""))
    usual = [f"{folder}/{sub}" for folder in libraries.folders for sub in _VA_FOLDERS]
    seen: set[str] = set()
    for folder in (*given, *usual, f"{_NIXOS}/lib/dri"):
        names = ask_names(host.list_folder, folder)
        for name in names:
            path = f"{folder}/{name}"
            real = ask(host.real_path, path) if name.endswith(_VA_SUFFIX) else None
            if not isinstance(real, str) or f"{real}/{name}" in seen:
                continue
            seen.add(f"{real}/{name}")  # /lib leads to /usr/lib
            left_out = None
            if given and folder not in given:
                left_out = "LIBVA_DRIVERS_PATH"
            elif chosen and name != f"{chosen}{_VA_SUFFIX}":
                left_out = "LIBVA_DRIVER_NAME"
            yield InterfaceFile(
                path=path, interface="va-api", role="driver", library=path,
                fits=libraries.is_for_this_process(path), left_out_by=left_out,
            )  # fmt: skip
