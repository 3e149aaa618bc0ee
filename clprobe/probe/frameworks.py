# SPDX-License-Identifier: MIT
"""PyTorch and what extends it, told by the files of their packages: nothing is imported here."""

import re
from collections.abc import Callable

from msgspec.structs import replace

from clprobe.model.opencl import Framework
from clprobe.model.unknown import NOT_STATED, Unknown, listed
from clprobe.probe.facts import ask, ask_text, ask_unless_absent
from clprobe.probe.host import ChildResult, Host, Pending, Role

PYTORCH = "pytorch"
Frameworks = tuple[Framework, ...] | Unknown
Children = dict[str, tuple[Pending, ...]]
_EXTENSIONS = {
    "pytorch_ocl": "pytorch_dlprim",
    "intel_extension_for_pytorch": "intel-extension-for-pytorch",
}
_BUILT_FOR = {"pytorch_dlprim": ("opencl",), "intel-extension-for-pytorch": ("xpu",)}
_BACKENDS = ("cuda", "hip", "xpu")
_DEVICE_TYPES = {"xpu": "xpu", "cuda": "cuda", "hip": "cuda", "opencl": "ocl"}
_DIST_INFO = re.compile(rf"({'|'.join(_EXTENSIONS)})-([^-]+)\.dist-info", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"^(\w+)\s*(?::[^=\n]*)?=\s*(?:['\"]([^'\"\n]*)['\"]|None)\s*$", re.M)
_NEEDS_TORCH = re.compile(r"^Requires-Dist:\s*torch\s*\(?([<>=~!][^;)\n]*)", re.M)
_TORCH_IN_VERSION = re.compile(r"\+torch(\d+\.\d+)")


def probe_frameworks(host: Host) -> Frameworks:
    """Return the frameworks in this Python; empty if there is none."""
    python = ask(host.python)
    if isinstance(python, Unknown):
        return python
    found: dict[str, Framework] = {}
    for folder in python.package_folders:
        names = ask_unless_absent(host.list_folder, folder)
        if isinstance(names, Unknown):
            return names
        # The first folder counts, as it does for an import.
        if "torch" in (names or ()):
            found.setdefault(PYTORCH, _pytorch(host, folder))
        for match in filter(None, map(_DIST_INFO.fullmatch, names or ())):
            extension = _extension(host, f"{folder}/{match[0]}", match)
            found.setdefault(extension.name, extension)
    return tuple(found.values())


def start_frameworks(frameworks: Frameworks, start: Callable[[Role, str], Pending]) -> Children:
    """Start a child per type of device that each framework may show."""
    return {
        framework.name: tuple(start("torch", kind) for kind in device_types(framework))
        for framework in listed(frameworks)
    }


def finished_frameworks(frameworks: Frameworks, children: Children) -> Frameworks:
    """Return the frameworks with what the children found; those not asked stay as they are."""
    if isinstance(frameworks, Unknown):
        return frameworks
    return tuple(
        with_devices(one, tuple(child.wait() for child in children[one.name]))
        if one.name in children
        else one
        for one in frameworks
    )


def device_types(framework: Framework) -> tuple[str, ...]:
    """Return what PyTorch calls the devices that this build may show."""
    built_for = (name for name in listed(framework.built_for) if name in _DEVICE_TYPES)
    return tuple(dict.fromkeys(_DEVICE_TYPES[name] for name in built_for))


def with_devices(framework: Framework, asked: tuple[ChildResult, ...]) -> Framework:
    """Return the framework with what children found that asked it for devices, a type each."""
    reports = [report for result in asked for report in result.reports]
    devices = [report["torch_device"] for report in reports if "torch_device" in report]
    problems = [_problem(result) for result in asked]
    if not devices and any("torch_end" not in str(result.reports) for result in asked):
        # It did not come as far as an answer: its devices are not known, what ended it is.
        message = next(filter(None, problems), None)
        return replace(framework, devices=Unknown(message or "it gave no answer"), message=message)
    return replace(
        framework,
        devices=tuple(devices),
        message=None if devices else next(filter(None, problems), None),
    )


def _problem(result: ChildResult) -> str | None:
    """Return what kept a child from showing a device."""
    for report in result.reports:
        told = report.get("failed") or (report.get("error") if "torch_end" in report else None)
        if told:
            return str(told)
    if result.damage:
        return f"what it loads damaged the report of its answers ({result.damage})"
    ends = {"timeout": "it did not end in time", "signal": f"signal {result.status} ended it"}
    return ends.get(result.ended) or result.problem or None


def _pytorch(host: Host, folder: str) -> Framework:
    text = ask_text(host.read, f"{folder}/torch/version.py")
    if isinstance(text, Unknown):
        return Framework(name=PYTORCH, version=text, built_for=text, needs=None)
    values = {match[1]: match[2] for match in _ASSIGNMENT.finditer(text)}
    backends = tuple(name for name in _BACKENDS if values.get(name))
    return Framework(
        name=PYTORCH,
        version=values.get("__version__") or Unknown("its version.py does not say"),
        # Releases before 2.3 do not know the word xpu; what they leave out they were not built for.
        built_for=("cpu", *backends),
        needs=None,
    )


def _extension(host: Host, folder: str, match: re.Match[str]) -> Framework:
    name, version = _EXTENSIONS[match[1].lower()], match[2]
    metadata = ask_text(host.read, f"{folder}/METADATA")
    return Framework(
        name=name,
        version=version,
        built_for=_BUILT_FOR[name],
        needs=_needs(name, version, metadata),
    )


def _needs(name: str, version: str, metadata: str | Unknown) -> str | Unknown | None:
    """Return the range of PyTorch that an extension was built against."""
    if isinstance(metadata, str) and (stated := _NEEDS_TORCH.search(metadata)):
        return stated[1].strip()
    if built := _TORCH_IN_VERSION.search(version):
        return _same_minor(built[1])
    if name == "intel-extension-for-pytorch" and (own := re.match(r"\d+\.\d+", version)):
        # Its installation guide: both have the same major and minor number.
        return _same_minor(own[0])
    return metadata if isinstance(metadata, Unknown) else NOT_STATED


def _same_minor(version: str) -> str:
    major, minor = version.split(".")
    return f">={version}, <{major}.{int(minor) + 1}"
