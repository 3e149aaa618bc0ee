# SPDX-License-Identifier: MIT
"""Reads lists of installed packages as each package manager prints them."""

import re
from collections.abc import Callable, Iterator

import msgspec

from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Context, Paste, Reading

_MATTERS = re.compile(
    r"(?i)opencl|ocl|cl-?info|intel-?(media|gpu|igc|gmm|level|compute|graphics|gsc|ocloc"
    r"|oneapi|ndis)|igc|igdgmm|gmmlib|metee"
    r"|level-?zero|libze|mesa|gallium|rusticl|clover|rocm|hip|hsa|amdgpu|nvidia|cuda|pocl"
    r"|beignet|llvm|clang|spirv|libclc"
    r"|linux-(image|firmware|modules|headers|generic|lts|zen)|firmware|torch|pytorch"
    r"|libdrm|vulkan|libva|oneapi|sycl|numpy|kmod|i915"
)
_WHOLE_SYSTEM = 150
"""So many packages are a whole system's: nobody picks them by hand."""
_VERSION = r"(?:\d+:)?v?\d[\w.+:~^-]{0,100}"
_DPKG = re.compile(
    r"(?P<state>[uihrp][ncUFHWti]R?) +(?P<name>[a-z0-9][\w.+-]{1,100})(?::(?P<arch>\w"
    rf"{{2,10}}))? +(?P<version>{_VERSION}|<none>)(?: +(?P<arch2>all|amd64|i386|arm64|armhf"
    r"|ppc64el|riscv64|s390x))?(?: .*)?$"
)
_DPKG_HEAD = re.compile(
    r"(?:Desired=|\| Status=|\|/ Err\?=|\|\|/ Name|\+\+\+-|Listing\.\.\.|Listing…)"
)
_APT_LIST = re.compile(
    r"(?P<name>[a-z0-9][\w.+-]{1,100})/(?P<suite>[\w.,/+-]{1,100})? "
    rf"?(?P<version>{_VERSION}) (?P<arch>all|amd64|i386|arm64|armhf|ppc64el|riscv64"
    r"|s390x)(?: \[(?P<note>[^\]]{0,120})\])?$"
)
_RPM = re.compile(
    r"(?P<name>[A-Za-z0-9][\w.+-]{1,100}?)-(?P<version>(?:\d+:)?[\w.+~^]{1,60}-[\w.+~^]{1,"
    r"60})\.(?P<arch>x86_64|noarch|i[3-6]86|aarch64|ppc64le|armv7hl)$"
)
_DNF = re.compile(
    r"(?P<name>[A-Za-z0-9][\w.+-]{1,100})\.(?P<arch>x86_64|noarch|i[3-6]86"
    rf"|aarch64) +(?P<version>{_VERSION}-[\w.+~^]{{1,60}}) "
    r"+(?P<origin>@?[\w.+:/()@-]{1,80})$"
)
_ZYPPER = re.compile(
    r"(?P<state>i\+?|v) +\| +(?P<origin>[^|]{0,80}?) *\| +(?P<name>[a-zA-Z0-9][\w.+-]{1"
    rf",100}}) +\| +(?:package +\| +)?(?P<version>{_VERSION}) +\|"
)
_PACMAN = re.compile(
    r"(?:(?P<repo>local|core|extra|community|multilib|chaotic-aur"
    r"|aur)/)?(?P<name>[a-z0-9@_][\w@.+-]{1,100}) "
    r"(?P<version>(?:\d+:)?[\w.+]{1,60}-\d{1,4}(?:\.\d{1,3})?)(?: \[(?:installed"
    r"|установлен)[^\]]{0,40}\]| \([\w -]{1,60}\))?$"
)
_APK = re.compile(
    r"(?P<name>[a-z0-9][\w.+-]{1,100}?)-(?P<version>\d[\w.+]{0,60}-r\d{1,4})(?: (?:x86_64"
    r"|aarch64|armv7|x86) .*| - .*|\s+<.*)?$"
)
_PIP_FREEZE = re.compile(
    r"(?P<name>[A-Za-z0-9][\w.-]{1,80})==(?P<version>\d[\w.+!-]{0,60})(?:\s*[;#\\].*)?$"
)
_TWO_COLUMNS = re.compile(
    r"(?P<name>[A-Za-z0-9_][\w.+-]{0,80})\s+(?P<version>\d[\w.+!-]{0,60})(?:\s+(?P<build>"
    r"\S{1,80}))?(?:\s+(?P<origin>\S{1,120}))?$"
)
_PORTAGE = re.compile(
    r"(?:\[(?:ebuild|binary|IP-|I--|ip-)[^\]]{0,30}\] +|\* +|=)?(?P<name>(?:dev|media|x11"
    r"|sys|app|virtual|sci|net)-[a-z]+/[a-z][\w+-]*?)-(?P<version>\d[\w.]*(?:-r\d{1,3})?)("
    r"?=$|[\s:])"
)
_NIX = re.compile(
    r"(?:/nix/store/[a-z0-9]{32}-)(?P<name>[A-Za-z][\w+-]*?)-(?P<version>\d[\w.+-]*?)(?:-("
    r"?:lib|bin|dev|drivers|out|man))?(?:/\S*)?$"
)
_STATES = {
    "i": "installed", "U": "unpacked", "F": "half-configured", "H": "half-installed",
    "W": "installed", "t": "installed",
}  # fmt: skip
_PIP_HEADS = re.compile(
    r"(?:Package +Version(?: .*)?|-{3,} -{3,}.*|# (?:packages in environment|Name +Version).*|#)$"
)


