# SPDX-License-Identifier: MIT
"""The facts that hold in a flatpak, by what flatpak tells of it and its runtime's extensions."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.model.errors import ClprobeError
from clprobe.model.hardware import DeviceNode
from clprobe.model.opencl import Icd, Library
from clprobe.model.snapshot import OUTSIDE, Snapshot
from clprobe.model.system import Distribution, Package
from clprobe.model.unknown import Fact, Unknown
from clprobe.outside.find import check_name, failure_of
from clprobe.outside.not_running import beside
from clprobe.probe.environment import LISTED, is_recorded
from clprobe.probe.facts import ask, ask_names, ask_text
from clprobe.probe.host import Host
from clprobe.version import __version__

_GL = "org.freedesktop.Platform.GL"
_BY_DRI = ("render", "card", "nvidia", "mali", "dxg")
"""Kinds of nodes that the permission dri hands over; /dev/kfd came to it with flatpak 1.18.

**Source**: flatpak-metadata(5), flatpak/flatpak#2266 (nvidia-uvm), #498 (Mali), #5383 (kfd).
"""
_KFD_SINCE = (1, 18)
_SECTION = re.compile(r"\[(?P<name>[^\]]+)\]")
_UNCHANGED = re.compile(r"(?!LD_)[A-Z]")
_VENDORS = "files/OpenCL/vendors"
_INSIDE = "/etc/OpenCL/vendors"
_NOT_TRIED = Unknown("no driver inside a flatpak is loaded from outside")


class _App(NamedTuple):
    """An application: its runtime, what it may use, and the GL extensions that it would get."""

    runtime: str
    branch: str
    devices: tuple[str, ...]
    variables: dict[str, str]


def facts_in_flatpak(host: Host, name: str, here: Snapshot, limit_s: float) -> Snapshot:
    """Return what holds in the flatpak, with `here`, the host's facts, beside it.

    Raises: ClprobeError if there is no such flatpak, or nobody could tell.
    """
    check_name(name, kind="flatpak")
    app = _app(host, name, limit_s)
    extensions = _extensions(host, limit_s)
    versions = _gl_versions(host, app, limit_s)
    drivers = _told(host, ("--gl-drivers",), limit_s).split()
    wanted = [f"{_GL}.{driver}" for driver in drivers if driver != "host"]
    present = [one for one in extensions if one[0] in wanted and one[1] in versions]
    names = {one[0] for one in present}
    absent = next((one for one in wanted if "nvidia" in one and one not in names), None)
    virtual = replace(
        here.system.virtualization, container="flatpak", service=None, absent_driver=absent
    )
    runtime = Distribution(
        id=app.runtime, version=app.branch, name=f"{app.runtime} {app.branch}", like=(),
        codename=None,
    )  # fmt: skip
    return Snapshot(
        clprobe=__version__,
        source=OUTSIDE,
        taken=here.taken,
        system=replace(here.system, distribution=runtime, virtualization=virtual),
        user=here.user,
        environment=_variables(here, app),
        gpus=here.gpus,
        device_nodes=_nodes(host, app, here, limit_s),
        packages=tuple(
            Package(name=one, version=branch, manager="flatpak") for one, branch in extensions
        ),
        icds=tuple(_icds(host, present, limit_s)),
        excerpts=("packages",),
        perspectives=beside(here),
    )


def _told(host: Host, arguments: tuple[str, ...], limit_s: float) -> str:
    answer = host.ask_tool("flatpak", arguments, limit_s)
    if answer.ended == "exit" and answer.status == 0:
        return answer.printed.decode("utf-8", "replace")
    raise ClprobeError(
        reference="flatpak-not-looked-at",
        message=f"Flatpak could not be asked: {failure_of('flatpak', answer, limit_s)}.",
        hint="`flatpak list --app` shows what is installed for everybody and for this user.",
    )


def _app(host: Host, name: str, limit_s: float) -> _App:
    metadata = _keys(_told(host, ("info", "--show-metadata", name), limit_s))
    allowed = _keys(_told(host, ("info", "--show-permissions", name), limit_s))
    runtime, _, rest = metadata.get("Application", {}).get("runtime", "").partition("/")
    if not runtime:
        raise ClprobeError(
            reference="flatpak-not-understood",
            message=f"What flatpak tells of {name} names no runtime, as an application's would.",
        )
    devices = allowed.get("Context", {}).get("devices", "").split(";")
    return _App(
        runtime,
        rest.rpartition("/")[2],
        tuple(filter(None, devices)),
        allowed.get("Environment", {}),
    )


def _keys(text: str) -> dict[str, dict[str, str]]:
    """Return the keys of each section; what is no key file has none."""
    found: dict[str, dict[str, str]] = {}
    section = found.setdefault("", {})
    for line in text.splitlines():
        if heading := _SECTION.fullmatch(line.strip()):
            section = found.setdefault(heading["name"], {})
        elif "=" in line:
            name, _, value = line.partition("=")
            section[name.strip()] = value.strip()
    return found


def _extensions(host: Host, limit_s: float) -> list[tuple[str, str]]:
    """Return the extensions with drivers that are installed, with their branches."""
    columns = ("list", "--runtime", "--columns=application,branch")
    rows = (line.split() for line in _told(host, columns, limit_s).splitlines())
    return [(row[0], row[1]) for row in rows if len(row) == 2 and row[0].startswith(_GL)]


def _gl_versions(host: Host, app: _App, limit_s: float) -> tuple[str, ...]:
    """Return the branches of GL extensions that the runtime takes."""
    runtime = _keys(
        _told(host, ("info", "--show-metadata", f"{app.runtime}//{app.branch}"), limit_s)
    )
    section = runtime.get(f"Extension {_GL}", {})
    versions = (*section.get("versions", "").split(";"), section.get("version", ""))
    return tuple(filter(None, versions)) or (app.branch,)


def _nodes(host: Host, app: _App, here: Snapshot, limit_s: float) -> Fact[tuple[DeviceNode, ...]]:
    if isinstance(here.device_nodes, Unknown):
        return here.device_nodes
    if "all" in app.devices:
        return here.device_nodes
    if "dri" not in app.devices:
        return ()
    words = _told(host, ("--version",), limit_s).split()
    numbers = tuple(int(one) for one in words[-1].split(".")[:2] if one.isdecimal())
    kinds = (*_BY_DRI, "kfd") if numbers >= _KFD_SINCE else _BY_DRI
    return tuple(node for node in here.device_nodes if node.kind in kinds)


def _variables(here: Snapshot, app: _App) -> dict[str, str | Unknown | None]:
    """Return the shell's variables as flatpak passes them on, and those of the app itself."""
    passed = {
        name: value if _UNCHANGED.match(name) else None for name, value in here.environment.items()
    }
    own = {name: value for name, value in app.variables.items() if is_recorded(name)}
    return {**dict.fromkeys(LISTED, None), **passed, **own}


def _icds(host: Host, extensions: list[tuple[str, str]], limit_s: float) -> Iterator[Icd]:
    """Yield the .icd files that extensions bring, which the runtime merges into one folder."""
    for name, branch in extensions:
        place = _told(host, ("info", "--show-location", f"{name}//{branch}"), limit_s).strip()
        folder = f"{place}/{_VENDORS}"
        for file in ask_names(host.list_folder, folder):
            if file.endswith(".icd"):
                text = ask_text(host.read, f"{folder}/{file}")
                library = text if isinstance(text, Unknown) else text.strip() or None
                yield Icd(
                    path=f"{_INSIDE}/{file}",
                    file_type="file",
                    open_error=ask(host.open_error, f"{folder}/{file}", "read"),
                    text=text,
                    library_name=library,
                    package=name,
                    library=Library(package=name),
                )
