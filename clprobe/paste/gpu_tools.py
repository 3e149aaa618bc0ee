# SPDX-License-Identifier: MIT
"""Reads tools of other interfaces to GPUs: nvidia-smi, rocminfo, vulkaninfo, glxinfo."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, System
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("gpu_tools")
_MOST_NAMED = 16
_VENDOR_WORDS = (("intel", "8086"), ("amd", "1002"), ("radeon", "1002"), ("nvidia", "10de"))


def read_ids_in_names(paste: Paste) -> Iterator[Reading]:
    """Give GPUs of Intel by the ids that stand behind their names in any program's output."""
    given: set[str] = set()
    for _, line in paste.free():
        for found in _FORMS.id_behind_name.finditer(line) if "[0x" in line else ():
            pci_id = f"8086:{found['id'].lower()}"
            if pci_id not in given and len(given) < _MOST_NAMED:
                given.add(pci_id)
                name = " ".join(found["name"].replace("(R)", "").split())
                yield Reading(lines=(), facts=Snapshot(gpus=(Gpu(pci_id=pci_id, name=name),)))


def read_nvidia_smi(paste: Paste) -> Iterator[Reading]:
    """Give NVIDIA's driver version and GPUs."""
    table = -10
    for index, line in paste.free():
        if head := _FORMS.smi.match(line):
            table = index
            linux = Linux(module_versions={"nvidia": head["driver"]})
            yield Reading(lines=(index,), facts=Snapshot(system=System(linux=linux)))
        elif gpu := _FORMS.smi_gpu.match(line):
            table = index
            address = gpu["address"].lower()[4:]
            found = Gpu(pci_address=address, name=gpu["name"].strip(), kernel_driver="nvidia")
            yield Reading(lines=(index,), facts=Snapshot(gpus=(found,)))
        elif "UUID" in line and (listed := _FORMS.smi_list.match(line)):
            yield Reading(lines=(index,), facts=Snapshot(gpus=(Gpu(name=listed["name"]),)))
        elif _FORMS.frame.match(line) and (
            (table >= 0 and index - table < 40) or "nvidia-smi" in paste.contexts[index].command
        ):
            yield Reading(lines=(index,), facts=Snapshot())


def read_rocm(paste: Paste) -> Iterator[Reading]:
    """Give the marketing names of the GPU agents of rocminfo."""
    agent: dict[str, str] = {}
    for index, line in paste.free():
        if "rocminfo" not in paste.contexts[index].command:
            continue
        found = _FORMS.rocm.match(line)
        if found is None:
            continue
        key, value = found["key"], (found["value"] or "").strip()
        agent = (
            {}
            if line.startswith("Agent ")
            else {**agent, key: value}
            if key in ("Marketing Name", "Name")
            else agent
        )
        is_gpu = key == "Device Type" and value == "GPU"
        name = agent.get("Marketing Name") or agent.get("Name") or NOT_STATED
        facts = Snapshot(gpus=(Gpu(name=name, kernel_driver="amdgpu"),)) if is_gpu else Snapshot()
        yield Reading(lines=(index,), facts=facts)


def read_graphics(paste: Paste) -> Iterator[Reading]:
    """Give the GPUs of vulkaninfo and glxinfo."""
    vulkan: dict[str, str] = {}
    for index, line in paste.free():
        command = paste.contexts[index].command
        entry, glx = _FORMS.vulkan.match(line), _FORMS.glx.match(line)
        if entry is not None:
            vulkan = {
                **({} if entry["key"] == "apiVersion" else vulkan),
                entry["key"]: entry["value"],
            }
            facts = _vulkan(vulkan) if entry["key"] == "deviceName" else Snapshot()
            yield Reading(lines=(index,), facts=facts)
        elif glx is not None and (
            command.startswith("glxinfo")
            or line.startswith("OpenGL ")
            or _FORMS.hex_id.search(line)
        ):
            yield Reading(lines=(index,), facts=_glx(glx["key"], glx["value"]))
        elif _FORMS.vulkan_frame.match(line) and command.startswith("vulkaninfo"):
            yield Reading(lines=(index,), facts=Snapshot())


def _vulkan(parts: dict[str, str]) -> Snapshot:
    if "CPU" in parts.get("deviceType", "") or "llvmpipe" in parts["deviceName"]:
        return Snapshot()
    ids = [parts.get(key, "") for key in ("vendorID", "deviceID")]
    known = all(re.fullmatch(r"0x[0-9a-f]{4}", one) for one in ids)
    pci_id = ":".join(one[2:] for one in ids) if known else NOT_STATED
    return Snapshot(gpus=(Gpu(name=parts["deviceName"], pci_id=pci_id),))


def _glx(key: str, value: str) -> Snapshot:
    if key not in ("Device", "OpenGL renderer string") or _FORMS.no_gpu.search(value):
        return Snapshot()
    found = _FORMS.hex_id.search(value)
    name = _FORMS.hex_id.sub("", value).strip()
    vendor = next((number for word, number in _VENDOR_WORDS if word in value.lower()), None)
    if not name or vendor is None:
        return Snapshot()
    gpu = Gpu(name=re.sub(r"^Mesa(?: DRI)? ", "", name))
    if found is not None:
        gpu = msgspec.structs.replace(gpu, pci_id=f"{vendor}:{int(found[1], 16):04x}")
    return Snapshot(gpus=(gpu,))
