# SPDX-License-Identifier: MIT
"""Which PCI ids Intel's offline compiler knows, and as which chip, against all GPUs of the tables.

`ocloc` of Debian's intel-opencl-icd holds the driver's own list of ids, and looks an id up before
it reads the file that it shall compile.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from emulated_neo import SECONDS, installed
from neo_facts import PRODUCTS

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


def ocloc(*arguments: str, cwd: Path) -> str:
    """Return all that ocloc prints; it ends with 0 or not, as it likes."""
    done = subprocess.run(
        ["ocloc", *arguments],
        cwd=cwd, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def chip_of(pci_id: str, folder: Path) -> str | None:
    """Return the chip that ocloc takes the id for; None if it knows no such id."""
    (folder / "empty.spv").touch()
    said = ocloc(
        "compile", "-file", "empty.spv", "-spirv_input", "-device", f"0x{pci_id[5:]}", cwd=folder
    )
    found = re.search(r"target based on 0x[0-9A-Fa-f]{4} device id: (\S+)", said)
    assert found or "Could not determine target" in said, said
    return found[1] if found else None


def test_the_compiler_knows_the_ids_of_the_tables_and_no_others_of_them(tmp_path: Path) -> None:
    driver, wrong, chips = installed(), [], 0
    assert driver is not None
    for pci_id, gpu in TABLES.gpus().items():
        chip = chip_of(pci_id, tmp_path)
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
    wrong, compared = [], 0
    for generation in TABLES.generations().values():
        for platform in generation.platforms:
            for acronym in ACRONYMS.get(platform, "").split():
                said = ocloc("ids", acronym, cwd=tmp_path)
                for number in re.findall(r"^(\d+\.\d+)\.\d+$", said, re.MULTILINE):
                    compared += 1
                    if not _listed(number, generation.ip_versions):
                        wrong.append(f"{acronym}: {generation.ip_versions} in the tables, {number}")
    print(  # noqa: T201 - the count is what a reader of this test wants
        f"{compared} IP versions compared"
    )
    assert compared >= 20
    assert not wrong


def test_the_tables_know_every_chip_that_the_compiler_offers(tmp_path: Path) -> None:
    offered = re.search(r"can be: (.+), version", ocloc("compile", "--help", cwd=tmp_path))
    assert offered
    chips = {chip for chip in offered[1].split(", ") if not FAMILIES.fullmatch(chip)} - SAMPLE_ONLY
    known = {name for names in ACRONYMS.values() for name in names.split()}
    others = {"apl", "acm-g10", "acm-g11", "acm-g12"}  # other names for bxt and dg2
    print(  # noqa: T201 - the count is what a reader of this test wants
        f"{len(chips)} names compared"
    )
    assert chips == known | others


def _listed(number: str, ranges: tuple[str, ...]) -> bool:
    major, minor = (int(part) for part in number.split("."))
    for text in ranges:
        first, _, last = text.partition("-")
        low, high = ([int(part) for part in end.split(".")] for end in (first, last or first))
        if low <= [major, minor] <= high:
            return True
    return False
