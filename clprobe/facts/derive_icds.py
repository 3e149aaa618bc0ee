# SPDX-License-Identifier: MIT
"""Judges each registered ICD: what it is, which version, how it ended and why."""

from msgspec.structs import asdict

from clprobe.compat.known_gpu import vendor_of
from clprobe.facts.facts import IcdFacts
from clprobe.facts.lint import file_fault, library_fault
from clprobe.facts.narrowed import Narrowed, narrowed_by
from clprobe.facts.permissions.nodes import first_closed
from clprobe.facts.runtimes import names_in, version_by_package
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.access import Folder
from clprobe.model.opencl import Answer, Device, Icd, Outcome, Platform
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Fact, Unknown, listed

_SYSTEM_FOLDER = "/etc/OpenCL/vendors"
_OF_THE_SYSTEM = ("/usr/", "/opt/", "/etc/")


def judge_icd(icd: Icd, snapshot: Snapshot, tables: Tables) -> IcdFacts:
    """Return the ICD with everything that its file, library, answer and the tables tell."""
    key = _recognised(icd, tables)
    entry = tables.implementation(key)
    not_recognised = key if isinstance(key, Unknown) else None
    drives: Fact[str | None] = not_recognised
    if entry is not None:
        drives = "gpu" if "gpu" in entry.device_types else "cpu"
    closed = _closed_folder(icd, snapshot)
    version = _version(icd, entry, snapshot)
    narrowed = narrowed_by(entry, snapshot.environment, version)
    if narrowed is None or _outcome(icd.answer, entry) != "no-devices":
        narrowed = Narrowed("", "", "")
    return IcdFacts(
        **asdict(icd),
        closed_folder=closed,
        in_system_folder=closed is not None
        and closed.uid == 0
        and closed.path.startswith(_OF_THE_SYSTEM),
        implementation=key,
        title=entry.name if entry is not None else "an OpenCL driver not in the tables",
        drives=drives,
        vendor=not_recognised if entry is None else vendor_of(entry),
        version=version,
        narrowing_variable=narrowed.variable,
        narrowed_by=narrowed.setting,
        narrowing=narrowed.why,
        file_name=icd.path.rsplit("/", 1)[-1],
        relocated=_relocated(icd),
        is_read=_is_read(icd, snapshot),
        file_fault=file_fault(icd),
        library_fault=library_fault(icd, snapshot.system.cpu.architecture),
        stage=icd.answer.stage,
        outcome=_outcome(icd.answer, entry),
        device_count=_device_count(icd.answer),
        printed_text=printed_text(icd.answer),
    )


def _closed_folder(icd: Icd, snapshot: Snapshot) -> Folder | None:
    denied = ("EACCES", "EPERM")
    access = icd.file_access if icd.open_error in denied else icd.library.access
    return first_closed(access.closed_folders, snapshot.user, snapshot.system)


def printed_text(answer: Answer) -> Fact[str]:
    """Return what the driver printed and the linker said as one text, to search in."""
    parts = [part for part in (answer.printed, answer.message) if isinstance(part, str)]
    if parts:
        return "\n".join(parts)
    return answer.printed if isinstance(answer.printed, Unknown) else ""


def _recognised(icd: Icd, tables: Tables) -> Fact[str | None]:
    library = icd.library.path
    if not isinstance(library, str):
        library = icd.library_name if isinstance(icd.library_name, str) else ""
    platform = next(iter(listed(icd.answer.platforms)), Platform())
    device = next(iter(listed(platform.devices)), Device())
    if not library and not isinstance(platform.name, str):
        if icd.library_name is None:
            return None
        return tables.recognise_file(icd.path) or icd.library_name
    told = (platform.name, platform.version, device.driver_version)
    return tables.recognise(library or None, *told)


def _outcome(answer: Answer, entry: Implementation | None) -> Fact[Outcome | None]:
    if answer.outcome == "error" and entry is not None:
        # Each driver has its own error for "I found no hardware of mine".
        empty_handed = answer.error_code in (*entry.no_device_errors, -1, -1001)
        return "no-devices" if empty_handed else "error"
    if answer.outcome == "ok" and _device_count(answer) == 0:
        return "no-devices"
    return answer.outcome


def _version(icd: Icd, entry: Implementation | None, snapshot: Snapshot) -> Fact[str]:
    for _, device in icd.answer.shown():
        if isinstance(device.driver_version, str):
            return device.driver_version
    owners = {owner for owner in (icd.library.package, icd.package) if isinstance(owner, str)}
    by_owner = version_by_package(owners, snapshot)
    if isinstance(by_owner, str) or entry is None:
        return by_owner
    packages = {one.name for one in listed(snapshot.packages)}
    return version_by_package(names_in(packages, entry), snapshot)


def _relocated(icd: Icd) -> Fact[str | None]:
    """Where a package manager that forgot to rewrite the path must have put the library."""
    prefix, found, _ = icd.path.rpartition("/etc/OpenCL/vendors/")
    if not found or not prefix:
        return None
    if not isinstance(icd.library_name, str):
        return icd.library_name
    return f"{prefix}/lib/{icd.library_name.rsplit('/', 1)[-1]}"


def _is_read(icd: Icd, snapshot: Snapshot) -> Fact[bool]:
    if not isinstance(icd.searched_by, Unknown):
        return bool(icd.searched_by)
    if isinstance(snapshot.loaders, Unknown) or "loaders" in snapshot.excerpts:
        return True if _is_usually_read(icd, snapshot) else icd.searched_by
    # Reports tell which folders a loader opens rather than which files it reads.
    folder = icd.path.rpartition("/")[0]
    for loader in snapshot.loaders:
        if isinstance(loader.icd_folders, Unknown):
            return loader.icd_folders
        if folder in loader.icd_folders:
            return True
    return False if snapshot.loaders else icd.searched_by


def _is_usually_read(icd: Icd, snapshot: Snapshot) -> bool:
    """Whether it lies where every loader looks, and nobody tells of a loader of another kind."""
    environment = snapshot.environment
    sent_elsewhere = (
        isinstance(environment.get("OCL_ICD_VENDORS"), str)
        or isinstance(environment.get("CONDA_PREFIX"), str)
        or snapshot.system.distribution.id == "nixos"
    )
    return icd.path.startswith(f"{_SYSTEM_FOLDER}/") and not sent_elsewhere


def _device_count(answer: Answer) -> Fact[int]:
    if isinstance(answer.platforms, Unknown):
        # A driver that ended before it showed a platform has shown no device.
        return 0 if answer.outcome in ("no-devices", "error") else answer.platforms
    counts = [platform.devices for platform in answer.platforms]
    unknown = next((devices for devices in counts if isinstance(devices, Unknown)), None)
    if unknown is not None:
        return 0 if answer.outcome == "no-devices" else unknown
    return sum(len(devices) for devices in counts if not isinstance(devices, Unknown))
