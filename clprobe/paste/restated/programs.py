# SPDX-License-Identifier: MIT
"""What `key: value` lines say that programs saw: platforms, devices, errors, crashes."""

import re

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED

_FORMS = Forms("restated")


class Described:
    """A platform, a device and a test's result that stand on lines of their own."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self._parts: dict[str, str] = {}

    def add(self, key: str, value: str, index: int) -> None:
        """Take up one line."""
        self.lines.append(index)
        self._parts.setdefault(key, value)

    def is_telling(self) -> bool:
        """Tell whether there is a platform or a device at all."""
        return "platform" in self._parts or "device" in self._parts

    def view(self) -> View:
        """Return what was described as one program's view."""
        failed = re.match(r"(?i)fail|wrong", self._parts.get("selftest", ""))
        platform_text = self._parts.get("platform", "")
        parts = [part.strip() for part in self._parts.get("device", "").split(",") if part.strip()]
        named = [part for part in parts if not part.isdigit()]
        inside = next(
            (part.removeprefix("platform ") for part in named if part.startswith("platform ")), ""
        )
        device = Device(
            name=named[0] if named else NOT_STATED,
            type="gpu" if _FORMS.gpu_words.search(self._parts.get("device", "")) else NOT_STATED,
            kernel_result="wrong" if failed else NOT_STATED,
        )
        name = platform_text or inside
        version = f"OpenCL {name}" if "beignet" in name.lower() else NOT_STATED
        if "beignet" in name.lower():
            name = "Intel Gen OCL Driver"
        platform = Platform(
            name=name or NOT_STATED, version=version, devices=(device,) if named else NOT_STATED
        )
        return View(viewer="application", answer=Answer(platforms=(platform,)))


def viewer_of_key(key: str) -> str | None:
    """Return the program that a key stands for; None if it is no program's."""
    bare = re.sub(r" ?\([^)]*\)", "", key).strip()
    return _FORMS.tables["viewers"].get(bare) or _FORMS.tables["viewers"].get(key)


def view_facts(viewer: str, value: str) -> Snapshot | None:
    """Return what the program saw by the words of whoever restated it."""
    answer = answer_of(viewer, value)
    if _FORMS.no_loader.search(value):
        view = View(viewer=viewer, loader=None, answer=Answer(platforms=()))
        return Snapshot(views=(view,), loaders=(), messages=(value,))
    if answer == Answer():
        return Snapshot(messages=(f"{viewer}: {value}",))
    return Snapshot(views=(View(viewer=viewer, answer=answer),), messages=(f"{viewer}: {value}",))


def answer_of(viewer: str, value: str) -> Answer:
    """Return the answer of OpenCL that the words describe, empty if they describe none."""
    abort = _FORMS.abort.search(value)
    if abort is not None:
        printed = f"Abort was called at {abort['line']} line in file: {abort['file']}"
        return Answer(outcome="crash", signal="SIGABRT", printed=printed)
    end = _FORMS.meaning("ends", value)
    if end is not None:
        return _ENDS[end]
    platforms = _platforms(value)
    if re.search(r"-1001\b|PLATFORM_NOT_FOUND", value):
        return Answer(outcome="error", error_code=-1001, message=value, platforms=())
    if platforms is not None:
        return Answer(platforms=platforms)
    return _failure(viewer, value)


def _failure(viewer: str, value: str) -> Answer:
    """Return how a program failed without naming a platform."""
    if re.search(r"DEVICE_NOT_FOUND|clGetDeviceIDs = -1\b", value):
        return Answer(outcome="error", error_code=-1, message=value)
    if re.search(r"(?i)\bno GPU\b|falls? back to CPU", value) and viewer == "openvino":
        return Answer(outcome="no-devices", message=value)
    if re.search(r"(?i)disabled|preferences", value):
        return Answer(printed=value)
    failed = re.search(r"(?i)\bfail(?:s|ed)\b", value)
    return Answer(outcome="error", message=value) if failed else Answer()


_ENDS = {
    "abort": Answer(outcome="crash", signal="SIGABRT"),
    "hang": Answer(outcome="hang"),
    "segfault": Answer(outcome="crash", signal="SIGSEGV"),
}


def _platforms(value: str) -> tuple[Platform, ...] | None:
    counted = _FORMS.number.search(value)
    if counted is not None and (counted["zero"] or counted["count"] == "0"):
        return ()
    named = _FORMS.platform.search(value)
    none = _FORMS.devices.search(value)
    listed = [
        found["name"]
        for found in (*_FORMS.numbered.finditer(value), *_FORMS.device_listed.finditer(value))
    ]
    devices = tuple(Device(name=name.strip(), type="gpu") for name in listed)
    if named is not None and "platforms" not in named[0]:
        platform = Platform(
            name=named["name"].strip(),
            vendor=named["vendor"] or NOT_STATED,
            version=(named["version"] or "").strip() or NOT_STATED,
            devices=() if none else devices or NOT_STATED,
            devices_error=-1 if "clGetDeviceIDs = -1" in value else NOT_STATED,
        )
        return (platform,)
    if devices:
        return tuple(Platform(devices=(device,)) for device in devices)
    if re.search(r"(?i)\bGPU (?:is )?(?:found|shown|listed|there|detected)\b", value):
        return (Platform(devices=(Device(type="gpu"),)),)
    return None
