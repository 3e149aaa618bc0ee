# SPDX-License-Identifier: MIT
"""Reads which OpenCL devices programs list: hashcat -I, clpeak, darktable, sycl-ls, OpenVINO."""

import re
from collections.abc import Callable, Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Device, Framework, Outcome, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("programs")
_MOST_GAP = 12
_BUILDS = {"cpu": ("cpu",), "cu": ("cpu", "cuda"), "rocm": ("cpu", "hip"), "xpu": ("cpu", "xpu")}


def read_hashcat(paste: Paste) -> Iterator[Reading]:
    """Give the platforms and devices of `hashcat -I`."""
    yield from _grouped(paste, _is_hashcat, _hashcat_view)


def _is_hashcat(line: str, command: str) -> bool:
    found = _FORMS.hashcat.match(line)
    if found is None:
        return False
    return "hashcat" in command or "...:" in line or "#" in line or "Info:" in line


def _hashcat_view(lines: list[str]) -> View | None:
    platforms: list[tuple[dict[str, str], list[dict[str, str]]]] = []
    in_opencl = False
    for line in lines:
        key, _, value = line.partition(":")
        key, value = key.strip(" ."), value.strip()
        if "Info" in key and line.endswith("Info:"):
            in_opencl = line.startswith("OpenCL")
        elif line.startswith(("OpenCL Platform ID", "Platform ID #")):
            platforms.append(({}, []))
            in_opencl = True
        elif in_opencl and platforms:
            texts, devices = platforms[-1]
            if "Device ID #" in line:
                devices.append({})
            elif devices:
                devices[-1].setdefault(key, value)
            else:
                texts[key] = value
    shown = [
        Platform(
            name=texts.get("Name", NOT_STATED),
            vendor=texts.get("Vendor", NOT_STATED),
            version=texts.get("Version", NOT_STATED),
            devices=tuple(map(_hashcat_device, devices)),
        )
        for texts, devices in platforms
    ]
    return _view("hashcat", shown) if shown else None


def _hashcat_device(parts: dict[str, str]) -> Device:
    number = parts.get("Processor(s)", "")
    return Device(
        name=parts.get("Name", NOT_STATED),
        type=parts.get("Type", "").lower() or NOT_STATED,
        vendor=parts.get("Vendor", NOT_STATED),
        driver_version=parts.get("Driver.Version", NOT_STATED),
        opencl_version=parts.get("OpenCL.Version", NOT_STATED),
        compute_units=int(number[:6]) if number.isdigit() else NOT_STATED,
    )


def read_clpeak(paste: Paste) -> Iterator[Reading]:
    """Give the platforms and devices of clpeak."""
    yield from _grouped(paste, _is_clpeak, _clpeak_view)


def _is_clpeak(line: str, command: str) -> bool:
    if "clpeak" in command:
        return bool(_FORMS.clpeak.match(line) or _FORMS.clpeak_line.match(line))
    return bool(re.match(r"(?:Platform|Device): \S", line) or line.startswith("Driver version  :"))


def _clpeak_view(lines: list[str]) -> View | None:
    platforms: list[tuple[str, list[Device]]] = []
    for line in lines:
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "Platform":
            platforms.append((value, []))
        elif key == "Device" and platforms:
            platforms[-1][1].append(Device(name=value))
        elif key == "Driver version" and platforms and platforms[-1][1]:
            last = platforms[-1][1][-1]
            version = value.split(" ")[0]
            platforms[-1][1][-1] = msgspec.structs.replace(last, driver_version=version)
    shown = [Platform(name=name, devices=tuple(devices)) for name, devices in platforms if devices]
    return _view("clpeak", shown) if shown else None


def read_sycl_ls(paste: Paste) -> Iterator[Reading]:
    """Give the OpenCL devices of sycl-ls; Level Zero's are told as a message."""
    for indexes, listed in paste.runs(lambda line, _: _FORMS.sycl.match(line), most_gap=_MOST_GAP):
        platforms: dict[str, list[Device]] = {}
        for found in listed:
            if found["backend"] == "opencl":
                version = re.search(r"\[([\d.]{4,30})\]$", found["device"])
                name = re.sub(r" (?:OpenCL )?\d\.\d .{0,60}$", "", found["device"])
                kind = {"acc": "accelerator", "fpga": "accelerator"}.get(
                    found["type"], found["type"]
                )
                driver = version[1] if version else NOT_STATED
                device = Device(name=name, type=kind, driver_version=driver)
                platforms.setdefault(found["platform"], []).append(device)
        shown = [Platform(name=name, devices=tuple(own)) for name, own in platforms.items()]
        said = tuple(found.string for found in listed)
        facts = Snapshot(views=(_view("sycl-ls", shown),), messages=said)
        yield Reading(lines=tuple(indexes), facts=facts, private=True)


