# SPDX-License-Identifier: MIT
"""Reads tools of other interfaces to GPUs: nvidia-smi, rocminfo, vainfo, vulkaninfo, glxinfo."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, System
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Paste, Reading

_SMI = re.compile(
    r"\| *NVIDIA-SMI +(?P<tool>\d[\d.]{3,20}).{0,80}?Driver Version: (?P<driver>\d[\d.]{3,20})"
)
_SMI_GPU = re.compile(
    r"\| +\d{1,3} +(?P<name>(?:NVIDIA|Tesla|GeForce|Quadro|GRID|RTX|GTX|A\d)[\w "
    r".()-]{0,60}?)(?: {2,}| \.\.\.| +O(?:n|ff)).{0,60}\| "
    r"*(?P<address>[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)"
)
_SMI_LIST = re.compile(r"GPU \d{1,3}: (?P<name>.{3,80}?)(?: \(UUID: .{1,60}\))?$")
_SMI_BAD = re.compile(
    r"Failed to initialize NVML|NVML library version|NVIDIA-SMI has failed|No devices "
    r"were found|Driver/library version mismatch|couldn't communicate with the NVIDIA "
    r"driver"
)
_FRAME = re.compile(r"[+|][-=+|]{10,}[+|]?$|\|.{20,200}\|$")
_ROCM_BAD = re.compile(
    r"ROCk module is NOT loaded|[Uu]nable to open /dev/kfd|hsa api call failure|Failed to "
    r"get user name|is not member of .{1,40}group|HSA_STATUS_ERROR\w*|is member of "
    r".{1,20}group|ROCk module is loaded|ROCk module version"
)
_ROCM = re.compile(
    r"(?:HSA System Attributes|HSA Agents|Agent \d+|\*{4,}.*|={4,}.*|-{10,})$"
    r"|(?P<key>Name|Uuid|Marketing Name|Vendor Name|Feature|Profile|Device Type|Chip ID"
    r"|Node|ISA \d+|Pool \d+|Segment|Size|[A-Z][\w .()/-]{2,40}): +(?P<value>\S.{0,120})?$"
)
_VAINFO = re.compile(
    r"(?:vainfo: .{1,300}|libva (?:info|error): .{1,300}|error: failed to initialize "
    r"display|VAProfile\w+ *: *VAEntrypoint\w+|Trying display: .{1,40})$"
)
_VULKAN = re.compile(
    r"(?P<key>apiVersion|driverVersion|vendorID|deviceID|deviceType|deviceName|driverID"
    r"|driverName|driverInfo|conformanceVersion|deviceUUID|driverUUID)\s+= "
    r"(?P<value>\S.{0,200})$"
)
_VULKAN_FRAME = re.compile(
    r"(?:VULKANINFO|=+|-{5,}|Devices:|GPU\d+:|Vulkan Instance Version: .*|Instance "
    r"(?:Extensions|Layers): count = \d+|VK_[\w]+ .*: extension revision.*)$"
)
_GLX = re.compile(
    r"(?P<key>Device|OpenGL renderer string|OpenGL vendor string|Vendor|Version"
    r"|Accelerated|Video memory|Unified memory|Preferred profile|Max .{3,40} version"
    r"|OpenGL (?:core profile |ES profile |shading language )?.{0,40}string|Extended "
    r"renderer info .{0,60}|direct rendering|name of display|display|Dedicated video "
    r"memory|Currently available dedicated video memory|Total available memory):? "
    r"*(?P<value>.{0,200})$"
)
_HEX_ID = re.compile(r"\(0x([0-9a-fA-F]{3,4})\)\s*$")
_VENDOR_WORDS = (("intel", "8086"), ("amd", "1002"), ("radeon", "1002"), ("nvidia", "10de"))


def read_nvidia_smi(paste: Paste) -> Iterator[Reading]:
    """Give NVIDIA's driver version and GPUs."""
    table = -10
    for index, line in paste.free():
        head, gpu, listed = _SMI.match(line), _SMI_GPU.match(line), _SMI_LIST.match(line)
        if head is not None:
            table = index
            linux = Linux(module_versions={"nvidia": head["driver"]})
            yield Reading(lines=(index,), facts=Snapshot(system=System(linux=linux)))
        elif gpu is not None:
            table = index
            address = gpu["address"].lower()[4:]
            found = Gpu(pci_address=address, name=gpu["name"].strip(), kernel_driver="nvidia")
            yield Reading(lines=(index,), facts=Snapshot(gpus=(found,)))
        elif listed is not None and "UUID" in line:
            yield Reading(lines=(index,), facts=Snapshot(gpus=(Gpu(name=listed["name"]),)))
        elif _SMI_BAD.search(line):
            yield Reading(lines=(index,), facts=Snapshot(messages=(line,)))
        elif _FRAME.match(line) and (
            (table >= 0 and index - table < 40) or "nvidia-smi" in paste.contexts[index].command
        ):
            yield Reading(lines=(index,), facts=Snapshot())


