# SPDX-License-Identifier: MIT
"""What one run of a program told so far, and the facts that follow from all of it."""

import re
from itertools import starmap
from typing import Any

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.knowledge.program_table import OF_DEVICES, Means, Program
from clprobe.model.hardware import DeviceNode, Gpu, node_kind
from clprobe.model.opencl import Answer, Device, Framework, Outcome, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, Package, System
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

_FORMS = Forms("programs")
_LONGEST_PRINTED = 8000
_MOST_PLATFORMS = 60
_LAST_BUS = 255
_MOST_DEVICES = 200
_PLATFORM_NOT_FOUND = -1001
_LOADER = "libOpenCL.so.1"
_NUMBERS = ("compute_units", "max_clock_mhz", "global_memory_bytes", "max_allocation_bytes")
_IN_MIB = {"global_memory_mib": "global_memory_bytes", "max_allocation_mib": "max_allocation_bytes"}
_RANKS: tuple[Outcome, ...] = ("crash", "hang", "error", "no-devices", "ok")
"""What a program says to have ended with, the worst first: it tells more than the others."""


class Account:
    """The account that a program gives of OpenCL, line by line."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[int] = []
        self.taken: list[int] = []
        self.idle: list[int] = []
        self._platforms: list[tuple[dict[str, str], list[dict[str, str]]]] = []
        self._current: dict[str, str] | None = None
        self._outcomes: set[Outcome] = set()
        self._codes: list[int] = []
        self._said: dict[str, None] = {}
        self._leaves_out = False
        self._skipped: list[dict[str, str]] = []
        self._partial: set[str] = set()
        self._facts: list[Snapshot] = []
        self.version: str | None = None
        self._no_platform = self._no_loader = False
        self._is_aside = False
        self._named: dict[str, list[dict[str, str]]] = {}
        self._count = 0
        self._signal: str | None = None

    def add(self, found: re.Match[str], means: Means, text: str) -> None:
        """Take up a line by what its form's groups hold and what it means beside them."""
        groups = {key: value.strip() for key, value in found.groupdict().items() if value}
        self.version = groups.pop("program_version", None) or self.version
        self._describe(groups, means)
        self._end(groups, means)
        self._facts += _facts_beside(groups, means)
        is_answer = means.opens is None and not means.is_chatter and not means.is_message
        tells = means.outcome or means.skips or means.no_platform or means.no_loader
        if means.is_message or (is_answer and (tells or not groups or "code" in groups)):
            self._said.setdefault(text, None)

    def _describe(self, groups: dict[str, str], means: Means) -> None:
        """Open or complete the platform or device that the line is about."""
        if means.opens == "other":
            self._is_aside, self._current = True, {}
        if means.opens == "platform" or "platform" in groups:
            self._open_platform(groups)
            if means.is_partial:
                self._partial.add(groups.get("platform", ""))
        if means.opens == "device" or "device" in groups:
            self._open_device(groups)
        if "of_platform" in groups and not self._is_aside:
            self._move_device(groups["of_platform"])
        self._leaves_out |= means.skips
        if means.skips and "device" in groups and self._current is not None:
            self._skipped.append(self._current)
        if self._current is not None:
            for key in OF_DEVICES:
                if key in groups:
                    self._current.setdefault(key, groups[key])

    def _open_platform(self, groups: dict[str, str]) -> None:
        name = groups.get("platform")
        known = next((one for one in self._platforms if name and one[0].get("name") == name), None)
        self._is_aside = known is None and len(self._platforms) >= _MOST_PLATFORMS
        if self._is_aside:
            self._current = {}
            return
        if known is None:
            known = ({"name": name} if name else {}, [])
        else:
            self._platforms.remove(known)
        self._platforms.append(known)
        self._current = known[0]

    def _open_device(self, groups: dict[str, str]) -> None:
        name, number = groups.get("device", ""), groups.get("number", "")
        same = (
            one for one in self._named.get(name, ()) if number in ("", one.get("number", number))
        )
        known = next(same, None) if name else None
        if known is not None or self._is_aside or self._count >= _MOST_DEVICES:
            self._current = {} if known is None else known
            return
        if not self._platforms:
            self._platforms.append(({}, []))
        self._current = {key: value for key, value in (("name", name), ("number", number)) if value}
        self._platform_of(groups.get("vendor", "")).append(self._current)
        self._named.setdefault(name, []).append(self._current)
        self._count += 1

    def _platform_of(self, vendor: str) -> list[dict[str, str]]:
        """Return the devices of the last platform, or of the one that has the device's vendor.

        Some programs list all platforms, and then all devices.
        """
        last = self._platforms[-1]
        same = (one for one in self._platforms if vendor and one[0].get("vendor") == vendor)
        return (last if last[0].get("vendor") == vendor else next(same, last))[1]

    def _move_device(self, platform: str) -> None:
        """Put the device that was described last under the platform that it turns out to be of."""
        device = self._current
        if not any(one is device for _, devices in self._platforms for one in devices):
            device = None
        for _, devices in self._platforms:
            devices[:] = [one for one in devices if one is not device]
        self._platforms = [one for one in self._platforms if one[0] or one[1]]
        self._open_platform({"platform": platform})
        if device is not None:
            self._platforms[-1][1].append(device)
            self._current = device

    def _end(self, groups: dict[str, str], means: Means) -> None:
        """Note how the program ended, or a part of it."""
        code = means.error_code if means.error_code is not None else _code(groups.get("code", ""))
        if code:
            self._codes.append(code)
            self._outcomes.add(means.outcome or "error")
        elif means.outcome:
            self._outcomes.add(means.outcome)
        self._no_platform |= means.no_platform or code == _PLATFORM_NOT_FOUND
        self._no_loader |= means.no_loader
        self._signal = means.signal or self._signal

    def facts(self, viewer: str) -> tuple[Snapshot, bool]:
        """Return what the run tells as that viewer, and whether it holds only for who ran it."""
        answer = self._answer()
        is_asking = self.program.opencl.uses != "never"
        if not is_asking or (answer == Answer() and not self._no_loader):
            messages = tuple(self._said) or NOT_STATED
            return msgspec.structs.replace(Snapshot(), messages=messages), False
        view = View(
            viewer=viewer,
            version=self.version or NOT_STATED,
            loader=None if self._no_loader else NOT_STATED,
            answer=answer,
        )
        views: tuple[View, ...] = (view,)
        if self._platforms and self._takes_none():
            # What it left out is there all the same, and other programs may take it.
            seen = f"{viewer} before it chose"
            views += (View(viewer=seen, answer=Answer(platforms=self._shown())),)
        return msgspec.structs.replace(Snapshot(), views=views), True

    def beside(self) -> list[Snapshot]:
        """Return the facts about other things than OpenCL's answer: GPUs, nodes, packages."""
        return self._facts

    def _answer(self) -> Answer:
        outcome = next((one for one in _RANKS if one in self._outcomes), None)
        if outcome is None and self._skips_all():
            outcome = "no-devices"
        shown: Fact[tuple[Platform, ...]] = () if self._no_platform else NOT_STATED
        if self._platforms and not self._takes_none():
            shown = self._shown()
        if outcome is None and not self._codes and shown == NOT_STATED and self._signal is None:
            return Answer()
        return Answer(
            outcome=outcome or NOT_STATED,
            error_code=self._codes[0] if self._codes else NOT_STATED,
            platforms=shown,
            signal=self._signal or NOT_STATED,
            printed="\n".join(self._said)[:_LONGEST_PRINTED] or NOT_STATED,
        )

    def _takes_none(self) -> bool:
        """Tell whether the program left out devices and ended without any, or left out each."""
        return self._leaves_out and ("no-devices" in self._outcomes or self._skips_all())

    def _skips_all(self) -> bool:
        devices = [one for _, devices in self._platforms for one in devices]
        return bool(devices) and all(any(one is out for out in self._skipped) for one in devices)

    def _shown(self) -> tuple[Platform, ...]:
        return tuple(starmap(self._platform, self._platforms))

    def _platform(self, texts: dict[str, str], devices: list[dict[str, str]]) -> Platform:
        is_untold = not devices and texts.get("name") in self._partial
        return Platform(
            name=texts.get("name", NOT_STATED),
            vendor=texts.get("vendor", NOT_STATED),
            version=texts.get("version", NOT_STATED),
            devices=NOT_STATED if is_untold else tuple(map(_device, devices)),
        )


