# SPDX-License-Identifier: MIT
"""The name of a processor stands for the GPU inside it, however people type it."""

import pytest

from clprobe.knowledge.processors import gpus_of
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()

# As /proc/cpuinfo, shops and people write them; the GPUs are those of Intel's product pages.
INSIDE = {
    "i5-8250U": {"8086:5917"},
    "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz": {"8086:5917"},
    "i7-4700MQ": {"8086:0416"},
    "Core i7-5600U": {"8086:1616"},
    "i7-6700K": {"8086:1912"},
    "Celeron J4125": {"8086:3185"},
    "J4125": {"8086:3185"},
    "i9-12900K": {"8086:4680"},
}
CHIPS = {
    "N100": "adln",
    "Intel Processor N150": "adln",
    "11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz": "tgl",
    "12th Gen Intel(R) Core(TM) i7-1255U": "adlp",
    "Core Ultra 7 155H": "mtl",
    "Intel Core Ultra 7 155H with Arc Graphics": "mtl",
    "Intel(R) Core(TM) Ultra 7 258V": "lnl",
    "Core Ultra 9 285K": "arl",
    "Atom x5-Z8350": "chv",
    "x5-Z8350": "chv",
    "Pentium G4560": "kbl",
    "i7-8750H": "cfl",
    "i5-10210U": "cml",
    "i5-1035G1": "icl",
    "Xeon E3-1245 v6": "kbl",
    "i7-13700HX": "rpls",
    "i5-1340P": "rplp",
    "Core 7 150U": "rplp",
}
WITHOUT = ("i9-9900KF", "i5-12400F", "Xeon E5-2680 v4", "E5-2680 v4", "i7-3930K", "i9-10980XE")


@pytest.mark.parametrize("name", INSIDE)
def test_a_processor_stands_for_its_gpu(name: str) -> None:
    assert {pci_id for pci_id, _ in TABLES.find_gpus(name)} >= INSIDE[name]
    assert len(TABLES.find_gpus(name)) <= 4


@pytest.mark.parametrize("name", CHIPS)
def test_a_processor_stands_for_the_chip_that_it_has(name: str) -> None:
    assert {entry.platform for _, entry in TABLES.find_gpus(name)} == {CHIPS[name]}


@pytest.mark.parametrize("name", WITHOUT)
def test_some_processors_have_no_gpu(name: str) -> None:
    line = TABLES.processor(name)

    assert line is not None
    assert line.platform is None
    assert TABLES.find_gpus(name) == []


@pytest.mark.parametrize(
    "name",
    ["RTX 4060", "Arc A770 beside an i7-6700", "Core", "i5", "i5-99999Z", "HD 4600", "Xeon", ""],
)
def test_what_is_no_processor_is_none(name: str) -> None:
    assert TABLES.processor(name) is None


def test_every_line_has_gpus_and_every_processor_one_line() -> None:
    gpus = TABLES.gpus()
    tables = TABLES.processors()
    names = [name for table in tables for line in table.lines for name in line.processors]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice
    assert len(names) > 2500
    for line in (line for table in tables for line in table.lines if line.platform):
        assert gpus_of(line, gpus), line