class _Listed(msgspec.Struct):
    """A line of a list: the package, unless it is not installed."""

    package: Package | None


def read_packages(paste: Paste) -> Iterator[Reading]:
    """Give the packages of each manager's lists, those asked under one circumstance together."""
    for manager, parse in _MANAGERS.items():
        lists: dict[Context, list[tuple[int, Package | None]]] = {}
        for index, line in paste.free():
            context = paste.contexts[index]
            if (found := parse(line, context.command)) is not None:
                lists.setdefault(context, []).append((index, found.package))
        for entries in lists.values():
            yield _reading(manager, entries, paste)


def _reading(manager: str, entries: list[tuple[int, Package | None]], paste: Paste) -> Reading:
    found = [package for _, package in entries if package is not None]
    unique = {(one.name, str(one.architecture)): one for one in found if _MATTERS.search(one.name)}
    is_system = manager in ("dpkg", "rpm", "pacman", "apk") and len(found) >= _WHOLE_SYSTEM
    command = paste.contexts[entries[0][0]].command
    return Reading(
        lines=tuple(index for index, _ in entries),
        facts=Snapshot(packages=tuple(unique.values())) if unique else Snapshot(),
        whole=("packages",) if is_system and "grep" not in command else (),
    )


def _dpkg(line: str, command: str) -> _Listed | None:
    found = _DPKG.match(line)
    if found is not None:
        state = _STATES.get(found["state"][1])
        if state is None or found["version"] == "<none>":
            return _Listed(None)  # known to dpkg, but not installed
        architecture = found["arch2"] or found["arch"]
        return _package(found, "dpkg", state=state, architecture=architecture or NOT_STATED)
    if _DPKG_HEAD.match(line):
        return _Listed(None)
    listed = _APT_LIST.match(line)
    if listed is not None:
        return _from_apt_list(listed)
    if command.startswith(("dpkg-query", "dpkg -W")) and (pair := _TWO_COLUMNS.match(line)):
        return _package(pair, "dpkg")
    return None


def _from_apt_list(found: re.Match[str]) -> _Listed:
    note = found["note"] or ""
    if note.startswith("upgradable from: "):
        version = note.partition(": ")[2]
        return _Listed(
            Package(
                name=found["name"],
                version=version,
                manager="dpkg",
                architecture=found["arch"],
                state="installed",
            )
        )
    if not note.startswith(("installed", "residual-config")) or note.startswith("residual"):
        return _Listed(None)
    origin = "by hand" if "local" in note else NOT_STATED
    return _package(found, "dpkg", state="installed", architecture=found["arch"], origin=origin)


def _rpm(line: str, command: str) -> _Listed | None:  # noqa: ARG001 - all have one signature
    found = _RPM.match(line)
    if found is not None:
        return _package(found, "rpm", architecture=found["arch"])
    found = _DNF.match(line)
    if found is not None:
        if not found["origin"].startswith("@") and "installed" not in found["origin"]:
            return _Listed(None)  # offered by a repository only
        return _package(
            found, "rpm", architecture=found["arch"], origin=found["origin"].lstrip("@")
        )
    found = _ZYPPER.match(line)
    return _package(found, "rpm") if found is not None and found["state"] != "v" else None


def _pacman(line: str, command: str) -> _Listed | None:
    found = _PACMAN.match(line)
    if found is None:
        return None
    if found["repo"] not in (None, "local") and "[" not in line:
        return _Listed(None)  # a search result that is not installed
    is_sure = found["repo"] or command.startswith("pacman") or "-" in found["version"][-4:]
    return _package(found, "pacman") if is_sure and found["version"][0].isalnum() else None


def _apk(line: str, command: str) -> _Listed | None:  # noqa: ARG001
    found = _APK.match(line)
    return _package(found, "apk") if found is not None else None


def _pip(line: str, command: str) -> _Listed | None:
    found = _PIP_FREEZE.match(line)
    if found is None and re.match(r"(?:python\S* -m )?pip3? (?:list|show)|uv pip list", command):
        found = _TWO_COLUMNS.match(line)
        if found is None and _PIP_HEADS.match(line):
            return _Listed(None)
    return _package(found, "pip") if found is not None else None


def _conda(line: str, command: str) -> _Listed | None:
    if not re.match(r"(?:conda|mamba|micromamba) list", command):
        return None
    if _PIP_HEADS.match(line) or line.startswith("#"):
        return _Listed(None)
    found = _TWO_COLUMNS.match(line)
    return _package(found, "conda", origin=found["origin"] or NOT_STATED) if found else None


def _portage(line: str, command: str) -> _Listed | None:  # noqa: ARG001
    found = _PORTAGE.match(line)
    return _package(found, "portage") if found is not None else None


def _nix(line: str, command: str) -> _Listed | None:
    found = _NIX.match(line)
    if found is None and command.startswith("nix"):
        found = re.match(r"(?P<name>[a-z][\w+-]*?)-(?P<version>\d[\w.+]*)$", line)
    return _package(found, "nix") if found is not None else None


def _package(found: re.Match[str], manager: str, **more: object) -> _Listed:
    name = found["name"]
    changes = {key: value for key, value in more.items() if value is not None}
    package = Package(name=name, version=found["version"], manager=manager)
    return _Listed(msgspec.structs.replace(package, **changes))


_MANAGERS: dict[str, Callable[[str, str], _Listed | None]] = {
    "dpkg": _dpkg,
    "rpm": _rpm,
    "conda": _conda,
    "pip": _pip,
    "apk": _apk,
    "nix": _nix,
    "portage": _portage,
    "pacman": _pacman,
}