def _device(parts: dict[str, str]) -> Device:
    told: dict[str, Any] = {
        key: value
        for key, value in parts.items()
        if key not in ("number", "version", "type", *_NUMBERS, *_IN_MIB)
    }
    for key in _NUMBERS:
        if (value := parts.get(key, "")).isdigit():
            told[key] = int(value[:15])
    for key, name in _IN_MIB.items():
        if (value := parts.get(key, "")).isdigit():
            told[name] = int(value[:9]) << 20
    if (kind := _FORMS.meaning("types", parts.get("type", ""))) is not None:
        told["type"] = kind
    return Device(**told)


def _code(text: str) -> int | None:
    """Return the number of an OpenCL error that is given as a number or by its name."""
    if re.fullmatch(r"-\d{1,5}", text):
        return int(text)
    name = text.upper().removeprefix("CL_").replace(" ", "_")
    number = _FORMS.tables["codes"].get(name)
    return int(number) if number else None


def _facts_beside(groups: dict[str, str], means: Means) -> list[Snapshot]:
    facts = [*_hardware(groups, means), *_software(groups, means)]
    if means.framework is not None:
        framework = Framework(
            name=means.framework,
            built_for=NOT_STATED if means.built_for is None else means.built_for,
            devices=() if means.sees_none else NOT_STATED,
        )
        facts.append(Snapshot(frameworks=(framework,)))
    return facts


