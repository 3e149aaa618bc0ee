# SPDX-License-Identifier: MIT
"""Which core a processor has, by the numbers of CPUID and by its name."""

import re

import pytest

from clprobe.knowledge.tables import Tables
from clprobe.model.system import Cpu

TABLES = Tables.load()

# As /proc/cpuinfo names them; the cores are those of the folders of libcpuid's tests.
NAMES = {
    "AMD Ryzen 9 3950X 16-Core Processor": "zen2",
    "AMD Ryzen 5 5500U with Radeon Graphics": "zen2",
    "AMD Ryzen 5 7520U with Radeon Graphics": "zen2",
    "AMD Ryzen Threadripper PRO 3955WX 16-Cores": "zen2",
    "AMD EPYC 7402P 24-Core Processor": "zen2",
    "AMD FX(tm)-8350 Eight-Core Processor": "zen2",
    "AMD A10-7850K Radeon R7, 12 Compute Cores 4C+8G": "zen2",
    "AMD Custom APU 0405": "zen2",
    "AMD Ryzen 7 5800X 8-Core Processor": "zen3",
    "AMD Ryzen 7 5700G with Radeon Graphics": "zen3",
    "AMD Ryzen 7 5825U with Radeon Graphics": "zen3",
    "AMD Ryzen 7 6800HS with Radeon Graphics": "zen3",
    "AMD Ryzen 7 7735HS with Radeon Graphics": "zen3",
    "AMD EPYC 7763 64-Core Processor": "zen3",
    "AMD EPYC-Milan Processor": "zen3",
    "AMD Ryzen 7 7700X 8-Core Processor": "zen4",
    "AMD Ryzen 7 7840U w/ Radeon 780M Graphics": "zen4",
    "AMD Ryzen 7 8700G with Radeon 780M Graphics": "zen4",
    "AMD Ryzen Threadripper PRO 7995WX 96-Cores": "zen4",
    "AMD EPYC 9654 96-Core Processor": "zen4",
    "AMD EPYC 9R14": "zen4",
    "AMD Ryzen 9 9950X3D 16-Core Processor": "zen5",
    "AMD Ryzen AI 9 HX 370 w/ Radeon 890M": "zen5",
    "AMD EPYC 9965 192-Core Processor": "zen5",
    "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz": "intel",
    "12th Gen Intel(R) Core(TM) i7-12700K": "intel",
    "zen4": "zen4",
    "Zen 3": "zen3",
    "Ryzen 5 5600X": "zen3",
}
NUMBERS = [
    ("AuthenticAMD", 25, 0x21, "zen3"),
    ("AuthenticAMD", 25, 0x44, "zen3"),
    ("AuthenticAMD", 25, 0x11, "zen4"),
    ("AuthenticAMD", 25, 0x61, "zen4"),
    ("AuthenticAMD", 26, 0x44, "zen5"),
    ("AuthenticAMD", 23, 0x31, "zen2"),
    ("AuthenticAMD", 25, 0xFF, None),
    ("HygonGenuine", 24, 0x00, None),
    ("GenuineIntel", 6, 0x9A, "intel"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_tells_the_core(name: str) -> None:
    core = TABLES.core_named(name)
    assert core is not None
    assert core.core == NAMES[name]


@pytest.mark.parametrize(("vendor", "family", "model", "core"), NUMBERS)
def test_the_numbers_tell_the_core(vendor: str, family: int, model: int, core: str | None) -> None:
    # Whatever a virtual machine calls it.
    cpu = Cpu(model="AMD Ryzen 5 5600X", vendor=vendor, family=family, model_number=model)
    found = TABLES.core_of(cpu)
    assert (found.core if found is not None else None) == core


def test_a_name_alone_is_enough_and_half_of_the_numbers_is_not() -> None:
    named = TABLES.core_of(Cpu(model="AMD Ryzen 7 5800X", vendor="AuthenticAMD", family=25))
    assert named is not None
    assert named.core == "zen3"
    assert TABLES.core_of(Cpu(vendor="AuthenticAMD", family=25)) is None
    assert TABLES.core_of(Cpu(model="AMD EPYC", vendor="AuthenticAMD")) is None
    assert TABLES.core_of(Cpu()) is None


def test_no_name_that_is_known_means_two_cores() -> None:
    patterns = [(core.core, one) for t in TABLES.cores() for core in t.cores for one in core.names]
    for name in (name for t in TABLES.processors() for line in t.lines for name in line.processors):
        found = {core for core, one in patterns if re.search(one, name, re.IGNORECASE)}
        assert len(found) < 2, name
