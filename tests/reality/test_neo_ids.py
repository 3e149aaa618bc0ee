# SPDX-License-Identifier: MIT
"""Which of all PCI ids Intel's offline compiler knows, and as which chip, against the tables.

`ocloc` holds its driver's own list of ids. Each of the 65,536 is asked of three builds, so that an
id which only the driver has shows as well as one which only the tables have.
"""

from collections.abc import Callable

import pytest
from known_ids import disagreements
from neo_builds import Build
from neo_facts import PRODUCTS, driven
from offline_compiler import OfflineCompiler, listed

from clprobe.compat.evidence import Verified
from clprobe.knowledge.table_types import PRE_PRODUCTION
from clprobe.knowledge.tables import Tables

pytestmark = pytest.mark.reality
TABLES = Tables.load()
# Not the names of the driver but those of the compiler.
ACRONYMS = {
    "bdw": "bdw", "skl": "skl", "bxt": "bxt", "kbl": "kbl", "cfl": "cfl", "glk": "glk",
    "whl": "whl", "aml": "aml", "cml": "cml", "icl": "icllp", "lkf": "lkf", "ehl": "ehl",
    "jsl": "jsl", "tgl": "tgllp", "rkl": "rkl", "dg1": "dg1", "adls": "adl-s", "adlp": "adl-p",
    "adln": "adl-n", "dg2": "dg2-g10 dg2-g11 dg2-g12", "atsm": "ats-m150 ats-m75", "pvc": "pvc",
}  # fmt: skip
OTHER_NAMES = {"apl", "acm-g10", "acm-g11", "acm-g12"}
"""Of bxt and dg2."""
FAMILIES = {"gen8", "gen9", "gen11", "gen12lp", "xe", "xe-hp", "xe-hpg", "xe-hpc", "pvc-sdv"}
LEAST_IDS = {"debian_12_neo": 250, "legacy1": 100, "newest_compiler": 170}
LEAST_ACRONYMS = 24
"""What 22.43, 24.35 and 26.27 were seen to know, rounded down."""
NAMED = {
    "debian_12_neo": PRODUCTS,
    "legacy1": {platform: platform for platform in PRODUCTS} | {"bxt": "apl", "jsl": "ehl"},
}
"""What a build calls the chips of ids. The newest tells steppings apart, not platforms:
test_newest_neo.py compares those by their IP version."""
COFFEE_LAKE = {"9ba0", "9bab", "9bc0"}
"""To legacy1, against Mesa's Comet Lake; rules/tables/gpus says which was kept."""


def compiler_of(name: str, request: pytest.FixtureRequest) -> tuple[str, OfflineCompiler]:
    found: Build | OfflineCompiler = request.getfixturevalue(name)
    if isinstance(found, Build):
        return found.driver.implementation, found.compiler
    return "compute-runtime", found


def chip_in_tables(pci_id: str, name: str) -> str:
    if name == "legacy1" and pci_id[5:] in COFFEE_LAKE:
        return "cfl"
    gpu = TABLES.gpus()[pci_id]
    of_sale = gpu.generation != PRE_PRODUCTION
    return NAMED[name][gpu.platform] if of_sale and name in NAMED else "listed"


@pytest.mark.parametrize("name", sorted(LEAST_IDS))
def test_the_compiler_knows_exactly_the_ids_that_the_tables_say_and_as_these_chips(
    name: str, request: pytest.FixtureRequest, compared: Callable[[str, int], None]
) -> None:
    implementation, compiler = compiler_of(name, request)
    tables = {
        pci_id[5:]: chip_in_tables(pci_id, name)
        for pci_id in driven(TABLES, implementation, compiler.version)
    }
    driver = {
        device: "listed" if tables.get(device) == "listed" else chip
        for device, chip in compiler.chips().items()
    }
    compared("ocloc", len(tables.keys() | driver.keys()))
    print(f"{compiler.version}: {len(driver)} ids")  # noqa: T201 - what a reader of this wants
    wrong = disagreements(tables, driver, f"ocloc {compiler.version}")
    assert not wrong, "\n".join(wrong)
    assert len(driver) >= LEAST_IDS[name], "so few ids that something was not read"
    listed_there = Verified.load().holds_driver(implementation, compiler.version)
    assert listed_there, f"add {implementation} {compiler.version} to verified.yaml"


def test_the_compiler_counts_each_chip_into_the_generation_of_the_tables(
    debian_12_neo: Build, compared: Callable[[str, int], None]
) -> None:
    ranges = {
        acronym: generation.ip_versions
        for generation in TABLES.generations().values()
        for platform in generation.platforms
        for acronym in ACRONYMS.get(platform, "").split()
    }
    numbers = debian_12_neo.compiler.ip_versions(ranges)
    wrong = [
        f"{acronym}: IP version {ranges[acronym]} in the tables, {number} to {debian_12_neo.name}"
        for acronym, number in numbers.items()
        if number is None or not listed(number, ranges[acronym])
    ]
    compared("ocloc", len(numbers))
    assert not wrong, "\n".join(wrong)
    assert len(numbers) >= LEAST_ACRONYMS, "so few chips that something was not read"


def test_the_tables_know_every_chip_that_the_compiler_offers(
    debian_12_neo: Build, compared: Callable[[str, int], None]
) -> None:
    chips = debian_12_neo.compiler.names() - FAMILIES
    known = {name for names in ACRONYMS.values() for name in names.split()} | OTHER_NAMES
    compared("ocloc", len(chips | known))
    only = sorted(chips - known), sorted(known - chips)
    assert chips == known, f"only offered: {only[0]}; only in the tables: {only[1]}"
    assert len(chips) >= LEAST_ACRONYMS


def test_an_id_on_which_the_two_disagree_is_told_with_both_values() -> None:
    tables, driver = {"1912": "skl", "5916": "skl"}, {"5916": "kbl", "9a49": "tgllp"}
    assert disagreements(tables, driver, "ocloc 1") == [
        "8086:1912: skl in the tables, unknown to ocloc 1",
        "8086:5916: skl in the tables, kbl to ocloc 1",
        "8086:9a49: unknown in the tables, tgllp to ocloc 1",
    ]