def _hardware(groups: dict[str, str], means: Means) -> list[Snapshot]:
    facts = []
    path = groups.get("node", means.node)
    kind = node_kind(path) if path else None
    if path and kind:
        node = DeviceNode(path=path, kind=kind, open_error=means.refuses or NOT_STATED)
        facts.append(Snapshot(device_nodes=(node,)))
    gpu_id, name = groups.get("gpu_id", "").lower(), groups.get("gpu")
    if gpu_id or name:
        gpu = Gpu(
            name=name or NOT_STATED,
            pci_id=gpu_id if re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", gpu_id) else NOT_STATED,
            pci_address=_address(groups.get("gpu_address", "") or _place(groups)),
            kernel_driver=means.driver or NOT_STATED,
        )
        facts.append(Snapshot(gpus=(gpu,)))
    return facts


def _address(text: str) -> str | Unknown:
    """Return a PCI address in Linux's spelling; other programs write 00000000:01:00.0."""
    found = re.fullmatch(r"(?:0000)?([0-9a-f]{4}):([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", text.lower())
    return f"{found[1]}:{found[2]}" if found else NOT_STATED


def _place(groups: dict[str, str]) -> str:
    """Return the PCI address that bus, slot and function are, as decimal numbers."""
    if "bus" not in groups or int(groups["bus"][:4]) > _LAST_BUS:
        return ""
    bus, slot = int(groups["bus"]), int(groups.get("slot", "0")[:2])
    return f"0000:{bus:02x}:{slot:02x}.{groups.get('function', '0')}"


def _software(groups: dict[str, str], means: Means) -> list[Snapshot]:
    facts = []
    if means.module is not None and "module_version" in groups:
        linux = Linux(module_versions={means.module: groups["module_version"]})
        facts.append(Snapshot(system=System(linux=linux)))
    if "package" in groups:
        version = groups.get("package_version", NOT_STATED)
        facts.append(Snapshot(packages=(Package(name=groups["package"], version=version),)))
    if means.lacks == _LOADER:
        facts.append(Snapshot(loaders=()))
    elif means.lacks is not None:
        facts.append(Snapshot(libraries={means.lacks: None}))
    return facts
