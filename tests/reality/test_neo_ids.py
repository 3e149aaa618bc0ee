# SPDX-License-Identifier: MIT
"""Which PCI ids Intel's offline compiler knows, and as which chip, against all GPUs of the tables.

`ocloc` of Debian's intel-opencl-icd holds the driver's own list of ids, and looks an id up before
it reads the file that it shall compile.
"""

import re
import shutil
from pathlib import Path

import pytest
from emulated_neo import installed
from neo_facts import PRODUCTS
from offline_compiler import OfflineCompiler, listed

from clprobe.engine.table_types import PRE_PRODUCTION
from clprobe.engine.tables import Tables

pytestmark = [
    pytest.mark.reality,
    pytest.mark.skipif(
        shutil.which("ocloc") is None or installed() is None,
        reason="ocloc of Debian's intel-opencl-icd is missing",
    ),
]
TABLES = Tables.load()
# Not the names of the driver but those of the compiler.
ACRONYMS = {
    "bdw": "bdw", "skl": "skl", "bxt": "bxt", "kbl": "kbl", "cfl": "cfl", "glk": "glk",
    "whl": "whl", "aml": "aml", "cml": "cml", "icl": "icllp", "lkf": "lkf", "ehl": "ehl",
    "jsl": "jsl", "tgl": "tgllp", "rkl": "rkl", "dg1": "dg1", "adls": "adl-s", "adlp": "adl-p",
    "adln": "adl-n", "dg2": "dg2-g10 dg2-g11 dg2-g12", "atsm": "ats-m150 ats-m75", "pvc": "pvc",
}  # fmt: skip
SAMPLE_ONLY = {"pvc-sdv", "xe_hp_sdv"}
FAMILIES = re.compile(r"gen\d+(lp)?|xe(-\w+)?|version")


def test_the_compiler_knows_the_ids_of_the_tables_and_no_others_of_them(tmp_path: Path) -> None:
    compiler = OfflineCompiler(tmp_path)
    driver, wrong, chips = installed(), [], 0
    assert driver is not None
    for pci_id, gpu in TABLES.gpus().items():
        chip = compiler.chip_of(pci_id)
        drives = TABLES.covers("compute-runtime", driver.version, pci_id) is True
        if drives is not (chip is not None):
            wrong.append(f"{pci_id}: the tables say {gpu.neo}, {driver.version} knows it as {chip}")
        elif chip is not None and gpu.generation != PRE_PRODUCTION:
            chips += 1
            if PRODUCTS[gpu.platform] != chip:
                wrong.append(f"{pci_id}: {gpu.platform} in the tables, {chip} to the driver")
    print(  # noqa: T201 - the count is what a reader of this test wants
        f"{driver.version}: {len(TABLES.gpus())} ids compared, {chips} of them with their chip"
    )
    assert not wrong


def test_the_compiler_counts_each_chip_into_the_generation_of_the_tables(tmp_path: Path) -> None:
    compiler, compared = OfflineCompiler(tmp_path), 0
    wrong = []
    for generation in TABLES.generations().values():
        for platform in generation.platforms:
            for acronym in ACRONYMS.get(platform, "").split():
                number = compiler.ip_version_of(acronym)
                compared += 1
                if number is None or not listed(number, generation.ip_versions):
                    wrong.append(f"{acronym}: {generation.ip_versions} in the tables, {number}")
    print(f"{compared} IP versions compared")  # noqa: T201 - as above
    assert compared >= 20
    assert not wrong


def test_the_tables_know_every_chip_that_the_compiler_offers(tmp_path: Path) -> None:
    compiler = OfflineCompiler(tmp_path)
    offered = re.search(r"can be: (.+), version", compiler.ask("compile", "--help"))
    assert offered
    chips = {chip for chip in offered[1].split(", ") if not FAMILIES.fullmatch(chip)} - SAMPLE_ONLY
    known = {name for names in ACRONYMS.values() for name in names.split()}
    others = {"apl", "acm-g10", "acm-g11", "acm-g12"}  # other names for bxt and dg2
    print(  # noqa: T201 - the count is what a reader of this test wants
        f"{len(chips)} names compared"
    )
    assert chips == known | others
