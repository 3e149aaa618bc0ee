# SPDX-License-Identifier: MIT
"""Reads what inventory programs print: hostnamectl, neofetch, lshw, lsgpu."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Cpu, Linux, System, Virtualization
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.distributions import distribution_named
from clprobe.paste.prose.gpus import models_in
from clprobe.paste.reading import Context, Paste, Reading
from clprobe.paste.systems import cpu_named

_FORMS = Forms("inventories")
_GPUS = Forms("told_gpus")


def fetched(line: str, _: Context) -> Snapshot | None:
    """Return what a line of hostnamectl, neofetch or screenfetch tells."""
    found = _FORMS.fetch.match(line) if ": " in line and len(line) < 300 else None
    if found is None or (found["key"] == "GPU" and _FORMS.address.match(found["value"])):
        return None  # a GPU by its address is a line of lspci, which others read
    key, value = found["key"], found["value"].strip()
    read = {"OS": of_os, "Operating System": of_os, "Kernel": of_linux, "GPU": of_gpu}.get(key)
    if read is not None:
        return read(value)
    if key == "CPU":
        return Snapshot(system=System(cpu=cpu_named(value)))
    if key == "Architecture":
        return Snapshot(system=System(cpu=Cpu(architecture=value.replace("x86-64", "x86_64"))))
    if key == "Virtualization" and value.lower() in _FORMS.words["hypervisors"]:
        return Snapshot(system=System(virtualization=Virtualization(machine=value.lower())))
    return Snapshot() if key not in _FORMS.words["ambiguous"] else None


def of_os(value: str) -> Snapshot | None:
    """Return the facts of an operating system's name; None if it names none that we know."""
    distribution = distribution_named(value)
    if distribution is None:
        return None
    named = msgspec.structs.replace(distribution, name=value)
    architecture = next((word for word in ("x86_64", "aarch64") if word in value), NOT_STATED)
    found = re.search(r"(?i)\bWSL ?([12])?", value)
    wsl = Virtualization(wsl=int(found[1] or 2)) if found else Virtualization()
    cpu = Cpu(architecture=architecture)
    # nix-info's: "Linux 6.1.78, NixOS, 24.05 (Uakari)".
    running = _FORMS.linux_before.match(value)
    linux = Linux(release=running["release"]) if running else Linux()
    return Snapshot(system=System(distribution=named, linux=linux, cpu=cpu, virtualization=wsl))


def of_linux(value: str) -> Snapshot | None:
    """Return the facts of a release of Linux; None if the text is none."""
    found = _FORMS.linux.match(value)
    if found is None:
        return None
    return Snapshot(system=System(linux=Linux(release=found["release"].rstrip("."))))


def of_gpu(value: str) -> Snapshot | None:
    """Return the GPU of that name, or those of several names.

    A PCI id is taken out of the name, and so is what is told beside it.
    """
    pci_id = re.search(r"[\[(]?\b([0-9a-f]{4}:[0-9a-f]{4})\b[\])]?", value, re.I)
    name = re.sub(r"\s*[\[(][0-9a-f]{4}:[0-9a-f]{4}[\])]", "", value, flags=re.I).strip()
    if not _FORMS.gpu.search(value):
        return None
    models = tuple(dict.fromkeys(models_in(value))) if pci_id is None else ()
    if len(models) > 1 and _FORMS.several.search(value):
        return Snapshot(gpus=tuple(Gpu(name=one) for one in models))
    inside = _GPUS.of_soc.search(name) if _GPUS.soc.match(name) else None
    name = inside[0] if inside is not None else _FORMS.beside.split(name)[0]
    gpu = Gpu(pci_id=pci_id[1].lower() if pci_id else NOT_STATED, name=name or NOT_STATED)
    return Snapshot(gpus=(gpu,))


def read_lshw(paste: Paste) -> Iterator[Reading]:
    """Give the displays of `lshw -c video`; UNCLAIMED is a GPU without a kernel driver."""
    gpu: Gpu | None = None
    lines: list[int] = []
    for index, line in paste.free():
        start = _FORMS.lshw_start.match(line)
        if start is not None:
            if gpu is not None:
                yield Reading(lines=tuple(lines), facts=Snapshot(gpus=(gpu,)))
            gpu, lines = None, [index]
            if start["kind"] in ("display", "graphics"):
                unbound = None if start["unclaimed"] else NOT_STATED
                gpu = Gpu(kernel_driver=unbound)
        elif gpu is not None and index - lines[-1] <= 2 and (found := _FORMS.lshw_line.match(line)):
            gpu = _with_lshw(gpu, found["key"], found["value"])
            lines.append(index)
    if gpu is not None:
        yield Reading(lines=tuple(lines), facts=Snapshot(gpus=(gpu,)))


def _with_lshw(gpu: Gpu, key: str, value: str) -> Gpu:
    if key == "product":
        pci_id = re.search(r"\[([0-9a-f]{4}:[0-9a-f]{4})\]", value, re.I)
        name = re.sub(r" *\[[0-9a-f:]{4,9}\]$", "", value, flags=re.I)
        return msgspec.structs.replace(
            gpu, name=name, pci_id=pci_id[1].lower() if pci_id else gpu.pci_id
        )
    if key == "vendor" and isinstance(gpu.name, str):
        maker = re.sub(r" *\[[0-9a-f]{4}\]$", "", value, flags=re.I)
        return msgspec.structs.replace(gpu, name=f"{maker} {gpu.name}")
    if key == "bus info" and value.startswith("pci@"):
        return msgspec.structs.replace(gpu, pci_address=value.removeprefix("pci@").lower())
    if key == "configuration" and (driver := re.search(r"\bdriver=(\S+)", value)):
        return msgspec.structs.replace(gpu, kernel_driver=driver[1])
    return gpu


def of_lsgpu(line: str, _: Context) -> Snapshot | None:
    """Return the node and the GPU on a line of intel-gpu-tools' lsgpu."""
    found = _FORMS.lsgpu.match(line) if "drm:/dev/dri/" in line else None
    if found is None:
        return None
    is_render = found["node"].startswith("renderD")
    node = DeviceNode(path=f"/dev/dri/{found['node']}", kind="render" if is_render else "card")
    pci_id = re.search(r"\b([0-9a-f]{4}:[0-9a-f]{4})\b", found["what"] or "", re.I)
    name = found["what"] or NOT_STATED
    gpu = Gpu(pci_id=pci_id[1].lower()) if pci_id else Gpu(name=name)
    gpus = NOT_STATED if is_render and not pci_id else (gpu,)
    return Snapshot(device_nodes=(node,), gpus=gpus)
