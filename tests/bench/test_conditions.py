# SPDX-License-Identifier: MIT
"""Clocks, heat and counters, read from file systems made up for it."""

import time
from pathlib import Path

import pytest

from clprobe.bench.conditions.readings import (
    EnergyMeter,
    cpu_clock_mhz,
    energy_joules,
    engine_ns,
    temperature_c,
    throttle_count,
)
from clprobe.bench.conditions.watch import Watch
from clprobe.bench.timing import quiet
from clprobe.bench.timing.quiet import Load, Mark, busy_seconds, loads_between, mark
from clprobe.model.measurement import Conditions

CPU = "sys/devices/system/cpu"
RAPL = "sys/class/powercap"
STAT = "cpu  200 0 100 5000 300 0 0 50 25 0\ncpu0 1 2 3\n"


def write(root: Path, files: dict[str, object]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
    return root


def test_the_clock_is_that_of_the_processor_that_computes(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            f"{CPU}/cpu0/cpufreq/scaling_cur_freq": 800_000,
            f"{CPU}/cpu1/cpufreq/scaling_cur_freq": 3_100_000,
            "proc/cpuinfo": "cpu MHz\t\t: 1200.000",
        },
    )

    assert cpu_clock_mhz(tmp_path) == 3100


def test_without_cpufreq_cpuinfo_tells_the_clock(tmp_path: Path) -> None:
    write(tmp_path, {"proc/cpuinfo": "cpu MHz\t\t: 2596.124\n\ncpu MHz\t\t: 1200.000"})

    assert cpu_clock_mhz(tmp_path) == 2596.124


def test_the_package_counts_before_cores_disks_and_broken_sensors(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "sys/class/hwmon/hwmon0/name": "nvme",
            "sys/class/hwmon/hwmon0/temp1_input": 31_000,
            "sys/class/hwmon/hwmon1/name": "coretemp",
            "sys/class/hwmon/hwmon1/temp1_input": 55_000,
            "sys/class/hwmon/hwmon1/temp1_label": "Core 0",
            "sys/class/hwmon/hwmon1/temp2_input": 61_000,
            "sys/class/hwmon/hwmon1/temp2_label": "Package id 0",
            "sys/class/thermal/thermal_zone0/type": "acpitz",
            "sys/class/thermal/thermal_zone0/temp": 20_000,
        },
    )

    assert temperature_c(tmp_path) == 61


def test_zones_tell_the_heat_where_no_sensor_does(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "sys/class/thermal/thermal_zone0/type": "acpitz",
            "sys/class/thermal/thermal_zone0/temp": 20_000,
            "sys/class/thermal/thermal_zone1/type": "x86_pkg_temp",
            "sys/class/thermal/thermal_zone1/temp": -274_000,
        },
    )

    assert temperature_c(tmp_path) == 20


def test_nothing_readable_is_unknown_and_no_warning(tmp_path: Path) -> None:
    (tmp_path / RAPL / "intel-rapl:0").mkdir(parents=True)
    (tmp_path / RAPL / "intel-rapl:0" / "energy_uj").mkdir()
    watch = Watch(tmp_path)
    watch.look()

    assert watch.conditions() == Conditions()
    assert watch.unreadable() == (
        "the CPU's clock",
        "its temperature",
        "throttling",
        "energy",
        "the load of other programs",
    )
    assert energy_joules(tmp_path) == {}
    assert EnergyMeter(tmp_path)() is None
    assert throttle_count(tmp_path) is None
    assert engine_ns(tmp_path) is None


def test_garbage_in_sysfs_is_unknown(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            f"{CPU}/cpu0/cpufreq/scaling_cur_freq": "<unknown>",
            f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "",
            "sys/class/hwmon/hwmon0/name": "coretemp",
            "sys/class/hwmon/hwmon0/temp1_input": "n/a",
        },
    )

    assert (cpu_clock_mhz(tmp_path), temperature_c(tmp_path), throttle_count(tmp_path)) == (
        None,
        None,
        None,
    )


def test_only_whole_packages_count_and_a_full_counter_starts_anew(tmp_path: Path) -> None:
    files = {
        f"{RAPL}/intel-rapl:0/energy_uj": 9_000_000,
        f"{RAPL}/intel-rapl:0/max_energy_range_uj": 10_000_000,
        f"{RAPL}/intel-rapl:0:0/energy_uj": 5_000_000,
        f"{RAPL}/intel-rapl:1/energy_uj": 1_000_000,
    }
    meter = EnergyMeter(write(tmp_path, files))
    write(
        tmp_path,
        {f"{RAPL}/intel-rapl:0/energy_uj": 2_000_000, f"{RAPL}/intel-rapl:1/energy_uj": 1_500_000},
    )

    assert meter() == pytest.approx(3.5)
    assert "energy" not in Watch(tmp_path).unreadable()


