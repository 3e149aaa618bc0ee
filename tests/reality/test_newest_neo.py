# SPDX-License-Identifier: MIT
"""The tables against the newest compute-runtime of Debian's sid, by its offline compiler.

It plays no GPU, but writes down the list of all that it supports, and says of each chip which
extensions and which OpenCL C it offers there.
"""

from collections.abc import Callable

import pytest
import yaml
from neo_facts import Comparison, driven
from offline_compiler import OfflineCompiler, listed, opencl_c_version

from clprobe.knowledge.tables import Tables

pytestmark = pytest.mark.reality
TABLES = Tables.load()
DISPUTED = {"d74a", "d74b"}
"""Nova Lake-S to Linux, Nova Lake-P to compute-runtime; rules/tables/gpus says which was kept."""
LEAST_LISTED, LEAST_SAID = 380, 450
"""Facts that 26.27.39122.14 was seen to answer, rounded down."""


def generation_of(number: str) -> str:
    """Return the generation that the tables count an IP version into."""
    found = [
        key for key, entry in TABLES.generations().items() if listed(number, entry.ip_versions)
    ]
    return " or ".join(found) or "no generation"


def dotted(packed: int) -> str:
    """Return "12.55" of the packed number of an IP version."""
    return f"{packed >> 22}.{packed >> 14 & 0xFF}"


def test_its_list_of_supported_devices_counts_each_into_the_generation_of_the_tables(
    newest_compiler: OfflineCompiler, compared: Callable[[str, int], None]
) -> None:
    (answer,) = newest_compiler.ask([("query", "SUPPORTED_DEVICES")])
    (text,) = (text for name, text in answer.items() if name.endswith(".yaml"))
    offered = yaml.safe_load(text.rstrip("\0"))["ocloc"]
    seen, gpus = Comparison(), TABLES.gpus()
    for row in offered["ip_to_dev_rev_id"]:
        device = f"{row['device_id']:04x}"
        gpu = gpus.get(f"8086:{device}")
        if device not in DISPUTED:
            number = dotted(row["ip"])
            table = gpu.generation if gpu is not None else "no such id"
            seen.expect(f"generation of {number}", table, generation_of(number), f"8086:{device}")
    for chip, packed in offered["acronym"].items():
        number = dotted(packed)
        known = generation_of(number)
        seen.expect(f"generations of {number}", 1, int(known in TABLES.generations()), chip)
    seen_in_all = seen.compared.total()
    compared("ocloc", seen_in_all)
    print(f"{newest_compiler.version}: {seen_in_all} facts")  # noqa: T201 - what a reader wants
    assert not seen.disagreements, seen.told(newest_compiler.version)
    assert seen_in_all >= LEAST_LISTED, "so few facts that something was not read"


def test_it_offers_of_each_chip_what_the_tables_promise(
    newest_compiler: OfflineCompiler, compared: Callable[[str, int], None]
) -> None:
    gpus = driven(TABLES, "compute-runtime", newest_compiler.version)
    seen, chips = Comparison(), newest_compiler.chips([pci_id[5:] for pci_id in gpus])
    extensions = newest_compiler.query("CL_DEVICE_EXTENSIONS", chips.values())
    versions = newest_compiler.query("CL_DEVICE_OPENCL_C_ALL_VERSIONS", chips.values())
    for pci_id, gpu in gpus.items():
        generation, chip = TABLES.generation(gpu.generation), chips.get(pci_id[5:])
        promised = generation.capabilities.get("compute-runtime") if generation else None
        if promised is None or chip is None or pci_id[5:] in DISPUTED:
            continue
        offered = extensions[chip].split()
        seen.expect("fp16", promised.fp16, "cl_khr_fp16" in offered, pci_id)
        seen.expect("fp64", promised.fp64, "cl_khr_fp64" in offered, pci_id)
        newest = opencl_c_version(versions[chip])
        seen.expect("OpenCL", promised.opencl_version, newest, pci_id)
    compared("NEO", seen.compared.total())
    print(f"{newest_compiler.version}: {seen}")  # noqa: T201 - what a reader wants
    assert not seen.disagreements, seen.told(newest_compiler.version)
    assert seen.compared.total() >= LEAST_SAID, "so few facts that something was not read"
