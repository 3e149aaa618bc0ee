# SPDX-License-Identifier: MIT
"""What a device could do by its data sheet: units x operations per clock x clock."""

import re
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from clprobe.bench.conditions.readings import number_in, text_of
from clprobe.knowledge.table_types import Generation, GpuEntry
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import DeviceReport
from clprobe.model.measurement import Peak

# A multiply-add counts as two operations.
_FMA = 2
_VECTORS = (
    # flag, floats per vector, vector units
    ("avx512f", 16, 2),
    ("fma", 8, 2),
    ("avx", 8, 1),
    ("asimd", 4, 2),
    ("sse2", 4, 1),
)
_MOST_UNITS = {"avx": 2, "sse2": 2, "asimd": 4}
"""Where some processors have more: a multiplication and an addition at once, or a wide ARM core."""
_MOST_MHZ = 6500.0
"""More than any processor's clock: the Core i9-14900KS, 6200 MHz, is the fastest sold.

**Source** https://www.muycomputer.com/2024/02/13/intel-core-i9-14900ks-especificaciones-del-procesador-mas-potente-de-intel/
"""
_KNOW_BOOST = {"intel_pstate", "intel_cpufreq", "amd-pstate", "amd-pstate-epp"}
"""Those of Linux's drivers whose highest clock includes boost; acpi-cpufreq's does not."""
_STATE_THE_CLOCK = {("compute-runtime",), ("compute-runtime-legacy1",)}
"""Whose highest clock is the GPU's own; Mesa's iris says 400 MHz of any."""
_WITHOUT_FMA = ("avx", "sse2")


@dataclass(frozen=True, slots=True)
class Theoretical:
    """GFLOP/s in single precision, and how they were worked out.

    `bound`: what cannot be exceeded; None where nobody states a clock that holds.
    """

    gflops: float
    how: str
    bound: float | None = None
    bound_how: str = ""


def by_data_sheet(peaks: tuple[Peak, ...], could_do: Theoretical | None) -> tuple[Peak, ...]:
    """Return the peaks, that of arithmetic with what the data sheet says, if it says anything."""
    if could_do is None:
        return peaks
    return tuple(
        replace(
            one,
            theoretical=could_do.gflops,
            how=f"{could_do.how} {one.how}",
            bound=could_do.bound,
            bound_how=could_do.bound_how,
        )
        if one.unit == "GFLOP/s"
        else one
        for one in peaks
    )


def bound_of_cpu(name: str, root: Path = Path("/")) -> tuple[Peak, ...]:
    """Return the bound of a library that computes on this CPU; none where it is not known."""
    could_do = _cpu_peak(root)
    if could_do is None or could_do.bound is None:
        return ()
    known = {"theoretical": could_do.gflops, "how": could_do.how}
    bound = {"bound": could_do.bound, "bound_how": could_do.bound_how}
    return (Peak(device=name, unit="GFLOP/s", **known, **bound),)  # type: ignore[arg-type]


def theoretical_peak(
    device: DeviceReport, tables: Tables, root: Path = Path("/")
) -> Theoretical | None:
    """Return the peak of a device; None where no table knows its units."""
    if device.type is not None and "CPU" in device.type.upper():
        return _cpu_peak(root)
    entry = None if device.pci_id is None else tables.gpu(device.pci_id)
    name = entry.generation if entry is not None else device.generation
    generation = None if name is None else tables.generation(name)
    return gpu_peak(device, entry, generation)


def _cpu_peak(root: Path) -> Theoretical | None:
    folder = root / "sys/devices/system/cpu/cpu0/cpufreq"
    highest_khz = number_in(folder / "cpuinfo_max_freq")
    driver = (text_of(folder / "scaling_driver") or "").strip()
    cpuinfo = text_of(root / "proc/cpuinfo") or ""
    highest = None if highest_khz is None else highest_khz / 1e3
    return cpu_peak(cpuinfo, highest, knows_boost=driver in _KNOW_BOOST)


def gpu_peak(
    device: DeviceReport, entry: GpuEntry | None, generation: Generation | None
) -> Theoretical | None:
    """Return execution units x operations per clock x clock of an Intel GPU."""
    per_clock = None if generation is None else generation.fp32_flops_per_clock_per_eu
    # The driver counts the units of this very chip, the table those of one without flaws.
    units = device.compute_units or (None if entry is None else entry.eus)
    if generation is None or per_clock is None or not units or not device.max_clock_mhz:
        return None
    gflops = units * per_clock * device.max_clock_mhz / 1e3
    # A chip with flaws has fewer units than the table's; no chip has more.
    most = max(units, (entry.eus if entry is not None else None) or 0)
    is_stated = device.called[:1] in _STATE_THE_CLOCK
    return Theoretical(
        gflops,
        f"{units} EUs × {per_clock} FLOP per clock × {device.max_clock_mhz} MHz "
        f"(clprobe explain {generation.generation} names the source).",
        gflops * most / units if is_stated else None,
        f"{most} EUs × {per_clock} FLOP per clock × {device.max_clock_mhz} MHz",
    )


def cpu_peak(
    cpuinfo: str, highest_mhz: float | None, *, knows_boost: bool = False
) -> Theoretical | None:
    """Return cores x vector width x vector units x operations x clock, from /proc/cpuinfo.

    `knows_boost`: whether the highest clock is one that no core exceeds.

    **Source** Intel 64 and IA-32 Architectures Optimization Reference Manual, chapter 2: two vector
    units that multiply and add; some processors with AVX-512 have only one.
    """
    fields: dict[str, str] = dict(
        re.findall(r"^(flags|Features)\s*:[ \t]*(.*)$", cpuinfo, re.MULTILINE)
    )
    flags = fields.get("flags", fields.get("Features", "")).split()
    clocks = re.findall(r"^cpu MHz\s*:\s*(\d+\.?\d*)\s*$", cpuinfo, re.MULTILINE)
    clock = highest_mhz or (float(clocks[-1]) if clocks else None)
    vector = next((one for one in _VECTORS if one[0] in flags), None)
    cores = _cores(cpuinfo)
    if vector is None or not cores or not clock:
        return None
    flag, lanes, units = vector
    operations = 1 if flag in _WITHOUT_FMA else _FMA
    per_unit = f"{cores} cores × {lanes} floats ({flag})"
    most_units, most_mhz = _MOST_UNITS.get(flag, units), clock if knows_boost else _MOST_MHZ
    per_clock = cores * lanes * operations / 1e3
    # How wide vectors of SVE are nothing in /proc/cpuinfo tells.
    return Theoretical(
        per_clock * units * clock,
        f"{per_unit} × {units} vector units × {operations} FLOP × {clock:.0f} MHz.",
        None if "sve" in flags else per_clock * most_units * most_mhz,
        f"{per_unit} × {most_units} vector units × {operations} FLOP × {most_mhz:.0f} MHz",
    )


def _cores(cpuinfo: str) -> int:
    """Return the number of cores, not of the threads on them."""
    blocks = [block for block in cpuinfo.split("\n\n") if re.search(r"^processor\s*:", block, re.M)]
    ids = re.compile(r"^(?:physical id|core id)\s*:\s*(\d+)", re.MULTILINE)
    known = {tuple(ids.findall(block)) for block in blocks}
    # ARM and some virtual machines name no cores.
    return len(known) if () not in known else len(blocks)
