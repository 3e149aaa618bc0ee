# SPDX-License-Identifier: MIT
"""Reads clocks, temperatures and counters that Linux shows under a root folder.

None everywhere: this machine does not say, or does not say it to this user.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_THROTTLING = ("core_throttle_count", "package_throttle_count")
# Sensors of the processor itself, the package before its cores.
_CPU_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")
_PACKAGE_LABELS = ("Package id", "Tctl", "Tdie")
_CPU_ZONES = ("x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc-thermal", "acpitz")
_PLAUSIBLE_C = (1.0, 150.0)
_PACKAGE_ZONE = re.compile(r"intel-rapl:\d+")
_MHZ = re.compile(r"^cpu MHz\s*:\s*([\d.]+)\s*$", re.MULTILINE)
_ENGINE = re.compile(r"^drm-engine-(?!capacity-)\S+:\s*(\d+) ns\s*$", re.MULTILINE)
_CLIENT = re.compile(r"^drm-(?:client-id|pdev):\s*(\S+)", re.MULTILINE)


def cpu_clock_mhz(root: Path = Path("/")) -> float | None:
    """Return the clock of the fastest processor, which is one that computes."""
    khz = list(_numbers(root.glob("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq")))
    if khz:
        return max(khz) / 1e3
    text = text_of(root / "proc/cpuinfo") or ""
    return max((float(one) for one in _MHZ.findall(text)), default=None)


def temperature_c(root: Path = Path("/")) -> float | None:
    """Return the processor's temperature."""
    for milli in (*_sensors(root), *_zones(root)):
        degrees = milli / 1e3
        if _PLAUSIBLE_C[0] <= degrees <= _PLAUSIBLE_C[1]:
            return degrees
    return None


def throttle_count(root: Path = Path("/")) -> int | None:
    """Return how often a processor was slowed down for its heat, since some time in the past."""
    cpus = root / "sys/devices/system/cpu"
    counts = [
        count
        for name in _THROTTLING
        for count in _numbers(cpus.glob(f"cpu[0-9]*/thermal_throttle/{name}"))
    ]
    return int(sum(counts)) if counts else None


def energy_joules(root: Path = Path("/")) -> dict[str, tuple[float, float]]:
    """Return what each processor package has used, and where its counter starts anew.

    **Source** Linux, Documentation/power/powercap/powercap.rst. Only root may read it since 2020.
    """
    counted = {}
    for zone in sorted((root / "sys/class/powercap").glob("intel-rapl:*")):
        used, wraps = (number_in(zone / name) for name in ("energy_uj", "max_energy_range_uj"))
        if _PACKAGE_ZONE.fullmatch(zone.name) and used is not None:
            counted[zone.name] = used / 1e6, (wraps or 0.0) / 1e6
    return counted


class EnergyMeter:
    """Call it for the joules used since it was made; None where this user may not read them."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._last = energy_joules(root)
        self._used = 0.0

    def __call__(self) -> float | None:
        """Return the joules of all packages together."""
        if not self._last:
            return None
        now = energy_joules(self._root)
        for package, (joules, wraps_at) in now.items():
            before = self._last.get(package, (joules, wraps_at))[0]
            # The counter starts anew when it is full.
            self._used += joules - before if joules >= before else joules + wraps_at - before
        self._last = now or self._last
        return self._used


def engine_ns(root: Path = Path("/"), process: str = "self") -> int | None:
    """Return how long the GPU's engines worked for a process.

    **Source** Linux, Documentation/gpu/drm-usage-stats.rst: descriptors of one client repeat its
    counters.
    """
    clients = {}
    for file in sorted((root / "proc" / process / "fdinfo").glob("*")):
        text = text_of(file) or ""
        busy = _ENGINE.findall(text)
        if busy:
            clients[tuple(_CLIENT.findall(text)) or (file.name,)] = sum(map(int, busy))
    return sum(clients.values()) if clients else None


def _sensors(root: Path) -> Iterator[float]:
    """Yield what the processor's own sensors say in thousandths of a degree."""
    inputs = []
    for chip in sorted((root / "sys/class/hwmon").glob("hwmon*")):
        if (text_of(chip / "name") or "").strip() in _CPU_SENSORS:
            inputs += sorted(chip.glob("temp*_input"))
    labels = {
        file: text_of(file.with_name(file.name.replace("_input", "_label"))) or ""
        for file in inputs
    }
    yield from _numbers(
        sorted(inputs, key=lambda file: not labels[file].startswith(_PACKAGE_LABELS))
    )


def _zones(root: Path) -> Iterator[float]:
    zones = {
        (text_of(zone / "type") or "").strip(): zone / "temp"
        for zone in sorted((root / "sys/class/thermal").glob("thermal_zone*"))
    }
    yield from _numbers(zones[kind] for kind in _CPU_ZONES if kind in zones)


def _numbers(files: Iterable[Path]) -> Iterator[float]:
    yield from (value for value in map(number_in, files) if value is not None)


def number_in(file: Path) -> float | None:
    """Return the number that a file holds alone."""
    try:
        return float((text_of(file) or "").strip())
    except ValueError:
        return None


def text_of(file: Path) -> str | None:
    """Return what a file holds."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