def read_rocm(paste: Paste) -> Iterator[Reading]:
    """Give what rocminfo tells: its errors, and the marketing names of its GPU agents."""
    agent: dict[str, str] = {}
    for index, line in paste.free():
        if _ROCM_BAD.search(line):
            node = re.search(r"[Uu]nable to open /dev/kfd", line)
            denied = re.search(r"(?i)permission denied", line)
            nodes = (
                (DeviceNode(path="/dev/kfd", kind="kfd", open_error="EACCES"),)
                if node and denied
                else NOT_STATED
            )
            yield Reading(
                lines=(index,),
                facts=Snapshot(messages=(line,), device_nodes=nodes),
                private=bool(node),
            )
            continue
        if "rocminfo" not in paste.contexts[index].command:
            continue
        found = _ROCM.match(line)
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
    """Give the GPUs of vulkaninfo and glxinfo, and vainfo's words as messages."""
    vulkan: dict[str, str] = {}
    for index, line in paste.free():
        command = paste.contexts[index].command
        entry, glx = _VULKAN.match(line), _GLX.match(line)
        if entry is not None:
            vulkan = {
                **({} if entry["key"] == "apiVersion" else vulkan),
                entry["key"]: entry["value"],
            }
            facts = _vulkan(vulkan) if entry["key"] == "deviceName" else Snapshot()
            yield Reading(lines=(index,), facts=facts)
        elif _VAINFO.match(line):
            is_profile = line.startswith("VAProfile")
            yield Reading(
                lines=(index,), facts=Snapshot() if is_profile else Snapshot(messages=(line,))
            )
        elif glx is not None and (
            command.startswith("glxinfo") or line.startswith("OpenGL ") or _HEX_ID.search(line)
        ):
            yield Reading(lines=(index,), facts=_glx(glx["key"], glx["value"]))
        elif _VULKAN_FRAME.match(line) and command.startswith("vulkaninfo"):
            yield Reading(lines=(index,), facts=Snapshot())


def _vulkan(parts: dict[str, str]) -> Snapshot:
    if "CPU" in parts.get("deviceType", "") or "llvmpipe" in parts["deviceName"]:
        return Snapshot()
    ids = [parts.get(key, "") for key in ("vendorID", "deviceID")]
    known = all(re.fullmatch(r"0x[0-9a-f]{4}", one) for one in ids)
    pci_id = ":".join(one[2:] for one in ids) if known else NOT_STATED
    return Snapshot(gpus=(Gpu(name=parts["deviceName"], pci_id=pci_id),))


def _glx(key: str, value: str) -> Snapshot:
    if key not in ("Device", "OpenGL renderer string") or re.search(
        r"(?i)llvmpipe|softpipe|swrast|svga3d|virgl|zink", value
    ):
        return Snapshot()
    found = _HEX_ID.search(value)
    name = _HEX_ID.sub("", value).strip()
    vendor = next((number for word, number in _VENDOR_WORDS if word in value.lower()), None)
    if not name or vendor is None:
        return Snapshot()
    gpu = Gpu(name=re.sub(r"^Mesa(?: DRI)? ", "", name))
    if found is not None:
        gpu = msgspec.structs.replace(gpu, pci_id=f"{vendor}:{int(found[1], 16):04x}")
    return Snapshot(gpus=(gpu,))
