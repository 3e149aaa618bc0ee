# SPDX-License-Identifier: MIT
"""The tables against compute-runtime as Debian's sid has it: the newest, and its legacy1 branch.

The packages are fetched, unpacked and run with sid's own C library; nothing is installed. The
newest driver plays no GPU (its release builds lack what that takes), so its offline compiler is
asked instead; the legacy1 driver plays the GPUs that it still drives.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from debian_archive import SuiteUnreachableError
from emulated_neo import Driver, Emulator
from neo_facts import PRODUCTS, Comparison, cases, compare
from offline_compiler import OfflineCompiler, listed
from unpacked_suite import UnpackedSuite

from clprobe.engine.tables import Tables

pytestmark = [pytest.mark.reality, pytest.mark.slow]
TABLES = Tables.load()
PACKAGES = (
    "intel-ocloc", "intel-opencl-icd-legacy", "libigc1", "libigdfcl1", "libigdgmm12", "zlib1g",
    "libzstd1", "ocl-icd-libopencl1",
)  # fmt: skip
DISPUTED = {"8086:d74a", "8086:d74b"}
"""Nova Lake-S to Linux, Nova Lake-P to compute-runtime; rules/tables/gpus says which was kept."""
LEAST_EMULATED = 370
"""Facts that 24.35.30872.45 was seen to answer, rounded down."""


@pytest.fixture(scope="module")
def sid(tmp_path_factory: pytest.TempPathFactory) -> UnpackedSuite:
    try:
        return UnpackedSuite(tmp_path_factory.mktemp("sid"), "sid", PACKAGES)
    except SuiteUnreachableError as error:
        pytest.skip(str(error))


@pytest.fixture
def compiler(sid: UnpackedSuite, tmp_path: Path) -> OfflineCompiler:
    return OfflineCompiler(tmp_path, sid.command(sid.file("usr/bin/ocloc-*")))


@pytest.fixture
def legacy(sid: UnpackedSuite) -> Iterator[Emulator]:
    asked = Emulator(
        Driver(
            implementation="compute-runtime-legacy1",
            version=sid.versions["intel-opencl-icd-legacy"],
            library=sid.file("usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl_legacy1.so"),
            python=sid.command(Path(sys.executable)),
        )
    )
    yield asked
    asked.close()


def test_the_newest_compiler_knows_each_id_and_counts_it_into_its_generation(
    sid: UnpackedSuite, compiler: OfflineCompiler
) -> None:
    comparison, version = Comparison(), sid.versions["intel-ocloc"]
    for pci_id, gpu in TABLES.gpus().items():
        chip = compiler.chip_of(pci_id)
        drives = TABLES.covers("compute-runtime", version, pci_id) is True
        comparison.expect("listed", drives, chip is not None, pci_id)
        generation = TABLES.generation(gpu.generation)
        if chip is None or generation is None or pci_id in DISPUTED:
            continue
        number = compiler.ip_version_of(chip)
        known = number is not None and listed(number, generation.ip_versions)
        comparison.expect("IP version", True, known, f"{pci_id}, {number} to the driver")
        promised = generation.capabilities.get("compute-runtime")
        if promised is not None:
            extensions = compiler.extensions_of(chip)
            comparison.expect("fp16", promised.fp16, "cl_khr_fp16" in extensions, pci_id)
            comparison.expect("fp64", promised.fp64, "cl_khr_fp64" in extensions, pci_id)
    print(f"{version}: {comparison}")  # noqa: T201 - the count is what a reader of this test wants
    assert not comparison.disagreements


def test_legacy1_says_what_the_tables_say(legacy: Emulator) -> None:
    comparison = Comparison()
    for platform, pci_id in cases(TABLES, legacy.driver):
        gpu = TABLES.gpus()[pci_id]
        generation = TABLES.generation(gpu.generation)
        assert generation is not None
        found = legacy.ask(PRODUCTS[platform], pci_id, {})
        compare(gpu, generation, legacy.driver, found, comparison)
        told = TABLES.recognise(
            platform_name="Intel(R) OpenCL Graphics",
            driver_version=str(found.device.driver_version),
        )
        comparison.expect("implementation", "compute-runtime-legacy1", told, pci_id)
    print(f"{legacy.driver.version}: {comparison}")  # noqa: T201 - as above
    assert not comparison.disagreements
    assert comparison.compared.total() >= LEAST_EMULATED