def test_engines_of_one_client_count_once(tmp_path: Path) -> None:
    client = "drm-driver:\ti915\ndrm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\n"
    busy = "drm-engine-render:\t2500 ns\ndrm-engine-copy:\t500 ns\ndrm-engine-capacity-video:\t2\n"
    write(
        tmp_path,
        {
            "proc/self/fdinfo/3": client + busy,
            "proc/self/fdinfo/4": client + busy,
            "proc/self/fdinfo/5": client.replace("7", "8") + "drm-engine-render:\t40 ns",
            "proc/self/fdinfo/6": "pos:\t0",
        },
    )

    assert engine_ns(tmp_path) == 3040


@pytest.mark.parametrize(
    ("clocks", "warning"),
    [
        ((3100, 3000), None),
        ((3100, 2900, 2700), "fell by 13 % while measuring, from 3100 to 2700 MHz"),
        ((3100, 1400, 3100), "fell to 1400 MHz for a while"),
    ],
)
def test_a_clock_that_falls_is_said(
    tmp_path: Path, clocks: tuple[int, ...], warning: str | None
) -> None:
    watch = Watch(tmp_path)
    for mhz in clocks:
        write(tmp_path, {f"{CPU}/cpu0/cpufreq/scaling_cur_freq": mhz * 1000})
        watch.look()

    conditions = watch.conditions()

    assert conditions.frequency_mhz.start == clocks[0]
    assert conditions.frequency_mhz.lowest == min(clocks)
    assert [warning in one for one in conditions.warnings] == ([] if warning is None else [True])


def test_throttling_and_heat_are_said_once(tmp_path: Path) -> None:
    count = f"{CPU}/cpu0/thermal_throttle/package_throttle_count"
    zone = "sys/class/thermal/thermal_zone0"
    watch = Watch(
        write(tmp_path, {count: 4, f"{zone}/type": "x86_pkg_temp", f"{zone}/temp": 50_000})
    )
    assert watch.conditions().throttled is False
    write(tmp_path, {count: 6, f"{zone}/temp": 97_000})

    conditions = watch.conditions()

    assert (conditions.temperature_c.start, conditions.temperature_c.end) == (50, 97)
    assert conditions.throttled is True
    assert conditions.warnings == (
        "The processor throttled meanwhile: it was too hot to keep its speed (97 °C).",
    )


def test_a_load_during_some_workloads_is_said_with_their_number(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    for cores in (0.0, 1.4, 0.0, 0.5, None):
        watch.look(cores)

    (warning,) = watch.conditions().warnings

    assert "up to 1.4 of " in warning
    assert "during 2 of 4 workloads" in warning


def test_a_load_between_workloads_is_said_too(tmp_path: Path) -> None:
    write(tmp_path, {"proc/stat": STAT})
    watch = Watch(tmp_path)
    watch.look(0.0)
    time.sleep(0.2)
    write(tmp_path, {"proc/stat": STAT.replace("200", "900000")})

    conditions = watch.conditions()

    assert conditions.other_load_percent == 100
    (warning,) = conditions.warnings
    assert "hardly while workloads were timed" in warning


def marks(*moments: tuple[float, float | None]) -> list[Mark]:
    return [Mark(at, busy, own=0.0) for at, busy in moments]


def test_rounds_that_follow_each_other_share_a_window_long_enough_to_tell() -> None:
    moments = [float(index) for index in range(10)]
    busy_from_4 = [max(0.0, moment - 4) for moment in moments]

    loads = loads_between(marks(*zip(moments, busy_from_4, strict=True)))

    assert [load.cores for load in loads] == [*[0.0] * 4, *[1.0] * 5]
    assert [load.is_busy for load in loads] == [*[False] * 4, *[True] * 5]


def test_rounds_too_short_to_tell_are_one_window() -> None:
    loads = loads_between(marks((0, 0.0), (0.01, 0.0), (0.02, 0.01)))

    assert loads == [Load(0.5, 0.02)] * 2
    assert not loads[0].is_busy
    assert loads_between(marks((0, 0.0))) == []


@pytest.mark.parametrize(
    ("cpus", "cores", "seconds", "is_busy"),
    [
        (2, 0.65, 0.2, True),
        (2, 0.3, 0.2, False),
        (2, 0.3, 5, True),
        (16, 0.9, 1, True),
        (16, 1.4, 0.2, True),
        (16, 0.5, 1, False),
        (16, 0.2, 200, True),
    ],
)
def test_a_busy_program_stands_out_from_chance(
    monkeypatch: pytest.MonkeyPatch, cpus: int, cores: float, seconds: float, *, is_busy: bool
) -> None:
    monkeypatch.setattr(quiet, "CPUS", cpus)

    assert Load(cores, seconds).is_busy == is_busy


def test_a_load_that_linux_hides_is_unknown(tmp_path: Path) -> None:
    assert mark(tmp_path).busy is None
    assert loads_between(marks((0, None), (1, None))) == [None]


def test_what_this_process_computed_is_no_load() -> None:
    began, ended = Mark(0.0, busy=10.0, own=1.0), Mark(2.0, busy=13.0, own=3.0)

    assert began.load_until(ended) == Load(0.5, 2.0)


def test_idle_and_waiting_for_disks_is_no_load() -> None:
    assert busy_seconds(STAT) == pytest.approx(350 / 100)
