# SPDX-License-Identifier: MIT
"""Facts of a platform or device from the texts that clinfo printed: as the live probe gives them.

One difference: clinfo's text formats drop bit 7 of the half and double precision configuration.
"""

import re
from collections.abc import Callable
from typing import TypeVar

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Device
from clprobe.model.unknown import NOT_STATED, Fact, Unknown
from clprobe.paste.clinfo.blocks import FLAGS, Texts

_T = TypeVar("_T")
_FORMS = Forms("clinfo")
_FAILED = re.compile(r"<[^<>]{1,300}\berror (-?\d{1,9})>")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]{1,16})\b|([0-9a-fA-F]{1,8})h\b|(\d{1,20})")
_PCI_ADDRESS = re.compile(r"\b([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])\b")
_AMD_TOPOLOGY = re.compile(r"PCI\[ ?B#(-?\d{1,3}), ?D#(\d{1,3}), ?F#(\d{1,2})")
_TYPES = (("GPU", 1 << 2, "gpu"), ("CPU", 1 << 1, "cpu"), ("ACCELERATOR", 1 << 3, "accelerator"),
          ("CUSTOM", 1 << 4, "custom"))  # fmt: skip
_MEMORY_TYPES = {"local": "local", "scratchpad": "local", "global": "global", "none": "none"}
_YES, _NO = ("yes", "cl_true", "true", "1"), ("no", "cl_false", "false", "0")
_NOTHING = ("(n/a)", "n/a")
_CUT = Unknown("clinfo printed an error here, and the text is cut")
_ODD = Unknown("what clinfo printed here could not be read")
_PCI_EXTENSIONS = (
    "cl_khr_pci_bus_info", "cl_nv_device_attribute_query", "cl_amd_device_attribute_query",
)  # fmt: skip


def device_of(texts: Texts) -> Device:
    """Return the device; what was not printed is not stated."""
    extensions = _as(texts, "EXTENSIONS", _words)
    return Device(
        name=_as(texts, "NAME", text_of),
        type=_as(texts, "TYPE", _type),
        vendor=_as(texts, "VENDOR", text_of),
        vendor_id=_as(texts, "VENDOR_ID", _number),
        driver_version=value_of(texts, "CL_DRIVER_VERSION", text_of),
        opencl_version=_as(texts, "VERSION", text_of),
        opencl_c_version=_as(texts, "OPENCL_C_VERSION", text_of),
        pci_address=_pci_address(texts, extensions),
        device_id=_device_id(texts, extensions),
        ip_version=_offered(
            texts, "IP_VERSION_INTEL", "cl_intel_device_attribute_query", extensions
        ),
        compute_units=_as(texts, "MAX_COMPUTE_UNITS", _number),
        max_clock_mhz=_as(texts, "MAX_CLOCK_FREQUENCY", _number),
        max_work_group_size=_as(texts, "MAX_WORK_GROUP_SIZE", _number),
        sub_group_sizes=_sub_group_sizes(texts, extensions),
        local_memory_bytes=_as(texts, "LOCAL_MEM_SIZE", _number),
        local_memory_type=_as(texts, "LOCAL_MEM_TYPE", _memory_type),
        global_memory_bytes=_as(texts, "GLOBAL_MEM_SIZE", _number),
        max_allocation_bytes=_as(texts, "MAX_MEM_ALLOC_SIZE", _number),
        address_bits=_as(texts, "ADDRESS_BITS", _number),
        extensions=extensions,
        half_fp_config=_fp_config(texts, "HALF_FP_CONFIG", "cl_khr_fp16", extensions),
        double_fp_config=_fp_config(texts, "DOUBLE_FP_CONFIG", "cl_khr_fp64", extensions),
        available=_as(texts, "AVAILABLE", _bool),
        compiler_available=_as(texts, "COMPILER_AVAILABLE", _bool),
        image_support=_as(texts, "IMAGE_SUPPORT", _bool),
        max_sub_groups=_as(texts, "MAX_NUM_SUB_GROUPS", _number),
    )


def value_of(texts: Texts, name: str, convert: Callable[[str], Fact[_T]]) -> Fact[_T]:
    """Return a printed value; clinfo's error in its place is Unknown with that error."""
    text = texts.get(name)
    if text is None:
        return NOT_STATED
    if text.startswith("<"):
        failed = _FAILED.match(text)
        if failed:
            return Unknown(f"the query failed with OpenCL error {failed[1]}")
        if " get " in text[:80] or "error" in text[:80]:
            return _CUT
    return convert(text)


def text_of(text: str) -> Fact[str]:
    """Return a text as the driver gave it, but for blanks around it."""
    if text == "(null)":
        return Unknown("clinfo could not read it")
    return "" if text in _NOTHING else text.strip()


def _as(texts: Texts, name: str, convert: Callable[[str], Fact[_T]]) -> Fact[_T]:
    return value_of(texts, f"CL_DEVICE_{name}", convert)


def _words(text: str) -> tuple[str, ...]:
    return () if text in _NOTHING else tuple(text.split())


def _number(text: str) -> Fact[int]:
    found = _NUMBER.match(text.strip())
    if not found:
        return _ODD
    hexadecimal = found[1] or found[2]
    return int(hexadecimal, 16) if hexadecimal else int(found[3])