def read_darktable(paste: Paste) -> Iterator[Reading]:
    """Give what darktable printed about OpenCL, and the devices that it names."""
    for indexes, texts in paste.runs(_those(_is_darktable), most_gap=_MOST_GAP):
        printed = "\n".join(texts)[:8000]
        devices = tuple(_darktable_devices(texts))
        none = _FORMS.darktable_none.search(printed)
        outcome: Fact[Outcome] = "no-devices" if none and not devices else NOT_STATED
        platforms = (Platform(devices=devices),) if devices else NOT_STATED
        answer = Answer(printed=printed, platforms=platforms, outcome=outcome)
        yield Reading(
            lines=tuple(indexes),
            facts=Snapshot(views=(View(viewer="darktable", answer=answer),)),
            private=True,
        )


def _is_darktable(line: str, command: str) -> bool:
    if _FORMS.darktable.match(line):
        return True
    return "darktable" in command and _FORMS.darktable_part.match(line) is not None


def _darktable_devices(texts: list[str]) -> Iterator[Device]:
    for text in texts:
        named = re.search(r"DEVICE: +\d+: '([^']{1,200})'", text) or re.search(
            r"\[opencl_init\] (?:device \d+:?|[*] device \d+) [`'](.{1,200}?)['`]", text
        )
        if named is not None:
            yield Device(name=named[1])


def openvino(line: str, _: Context) -> Snapshot | None:
    """Return the devices of OpenVINO; its GPU plug-in is OpenCL, its CPU plug-in is not."""
    found = _FORMS.openvino.match(line)
    if found is None:
        return None
    names = re.findall(r"'(\w+)[.\d]*'", found["list"])
    devices = tuple(Device(name=name, type=name.lower()) for name in names if name == "GPU")
    shown = [Platform(devices=devices)] if devices else []
    return Snapshot(views=(_view("openvino", shown),))


def read_torch(paste: Paste) -> Iterator[Reading]:
    """Give PyTorch's version and whether it sees a GPU."""
    asked = ""
    for index, line in enumerate(paste.lines):
        text = line.strip().removeprefix(">>> ")
        version, available = _FORMS.torch_version.search(text), _FORMS.torch_asked.search(text)
        bare = re.fullmatch(r"'?(\d\.\d{1,3}\.\d{1,3}[\w.+]{0,30})'?|(True|False)", text)
        if version is not None and paste.is_free(index):
            yield Reading(lines=(index,), facts=_torch(version["version"]))
        elif available is not None and available["answer"]:
            yield _available(index, available["device"], available["answer"])
        elif bare is not None and asked and paste.is_free(index):
            if bare[1] and "version" in asked:
                yield Reading(lines=(index,), facts=_torch(bare[1]))
            elif bare[2] and "is_available" in asked:
                yield _available(index, "xpu" if "xpu" in asked else "cuda", bare[2])
        asked = text if "torch." in text and len(text) < 200 else ""


def _torch(version: str) -> Snapshot:
    local = version.partition("+")[2]
    built = next((names for mark, names in _BUILDS.items() if local.startswith(mark)), None)
    return Snapshot(
        frameworks=(Framework(name="pytorch", version=version, built_for=built or NOT_STATED),)
    )


def _available(index: int, device: str, answer: str) -> Reading:
    devices = (f"{device}:0",) if answer == "True" else ()
    said = f"torch.{device}.is_available() is {answer}"
    framework = Framework(name="pytorch", devices=devices)
    facts = Snapshot(frameworks=(framework,), messages=(said,))
    return Reading(lines=(index,), facts=facts, private=True)


def _view(viewer: str, platforms: list[Platform]) -> View:
    return View(viewer=viewer, answer=Answer(platforms=tuple(platforms)))


def _those(belongs: Callable[[str, str], bool]) -> Callable[[str, str], str | None]:
    """Return what finds the lines, with their command, that belong to a program's output."""
    return lambda line, command: line if belongs(line, command) else None


def _grouped(
    paste: Paste,
    belongs: Callable[[str, str], bool],
    build: Callable[[list[str]], View | None],
) -> Iterator[Reading]:
    for indexes, lines in paste.runs(_those(belongs), most_gap=_MOST_GAP):
        view = build(lines)
        if view is not None:
            yield Reading(lines=tuple(indexes), facts=Snapshot(views=(view,)), private=True)
