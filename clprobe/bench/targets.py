# SPDX-License-Identifier: MIT
"""From the devices that a diagnosis found to those that are measured."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from clprobe.bench.protocol import Target
from clprobe.bench.theoretical import Theoretical
from clprobe.model.finding import DeviceReport


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
    )