def _numbers(text: str) -> Fact[tuple[int, ...]]:
    words = text.replace(",", " ").split()
    if not all(word.isdecimal() and len(word) < 20 for word in words):
        return _ODD
    return tuple(int(word) for word in words)


def _bool(text: str) -> Fact[bool]:
    word = text.strip().lower()
    if word in _YES:
        return True
    return False if word in _NO else _ODD


def _type(text: str) -> Fact[str]:
    if text.isdecimal():
        bits = int(text[:20])
        return next(
            (name for _, bit, name in _TYPES if bits & bit), Unknown(f"type bits {bits:#x}")
        )
    words = {word.removeprefix("CL_DEVICE_TYPE_") for word in re.split(r"[\s,|]+", text.upper())}
    return next((name for word, _, name in _TYPES if word in words), Unknown(f"type {text[:80]}"))


def _memory_type(text: str) -> Fact[str]:
    word = text.strip().lower().removeprefix("cl_")
    return _MEMORY_TYPES.get(word, Unknown(f"type {text[:80]}"))


def _offered(
    texts: Texts, name: str, extension: str, extensions: Fact[tuple[str, ...]]
) -> Fact[int | None]:
    """Return an answer that only some drivers offer, None where this one does not offer it."""
    if f"CL_DEVICE_{name}" not in texts and not isinstance(extensions, Unknown):
        return NOT_STATED if extension in extensions else None
    return _as(texts, name, _number)


def _device_id(texts: Texts, extensions: Fact[tuple[str, ...]]) -> Fact[int | None]:
    if "CL_DEVICE_PCIE_ID_AMD" in texts:
        return _as(texts, "PCIE_ID_AMD", _number)
    return _offered(texts, "ID_INTEL", "cl_intel_device_attribute_query", extensions)


def _fp_config(
    texts: Texts, name: str, extension: str, extensions: Fact[tuple[str, ...]]
) -> Fact[int | None]:
    if not isinstance(extensions, Unknown) and extension not in extensions:
        return None
    flags = texts.get(f"CL_DEVICE_{name}{FLAGS}", "")
    if len(flags) >= len(_FORMS.tables["flags"]) - 1:  # double precision has one less
        return sum(1 << bit for bit, flag in enumerate(flags) if flag == "1")
    return _as(texts, name, _fp_bits)


def _fp_bits(text: str) -> Fact[int | None]:
    if text in _NOTHING:
        return None
    if text.startswith("("):  # the extension that offers it; the lines with its bits are missing
        return NOT_STATED
    bits, symbols = 0, list(_FORMS.tables["flags"].values())
    for word in text.replace("|", " ").split():
        if word in symbols:
            bits |= 1 << symbols.index(word)
        else:
            number = _number(word)
            if isinstance(number, Unknown):
                return _ODD
            bits |= number
    return bits


def _pci_address(texts: Texts, extensions: Fact[tuple[str, ...]]) -> Fact[str | None]:
    answers = [
        _as(texts, name, _address)
        for name in ("PCI_BUS_INFO_KHR", "TOPOLOGY_NV", "TOPOLOGY_AMD")
        if f"CL_DEVICE_{name}" in texts
    ]
    answers.append(_nvidia_address(texts))
    known = next((answer for answer in answers if isinstance(answer, str)), None)
    if known is not None or len(answers) > 1:
        return known if known is not None else answers[0]
    if isinstance(extensions, Unknown) or any(name in extensions for name in _PCI_EXTENSIONS):
        return NOT_STATED
    return None


def _address(text: str) -> Fact[str]:
    found = _PCI_ADDRESS.search(text[:200].lower())
    if found:
        return f"{int(found[1], 16):04x}:{found[2]}:{found[3]}.{found[4]}"
    amd = _AMD_TOPOLOGY.search(text[:200])
    if amd:  # the bus is printed as a signed byte
        return f"0000:{int(amd[1]) & 0xFF:02x}:{int(amd[2]) & 0xFF:02x}.{int(amd[3]) & 7:x}"
    return Unknown("the topology is not a PCI address")


def _nvidia_address(texts: Texts) -> Fact[str]:
    bus, slot = _as(texts, "PCI_BUS_ID_NV", _number), _as(texts, "PCI_SLOT_ID_NV", _number)
    domain = _as(texts, "PCI_DOMAIN_ID_NV", _number)
    if isinstance(bus, Unknown) or isinstance(slot, Unknown):
        return NOT_STATED
    number = 0 if isinstance(domain, Unknown) else domain
    return f"{number:04x}:{bus:02x}:{slot >> 3:02x}.{slot & 7:x}"


def _sub_group_sizes(texts: Texts, extensions: Fact[tuple[str, ...]]) -> Fact[tuple[int, ...]]:
    if "CL_DEVICE_SUB_GROUP_SIZES_INTEL" in texts:
        return _as(texts, "SUB_GROUP_SIZES_INTEL", _numbers)
    for name in ("WARP_SIZE_NV", "WAVEFRONT_WIDTH_AMD"):
        width = _as(texts, name, _number)
        if not isinstance(width, Unknown):
            return (width,)
    if isinstance(extensions, Unknown) or any("attribute_query" in name for name in extensions):
        return NOT_STATED
    if not any("subgroup" in name for name in extensions):
        return ()
    return NOT_STATED
