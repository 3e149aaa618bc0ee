# SPDX-License-Identifier: MIT
"""What Windows lends to WSL: its kernel driver's version, and libraries of the user's side."""

import re

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask_text, reason
from clprobe.probe.host import Host
from clprobe.probe.libraries import Libraries

_DRIVERS = "/usr/lib/wsl/drivers"
_LIBRARIES = ("libdxcore.so", "libd3d12core.so")
# Folders of Windows' driver store: of Intel, NVIDIA and AMD, in the order in which OpenCL under
# WSL depends on them.
_FOLDERS = (
    re.compile(r"(?P<file>(?:iigd_dch|igdlh|igdarc)\w*\.inf)_amd64_\w+"),
    re.compile(r"(?P<file>nv(?:_disp\w*|[a-z]{2}i?)\.inf)_amd64_\w+"),
    re.compile(r"(?P<file>u\d{7}\.inf)_amd64_\w+"),
)
_VERSION = re.compile(r"(?im)^\s*DriverVer\s*=\s*[\d/]+\s*,\s*(?P<version>[\d.]+)")


def probe_wsl_version(host: Host) -> int | Unknown | None:
    """Return 1 or 2 under WSL, None elsewhere."""
    version = ask_text(host.read, "/proc/version")
    if isinstance(version, Unknown):
        return version
    if "microsoft" not in version.lower():
        return None
    return 1 if "Microsoft@Microsoft.com" in version else 2


def probe_windows_driver(host: Host) -> str | Unknown | None:
    """Return the version of Windows' display driver; None where its files are not shown here."""
    try:
        names = host.list_folder(_DRIVERS)
    except OSError as error:
        return None if error.errno in ABSENT else Unknown(reason(error))
    for form in _FOLDERS:
        folders = [match for name in names if (match := form.fullmatch(name))]
        if not folders:
            continue
        found = {_version(host, f"{_DRIVERS}/{match[0]}/{match['file']}") for match in folders}
        versions = sorted(version for version in found if version is not None)
        if len(versions) == 1:
            return versions[0]
        # Windows keeps drivers that were replaced, and nothing here tells which one is in use.
        told = ", ".join(versions) or "none"
        return Unknown(f"{_DRIVERS} names several or no versions ({told}); dxdiag on Windows tells")
    return None


def probe_wsl_libraries(host: Host) -> bool | Unknown:
    """Tell whether the linker finds what drivers under WSL load."""
    try:
        libraries = Libraries(host)
        return all(libraries.find(name) is not None for name in _LIBRARIES)
    except OSError as error:
        return Unknown(reason(error))


def _version(host: Host, path: str) -> str | None:
    try:
        raw = host.read(path)
    except OSError:
        return None
    is_wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    found = _VERSION.search(raw.decode("utf-16" if is_wide else "utf-8", "replace"))
    return found["version"] if found else None
