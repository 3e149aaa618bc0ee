# SPDX-License-Identifier: MIT
"""The values of `key: value` lines: GPUs, packages, nodes, ICDs, libraries, users, logs."""

import re

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, Gpu, node_kind
from clprobe.model.opencl import Icd, Library, Loader
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, Linux, Package, System, User, Virtualization
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.inventories import of_gpu, of_linux
from clprobe.paste.lspci import function_of

_FORMS = Forms("restated")


def linux(value: str) -> Snapshot | None:
    """Return the release of Linux, wherever it stands in the value."""
    told = of_linux(value)
    if told is not None:
        return told
    found = _FORMS.release.search(value) or _FORMS.release_at_end.search(value)
    return Snapshot(system=System(linux=Linux(release=found["release"]))) if found else None


def gpus(value: str) -> Snapshot | None:
    """Return the GPU of a shortened line of lspci, or of a name."""
    driver = _FORMS.driver.search(value)
    plain = _FORMS.rev.sub("", _FORMS.driver.sub("", value)).strip()
    placed = _FORMS.address.match(plain)
    rest = placed["rest"] if placed else plain
    full = function_of(rest)
    if full is not None and full.pci_class:
        gpu = full
    else:
        pci_id = _FORMS.pci_id.search(rest)
        name = _FORMS.display_class.sub("", rest)
        alone = of_gpu(name) if pci_id is None else Snapshot()
        if alone is None or (pci_id is None and placed is None and driver is None):
            return alone
        gpu = Gpu(
            pci_id=pci_id[1].lower() if pci_id else NOT_STATED, name=NOT_STATED if pci_id else name
        )
    if placed is not None:
        address = placed["address"].lower()
        gpu = msgspec.structs.replace(
            gpu, pci_address=address if address.count(":") == 2 else f"0000:{address}"
        )
    if driver is not None:
        bound = None if driver["driver"] == "none" else driver["driver"]
        gpu = msgspec.structs.replace(gpu, kernel_driver=bound)
    return Snapshot(gpus=(gpu,))


def packages(value: str) -> Snapshot | None:
    """Return packages with versions, or what their manager complained about."""
    if _FORMS.trouble.search(value):
        named = _broken(value)
        return Snapshot(package_trouble=value, packages=named or NOT_STATED)
    if _FORMS.legacy.search(value):
        return Snapshot(packages=(Package(name="intel-opencl-icd-legacy1"),))
    if (found := runtime_version(value)) is not None and re.match(r"(?i)neo\b", value):
        return found
    listed = tuple(
        Package(name=one["name"], version=one["version"]) for one in _FORMS.package.finditer(value)
    )
    if listed:
        return Snapshot(packages=listed)
    upgraded = _FORMS.upgraded.match(value)
    if upgraded is not None:
        names = re.findall(r"[a-z][\w+.-]{2,60}", upgraded["names"])
        return Snapshot(
            packages=tuple(Package(name=name, version=upgraded["version"]) for name in names)
        )
    bare = re.fullmatch(r"[a-z][a-z0-9+.-]{2,60}", value)
    return Snapshot(packages=(Package(name=value),)) if bare else None


def _broken(value: str) -> tuple[Package, ...]:
    """Return the packages of "A (1.2) breaks B and is installed; B left unconfigured"."""
    found = _FORMS.breaks.search(value)
    if found is None:
        return ()
    return (
        Package(name=found["one"], version=found["version"], manager="dpkg", state="installed"),
        Package(name=found["other"], manager="dpkg", state="unpacked"),
    )


def runtime_version(value: str) -> Snapshot | None:
    """Return Intel's compute-runtime in the version that the value names."""
    found = _FORMS.neo.search(value)
    if found is None:
        return None
    package = Package(name="intel-opencl-icd", version=found["version"])
    return Snapshot(packages=(package,))


def icd(value: str) -> Snapshot | None:
    """Return the .icd file with what is said of it; one that is said to be absent as missing."""
    inside, absent = _FORMS.icd_inside.search(value), _FORMS.icd_absent.search(value)
    if inside is not None:
        path = f"{inside['folder']}/{inside['name']}"
        return Snapshot(icds=(Icd(path=path, library_name=inside["library"] or NOT_STATED),))
    if absent is not None:
        prefix = absent["folder"].partition("/etc/OpenCL/vendors")[0]
        variables = {"CONDA_PREFIX": prefix} if "conda" in prefix else {}
        return Snapshot(environment=variables)
    found = _FORMS.icd.search(value)
    if found is None:
        return None
    rest = found["rest"]
    mode = re.search(r"\bmode (0?[0-7]{3,4})\b", rest)
    library = re.search(r"(?:->|names) (\S+\.so\S*)", rest)
    facts = Icd(
        path=found["path"],
        file_type="missing" if _FORMS.gone.search(rest) else NOT_STATED,
        file_mode=mode[1].rjust(4, "0") if mode else NOT_STATED,
        library_name=library[1] if library else NOT_STATED,
    )
    return Snapshot(icds=(facts,))


