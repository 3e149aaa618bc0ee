# SPDX-License-Identifier: MIT
"""Reads lspci's output in its many forms: -nn, -k, -v, -n, -mm, -vmm, whole or grep'ed."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.reading import Paste, Reading

MOST_GPUS = 64
_WHOLE_BUS = 8
"""From so many functions on, host bridge among them, a listing is taken as the whole bus."""
_FORMS = Forms("lspci")


class _Function(msgspec.Struct):
    """A PCI function with its lines, while they are gathered."""

    lines: list[int]
    gpu: Gpu | None
    has_details: bool = False
    is_complete: bool = False


def read_lspci(paste: Paste) -> Iterator[Reading]:
    """Give the GPUs of each lspci listing; other functions are understood and passed over."""
    for functions in _listings(paste):
        _settle_drivers(functions, paste)
        gpus = tuple(one.gpu for one in functions if one.gpu is not None)[:MOST_GPUS]
        lines = tuple(index for one in functions for index in one.lines)
        is_whole = _is_whole(functions, paste)
        facts = Snapshot(gpus=gpus) if gpus or is_whole else Snapshot()
        yield Reading(lines=lines, facts=facts, whole=("gpus",) if is_whole else ())


def _listings(paste: Paste) -> Iterator[list[_Function]]:
    """Give runs of functions; a line that is neither header nor detail ends a run."""
    functions: list[_Function] = []
    previous = -1
    for index, line in paste.free():
        header = _header(line)
        is_near = functions and index - previous <= 3
        if header is not None:
            if functions and (not is_near or header[0] in _seen(functions)):
                yield functions
                functions = []
            functions.append(_Function(lines=[index], gpu=header[1]))
            if len(functions) > 1 and index - previous == 1:
                functions[-2].is_complete = True
            previous = index
        elif is_near and (_FORMS.detail.match(line) or line == "--"):
            _add_detail(functions[-1], index, line)
            previous = index
    if functions:
        yield functions
    yield from _part_blocks(paste)


def _seen(functions: list[_Function]) -> set[str]:
    # Only GPUs matter; looking at the last ones keeps a long listing linear.
    return {
        one.gpu.pci_address
        for one in functions[-MOST_GPUS:]
        if one.gpu is not None and isinstance(one.gpu.pci_address, str)
    }


def _header(line: str) -> tuple[str, Gpu | None] | None:
    found = _FORMS.header.match(line)
    if found is None:
        return ("", function_of(line)) if _FORMS.bare.match(line) else None
    address = _address(found["address"])
    gpu = function_of(found["rest"])
    if gpu is None:
        return None
    return address, (msgspec.structs.replace(gpu, pci_address=address) if gpu.pci_class else None)


def function_of(text: str) -> Gpu | None:
    """Return what follows a PCI address as a GPU; its class is "" where it is no display."""
    numeric = _FORMS.numeric.match(text)
    if numeric is not None:
        return _gpu(numeric["code"], "", numeric["id"].lower(), NOT_STATED)
    quoted = _FORMS.quoted.findall(text)
    if len(quoted) >= 3:
        code, vendor, device = (_FORMS.code.search(part) for part in quoted[:3])
        pci_id = f"{vendor[1]}:{device[1]}".lower() if vendor and device else NOT_STATED
        kind, maker, name = (re.sub(r" ?\[[0-9a-f]{4}\]$", "", part) for part in quoted[:3])
        return _gpu(code[1] if code else "", kind, pci_id, f"{maker} {name}")
    named = _FORMS.named.match(text)
    if named is None:
        return None
    ids = _FORMS.id.findall(named["name"])
    name = _FORMS.tail.sub("", named["name"]).strip()
    return _gpu(named["code"] or "", named["class"], ids[-1].lower() if ids else NOT_STATED, name)


def _gpu(code: str, kind: str, pci_id: Fact[str], name: Fact[str]) -> Gpu:
    pci_class = f"0x{code}00" if code else _FORMS.tables["classes"].get(kind.lower(), "")
    is_display = pci_class.startswith("0x03")
    return Gpu(pci_class=pci_class if is_display else "", pci_id=pci_id, name=name)


def _address(text: str) -> str:
    text = text.lower()
    return text if text.count(":") == 2 else f"0000:{text}"


def _add_detail(function: _Function, index: int, line: str) -> None:
    function.lines.append(index)
    key, _, value = line.partition(": ")
    function.has_details = function.has_details or key in ("Kernel driver in use", "Kernel modules")
    gpu = function.gpu
    if gpu is None:
        return
    if key == "Kernel driver in use":
        function.gpu = msgspec.structs.replace(gpu, kernel_driver=value.strip())
    elif key == "Kernel modules":
        modules = tuple(value.replace(",", " ").split())
        function.gpu = msgspec.structs.replace(gpu, kernel_modules=modules)
        if gpu.kernel_driver == NOT_STATED:
            # lspci names the driver before the modules: modules alone mean that none is bound.
            function.gpu = msgspec.structs.replace(function.gpu, kernel_driver=None)
    elif (size := _window(line)) and size > _known(gpu.memory_bar_bytes):
        function.gpu = msgspec.structs.replace(gpu, memory_bar_bytes=size)


def _window(line: str) -> int:
    found = (
        _FORMS.size.search(line) if "emory at" in line and "non-prefetchable" not in line else None
    )
    factor = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
    return int(found[1][:9]) << factor[found[2]] if found else 0


def _known(value: object) -> int:
    return value if isinstance(value, int) else 0


def _settle_drivers(functions: list[_Function], paste: Paste) -> None:
    """Where lspci showed drivers, a function without one has none, if we see all its lines."""
    command = paste.contexts[functions[0].lines[0]].command
    if "grep" in command or not any(one.has_details for one in functions):
        return
    for one in functions:
        shown = one.gpu is not None and one.is_complete and not one.has_details
        if shown and one.gpu is not None and len(one.lines) < 60:
            one.gpu = msgspec.structs.replace(one.gpu, kernel_driver=None, kernel_modules=())


def _is_whole(functions: list[_Function], paste: Paste) -> bool:
    command = paste.contexts[functions[0].lines[0]].command
    if re.search(r"(?i)grep.*vga.*3d.*display|-d ?::03", command):
        return True  # what such a filter lets through are all displays
    if "grep" in command or " -s" in command or " -d" in command:
        return False
    others = sum(one.gpu is None for one in functions)
    bridge = any("ridge" in paste.lines[one.lines[0]] for one in functions)
    enough = 3 if re.fullmatch(r"lspci(?: -[a-z]+)*", command) else _WHOLE_BUS - 2
    return bridge and others >= enough


def _part_blocks(paste: Paste) -> Iterator[list[_Function]]:
    """Give the functions of `lspci -vmm`: one part a line, a slot first."""
    parts: dict[str, str] = {}
    lines: list[int] = []
    for index, line in paste.free():
        found = _FORMS.parts.match(line)
        if found is not None and (found[1] == "Slot" or (parts and index - lines[-1] == 1)):
            if found[1] == "Slot" and parts:
                yield [_Function(lines=lines, gpu=_from_parts(parts))]
                parts, lines = {}, []
            parts[found[1]] = found[2]
            lines = [*lines, index] if len(lines) < 40 else lines
    if len(parts) > 2:
        yield [_Function(lines=lines, gpu=_from_parts(parts))]


def _from_parts(parts: dict[str, str]) -> Gpu | None:
    if not _FORMS.header.match(f"{parts.get('Slot', '')} x"):
        return None
    text = '"{Class}" "{Vendor}" "{Device}"'.format_map(
        {"Class": "", "Vendor": "", "Device": "", **parts}
    )
    gpu = function_of(text)
    if gpu is None or not gpu.pci_class:
        return None
    driver = parts.get("Driver", NOT_STATED)
    return msgspec.structs.replace(gpu, pci_address=_address(parts["Slot"]), kernel_driver=driver)
