# SPDX-License-Identifier: MIT
"""From the devices that a diagnosis found, and torch's own, to those that are measured."""

import importlib.metadata
import importlib.util
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from clprobe.bench.protocol import Target
from clprobe.bench.theoretical import Theoretical
from clprobe.model.finding import DeviceReport
from clprobe.model.measurement import Contestant, ContestantKind

TORCH_DEVICES: dict[ContestantKind, str] = {"torch-xpu": "xpu", "torch-ocl": "ocl"}
"""Torch's names of its devices: its own `xpu`, and pytorch_dlprim's `ocl`."""
_MARKS = re.compile(r"\((?:R|TM|C)\)|\s*\([^()]*\)$|^Mesa ", re.IGNORECASE)
"""What drivers put around the name of a model."""
_ASSIGNED = re.compile(r"""^(\w+)(?:\s*:[^=\n]*)?\s*=\s*['"]([^'"\n]*)['"]""", re.MULTILINE)


def targets_of(
    devices: Sequence[DeviceReport],
    selected: Sequence[DeviceReport],
    data_sheet: Callable[[DeviceReport], Theoretical | None] = lambda _: None,
) -> tuple[Target, ...]:
    """Return the `selected` ones among all `devices`, each device of a real library once.

    Two ICD files may name one library and mean one device. Two libraries that name one device,
    such as two builds of PoCL, are two implementations: both count. `data_sheet` tells what each
    could do.
    """
    wanted = {device.index for device in selected}
    shown: Counter[tuple[object, ...]] = Counter()
    targets: dict[tuple[object, ...], Target] = {}
    for device in devices:
        names = (device.platform, device.name, device.driver_version)
        position = shown[device.icd, names]
        shown[device.icd, names] += 1
        if device.index in wanted and device.library is not None:
            real = str(Path(device.library).resolve())
            targets.setdefault(
                (real, position, names), _target(device, position, data_sheet(device))
            )
    return tuple(targets.values())


def printed(name: str) -> str:
    """Return a name as a line of text, which is how parent and child compare what drivers say."""
    return " ".join("".join(one if one.isprintable() else " " for one in name).split())


def _target(device: DeviceReport, position: int, could_do: Theoretical | None) -> Target:
    platform, name, version = (
        None if text is None else printed(text)
        for text in (device.platform, device.name, device.driver_version)
    )
    implementation = f"{platform or '?'} {version or ''}".rstrip()
    return Target(
        label=f"{device.index}: {name or '?'} ({implementation})",
        library=device.library or "",
        platform=platform,
        name=name,
        driver_version=version,
        position=position,
        theoretical=could_do,
        caveat=_caveat(device),
        short=_short(device),
    )


def _short(device: DeviceReport) -> str:
    """Return what people call it: the model of a GPU, the driver of a processor."""
    names = device.called[1:2]
    if device.type == "cpu" and names:
        # A build's own marks tell nobody anything.
        return f"{names[0]} {printed(device.driver_version or '').partition('+')[0]}".rstrip()
    told = device.marketing_name or device.name or ""
    return " ".join(_MARKS.sub("", printed(told)).split())


def _caveat(device: DeviceReport) -> str:
    """Say where a device works for us alone: we name the processor to a PoCL that knows it not."""
    if device.builds_nothing is None:
        return ""
    return (
        "it computes for clprobe alone, which tells it a name for the processor. In other programs "
        f"{device.builds_nothing}; clprobe explain pocl-too-old-for-cpu"
    )


def rivals(asked: Sequence[str]) -> tuple[tuple[Target, ...], tuple[Contestant, ...]]:
    """Return torch's devices that are installed, and the others with the reason."""
    targets, absent = [], []
    for kind, device_type in TORCH_DEVICES.items():
        if device_type in asked:
            target = Target(label=f"torch {device_type}", kind=kind)
            problem = missing(device_type)
            if problem is None:
                targets.append(target)
            else:
                absent.append(replace(target.contestant, status="unsupported", detail=problem))
    return tuple(targets), tuple(absent)


def missing(device_type: str) -> str | None:
    """Return why torch has no such device, without importing it; None if it may have one."""
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        return "torch is not installed."
    if device_type == "ocl":
        has_plugin = importlib.util.find_spec("pytorch_ocl") is not None
        return None if has_plugin else "pytorch_dlprim (the package pytorch_ocl) is not installed."
    try:
        text = Path(torch.origin).with_name("version.py").read_text(encoding="utf-8")
    except OSError as error:
        return f"torch's version.py cannot be read: {error.strerror}."
    return no_xpu(text)


def no_xpu(version_file: str) -> str | None:
    """Return why a torch of this version.py has no `xpu`; None if it may have one."""
    stated = dict(_ASSIGNED.findall(version_file))
    if stated.get("xpu"):
        return None
    version = stated.get("__version__") or "of unknown version"
    return f"this torch ({version}) was built without XPU."


def installed_version(package: str) -> str | None:
    """Return the version of a package; None where it is absent."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