def nodes(value: str) -> Snapshot | None:
    """Return the node with owner, group and mode."""
    if value != "/dev/dri" and _FORMS.no_nodes.fullmatch(value):
        return Snapshot(device_nodes=())
    found = _FORMS.node.match(value)
    if found is None or found["path"] == "/dev/dri":
        return Snapshot() if found is not None else None
    path = found["path"]
    if not path.startswith("/"):
        path = f"/dev/{path}" if path == "kfd" else f"/dev/dri/{path}"
    kind = node_kind(path)
    if kind is None:
        return None
    owners = _FORMS.owners.search(found["rest"])
    if owners is None:
        return Snapshot(device_nodes=(DeviceNode(path=path, kind=kind),))
    group, owner = owners["group"], owners["owner"]
    node = DeviceNode(
        path=path,
        kind=kind,
        owner=None if owner.isdigit() else owner,
        group=None if group.isdigit() else group,
        gid=int(group[:10]) if group.isdigit() else NOT_STATED,
        mode=owners["mode"].rjust(4, "0") if owners["mode"] else NOT_STATED,
    )
    return Snapshot(device_nodes=(node,))


def libraries(value: str) -> Snapshot | None:
    """Return the libraries with their files."""
    found = {one["name"]: one["target"] for one in _FORMS.library.finditer(value)}
    known: dict[str, str | None] = {}
    icds = []
    for name, target in found.items():
        path = (
            name if name.startswith("/") else target if target and target.startswith("/") else None
        )
        if path is not None:
            known[name.rpartition("/")[2]] = path
            if re.search(r"libigdrcl|libintelocl|libamdocl", path):
                icds.append(Icd(path=path, library_name=path, library=Library(path=path)))
    if not known:
        return None
    return Snapshot(
        libraries={name: path for name, path in known.items() if path},
        icds=tuple(icds) or NOT_STATED,
    )


def loader(value: str) -> Snapshot | None:
    """Return the loader by the names that clinfo prints."""
    kind = _FORMS.meaning("loader_kinds", value)
    version = re.search(r"\b(\d\.\d{1,2}(?:\.\d{1,3})?)\b", value)
    if kind is None:
        return None
    stated = version[1] if version else NOT_STATED
    return Snapshot(loaders=(Loader(path="libOpenCL.so.1", kind=kind, version=stated),))


def loader_debug(value: str) -> Snapshot:
    """Return the folder that a loader says it reads, and its error as a message."""
    folder = _FORMS.reads_folder.search(value)
    if folder is None:
        return message(value)
    named = folder["kind"]
    kind = NOT_STATED if named == "loader" else named if named == "ocl-icd" else "khronos"
    told = Loader(path="libOpenCL.so.1", kind=kind, icd_folders=(folder["folder"],))
    return Snapshot(loaders=(told,), messages=(value,))


def identity(value: str) -> Snapshot | None:
    """Return the user and groups of `id`, bare numbers included; or one group that is stated."""
    numbers = _FORMS.identity.match(value)
    if numbers is None:
        if re.match(r"(?:contains |includes |member of )[a-z][\w-]{1,30}", value):
            return Snapshot(messages=(f"groups: {value}",))
        listed = value.split()
        if not all(re.fullmatch(r"[a-z_][\w-]{0,30},?", word) for word in listed):
            return None
        names = tuple(Group(name=word.rstrip(",")) for word in listed)
        return Snapshot(user=User(groups=names))
    groups = tuple(
        Group(gid=int(gid), name=name or NOT_STATED)
        for gid, name in re.findall(r"(\d{1,10})(?:\(([^()]*)\))?", numbers["groups"])[:100]
    )
    return Snapshot(
        user=User(uid=int(numbers["uid"]), name=numbers["name"] or NOT_STATED, groups=groups)
    )


def log(value: str) -> Snapshot:
    """Return the value as lines of the log of Linux, and NVIDIA's mismatch in its own words."""
    differ = _FORMS.mismatch.search(value)
    versions: dict[str, str | Unknown | None] = {}
    if differ is not None:
        client, module = (differ[part].rstrip(".") for part in ("client", "module"))
        versions["nvidia"] = module
        value = (
            f"NVRM: API mismatch: the client has the version {client}, "
            f"but this kernel module has the version {module}"
        )
    return Snapshot(system=System(linux=Linux(log=value, module_versions=versions)))


def environment(value: str) -> Snapshot | None:
    """Return the variable."""
    found = _FORMS.variable.match(value)
    return Snapshot(environment={found["name"]: found["value"].strip("\"'")}) if found else None


def strace(value: str) -> Snapshot | None:
    """Return the nodes that did not open."""
    failed = {found["path"]: found["error"] for found in _FORMS.strace.finditer(value)}
    told = tuple(
        DeviceNode(path=path, kind=node_kind(path) or NOT_STATED, open_error=error)
        for path, error in failed.items()
        if node_kind(path) and error != "ENOENT"
    )
    return Snapshot(device_nodes=told, messages=(value,)) if told else Snapshot(messages=(value,))


def windows_driver(value: str) -> Snapshot | None:
    """Return the version of the display driver of Windows."""
    found = re.search(r"\d{2}\.\d{1,2}\.\d{1,3}\.\d{3,4}", value)
    virtual = Virtualization(windows_driver=found[0] if found else NOT_STATED)
    return Snapshot(system=System(virtualization=virtual)) if found else None


def message(value: str) -> Snapshot:
    """Return the value as a message."""
    return Snapshot(messages=(value,))
