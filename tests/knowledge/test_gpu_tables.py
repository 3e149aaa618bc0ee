# SPDX-License-Identifier: MIT
"""What the tables of GPUs and generations must hold, whatever else is added to them."""

from collections import Counter

import pytest

from clprobe.compat.coverage import tables_cover
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare, upstream

TABLES = Tables.load()
GPUS = TABLES.gpus()
# How many ids each generation had when all of Linux 7.3, Mesa 26.0, every release of
# compute-runtime up to 26.31 and Beignet were read; more may come, none may go.
KNOWN = {
    "Gen6": 7, "Gen7": 12, "Gen7.5": 60, "Gen8": 28, "Gen9": 34, "Gen9.5": 73, "Gen10": 14,
    "Gen11": 29, "Gen12/Xe-LP": 71, "Xe-HPG": 38, "Xe-HPC": 14, "Xe-LPG": 10, "Xe2": 17,
    "Xe3": 22, "Xe3p": 14, "pre-production": 26,
}  # fmt: skip
SAMPLES = {
    "0102": "Gen6", "0126": "Gen6", "0152": "Gen7", "0f31": "Gen7", "0402": "Gen7.5",
    "0412": "Gen7.5", "0416": "Gen7.5", "0d26": "Gen7.5", "1616": "Gen8", "22b1": "Gen8",
    "1912": "Gen9", "1915": "Gen9", "5a85": "Gen9", "5916": "Gen9.5", "5917": "Gen9.5",
    "3e92": "Gen9.5", "3ea0": "Gen9.5", "3185": "Gen9.5", "9bc5": "Gen9.5", "5a52": "Gen10",
    "8a52": "Gen11", "4555": "Gen11", "4e61": "Gen11", "9840": "Gen11", "9a49": "Gen12/Xe-LP",
    "4c8a": "Gen12/Xe-LP", "4905": "Gen12/Xe-LP", "4680": "Gen12/Xe-LP", "46a6": "Gen12/Xe-LP",
    "46d1": "Gen12/Xe-LP", "a780": "Gen12/Xe-LP", "a7a0": "Gen12/Xe-LP", "56a0": "Xe-HPG",
    "56c1": "Xe-HPG", "0bd5": "Xe-HPC", "7d55": "Xe-LPG", "7d67": "Xe-LPG", "b640": "Xe-LPG",
    "64a0": "Xe2", "e20b": "Xe2", "e223": "Xe2", "b080": "Xe3", "fd80": "Xe3", "d740": "Xe3",
    "674c": "Xe3p",
}  # fmt: skip


def test_no_generation_has_fewer_ids_than_were_known() -> None:
    counts = Counter(gpu.generation for gpu in GPUS.values())
    assert set(counts) == set(KNOWN)
    assert {key: counts[key] for key in KNOWN if counts[key] < KNOWN[key]} == {}


@pytest.mark.parametrize(("device", "generation"), SAMPLES.items())
def test_a_pci_id_resolves_to_its_generation(device: str, generation: str) -> None:
    gpu = TABLES.gpu(f"8086:{device}")
    assert gpu is not None
    assert gpu.generation == generation


def test_every_id_resolves_to_a_generation_that_knows_its_chip() -> None:
    without = []
    for pci_id, gpu in GPUS.items():
        generation = TABLES.generation(gpu.generation)
        shipped = gpu.generation != "pre-production"
        if shipped and (generation is None or gpu.platform not in generation.platforms):
            without.append(pci_id)
    assert not without


@pytest.mark.parametrize("pci_id", ["8086:0412", "8086:0416"])
def test_hd_4600_is_haswell_with_opencl_1_2_on_beignet(pci_id: str) -> None:
    gpu = GPUS[pci_id]
    generation = TABLES.generation(gpu.generation)
    assert generation is not None
    assert (generation.generation, gpu.name) == ("Gen7.5", "Intel HD Graphics 4600")
    assert generation.capabilities["beignet"].opencl_version == "1.2"
    assert tables_cover(TABLES, "beignet", "1.3.2-8", pci_id) is True


@pytest.mark.parametrize("pci_id", ["8086:0412", "8086:0416"])
@pytest.mark.parametrize("implementation", ["compute-runtime", "compute-runtime-legacy1"])
@pytest.mark.parametrize("version", [None, "18.20.10830", "22.43.24595.41-1", "26.27.39122.14-1"])
def test_hd_4600_is_never_driven_by_compute_runtime(
    pci_id: str, implementation: str, version: str | None
) -> None:
    assert tables_cover(TABLES, implementation, version, pci_id) is False


@pytest.mark.parametrize("version", ["24.35.30872", "24.35.30872.45", "24.35.030872"])
def test_legacy1_is_told_from_mainline_by_every_version_it_names(version: str) -> None:
    found = TABLES.recognise(platform_name="Intel(R) OpenCL Graphics", driver_version=version)
    assert found == "compute-runtime-legacy1"


@pytest.mark.parametrize("key", ["compute-runtime", "compute-runtime-legacy1"])
def test_distributions_build_with_no_older_compiler_than_upstream(key: str) -> None:
    entry = TABLES.implementation(key)
    assert entry is not None
    compared = 0
    for release in TABLES.distributions():
        if release.id != "debian":
            continue
        drivers = [
            row for rows in release.packages.values() for row in rows if key in row.implementations
        ]
        compilers = [
            row.version
            for name, rows in release.packages.items()
            for row in rows
            if name in ("libigc1", "libigc2")
        ]
        for driver in drivers:
            built = entry.built_with.get(upstream(driver.version))
            if built is None:
                continue
            major = built.igc.split(".")[0]
            fitting = [c for c in compilers if c.split(".")[0] == major]
            compared += 1
            assert any(compare(upstream(c), built.igc, "dotted") >= 0 for c in fitting), release.key
    assert compared
