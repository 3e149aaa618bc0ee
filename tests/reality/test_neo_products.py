# SPDX-License-Identifier: MIT
"""The tables' facts about GPUs, against Intel's real driver playing each of them.

Debian 12's build plays every GPU that it drives, and sid's legacy1 branch those that it still
does. A disagreement fails with both values; `-rP` shows how many facts were compared.
"""

from collections.abc import Callable, Iterator

import msgspec
import pytest
from emulated_neo import Emulator, NotEmulatedError
from neo_builds import Build
from neo_facts import PRODUCTS, SHAPES, Comparison, cases, compare, compare_eus, driven

from clprobe.knowledge.table_types import Capabilities, Generation, GpuEntry
from clprobe.knowledge.tables import Tables

pytestmark = pytest.mark.reality
TABLES = Tables.load()
PLATFORM_NAMES = {
    "compute-runtime": "Intel(R) OpenCL HD Graphics",
    "compute-runtime-legacy1": "Intel(R) OpenCL Graphics",
}
LEAST_SAID = {"debian_12_neo": 600, "legacy1": 370}
LEAST_EUS = {"debian_12_neo": 120, "legacy1": 100}
"""Facts that 22.43 and 24.35 were seen to answer, rounded down."""
HD_530 = "8086:1912"
needs_each_build = pytest.mark.parametrize("name", sorted(LEAST_SAID))


@pytest.fixture
def build(name: str, request: pytest.FixtureRequest) -> Build:
    found: Build = request.getfixturevalue(name)
    return found


@pytest.fixture
def emulator(build: Build) -> Iterator[Emulator]:
    asked = Emulator(build.driver)
    yield asked
    asked.close()


def entries(pci_id: str) -> tuple[GpuEntry, Generation]:
    gpu = TABLES.gpus()[pci_id]
    generation = TABLES.generation(gpu.generation)
    assert generation is not None
    return gpu, generation


@needs_each_build
def test_the_driver_says_what_the_tables_say(
    name: str, build: Build, emulator: Emulator, compared: Callable[[str, int], None]
) -> None:
    seen, implementation = Comparison(), build.driver.implementation
    for platform, pci_id in cases(TABLES, build.driver):
        try:
            found = emulator.ask(PRODUCTS[platform], pci_id, SHAPES.get(PRODUCTS[platform], {}))
        except NotEmulatedError as error:
            seen.expect("devices", "driven", f"not shown, {error}", pci_id)
            continue
        compare(*entries(pci_id), build.driver, found, seen)
        told = TABLES.recognise(
            platform_name=PLATFORM_NAMES[implementation],
            driver_version=str(found.device.driver_version),
        )
        seen.expect("implementation", implementation, told, pci_id)
    compared("NEO", seen.compared.total())
    print(f"{build.name}: {seen}")  # noqa: T201 - the count is what a reader of this test wants
    assert not seen.disagreements, seen.told(build.name)
    assert seen.compared.total() >= LEAST_SAID[name], "so few facts that something was not read"


@needs_each_build
def test_the_driver_has_each_chip_in_the_sizes_of_the_tables(
    name: str, build: Build, emulator: Emulator, compared: Callable[[str, int], None]
) -> None:
    seen, implementation = Comparison(), build.driver.implementation
    asked = {
        PRODUCTS[platform]: pci_id
        for platform, pci_id in cases(TABLES, build.driver)
        if PRODUCTS[platform] not in SHAPES
    }
    sizes = {product: emulator.sizes_of(product, pci_id) for product, pci_id in asked.items()}
    compare_eus(driven(TABLES, implementation, build.driver.version), sizes, seen)
    compared("NEO", seen.compared.total())
    print(f"{build.name}: {seen}; {sizes}")  # noqa: T201 - as above
    assert not seen.disagreements, seen.told(build.name)
    assert seen.compared.total() >= LEAST_EUS[name], "so few facts that something was not read"


WRONG: dict[str, tuple[str, object, str]] = {
    "opencl_version": ("OpenCL version", "2.1", "OpenCL 2.1 in the tables, OpenCL 3.0 to"),
    "fp16": ("fp16", False, "False in the tables, True to"),
    "fp64": ("fp64", False, "False in the tables, True to"),
    "sub_group_sizes": ("sub-group sizes", (16, 32), "(16, 32) in the tables, (8, 16, 32) to"),
    "local_memory_bytes": ("local memory", 32768, "32768 in the tables, 65536 to"),
    "max_work_group_size": ("max work-group", 512, "512 in the tables, 256 to"),
}


@pytest.mark.parametrize("name", ["debian_12_neo"])
def test_each_kind_of_wrong_value_is_told_with_both(build: Build, emulator: Emulator) -> None:
    gpu, generation = entries(HD_530)
    found = emulator.ask("skl", HD_530, {})
    right = generation.capabilities["compute-runtime"]

    def told(entry: Generation) -> str:
        seen = Comparison()
        compare(gpu, entry, build.driver, found, seen)
        return seen.told(build.name)

    def promising(capabilities: Capabilities) -> Generation:
        return msgspec.structs.replace(generation, capabilities={"compute-runtime": capabilities})

    assert told(generation) == ""
    for field, (what, value, both) in WRONG.items():
        wrong = msgspec.structs.replace(right, **{field: value})
        assert told(promising(wrong)) == f"{HD_530}: {what}: {both} {build.name}"
    for field, what, both in (
        ("threads_per_eu", "threads per EU", "9 in the tables, 7 to"),
        ("eus_per_subslice", "EUs per sub-slice", "9 in the tables, 8 to"),
    ):
        wrong_shape = msgspec.structs.replace(generation, **{field: 9})
        assert told(wrong_shape) == f"{HD_530}: {what}: {both} {build.name}"
    other = msgspec.structs.replace(generation, ip_versions=("12.0",), ip_versions_early=("12.0",))
    assert "IP version: ('12.0', '12.0') in the tables, 0x" in told(other)


def test_an_eu_count_that_the_driver_does_not_have_is_told_with_its_own() -> None:
    wrong = msgspec.structs.replace(TABLES.gpus()[HD_530], eus=20)
    seen = Comparison()
    compare_eus({HD_530: wrong}, {"skl": {"1x2x6": 12, "1x3x8": 24}}, seen)
    assert seen.told("a driver") == f"{HD_530}: EU count: 20 in the tables, [12, 24] to a driver"
