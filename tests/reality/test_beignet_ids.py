# SPDX-License-Identifier: MIT
"""Which PCI ids Beignet of Debian 11, the last release that carries it, takes, and as which chip.

The package is fetched and unpacked, not installed; its compiler needs no GPU. It compiles one
kernel, and is then offered that program for each of the 65,536 ids with each chip's name in its
head: it takes it only where the id is one of that chip's.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from debian_archive import Archive, SuiteUnreachableError
from known_ids import disagreements
from unpacked_suite import UnpackedSuite

from clprobe.compat.coverage import tables_cover
from clprobe.compat.evidence import Verified
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare

pytestmark = pytest.mark.reality
TABLES = Tables.load()
PACKAGE = "beignet-opencl-icd"
SECONDS = 120
"""Time for one child; it takes half a second."""
CHIPS = {
    "IVB": "Gen7", "BYT": "Gen7", "HSW": "Gen7.5", "BDW": "Gen8", "CHV": "Gen8", "SKL": "Gen9",
    "BXT": "Gen9", "KBT": "Gen9.5", "GLK": "Gen9.5",
}  # fmt: skip
LEAST_KNOWN = 170
"""Ids that 1.3.2-8 was seen to take, rounded down."""
COMPILED = ("0152", "0f31", "0416", "1616", "22b1", "1912", "5a85", "5916", "3e92", "3185")
REFUSED = ("0102", "3e9f", "8a52", "9a49")
"""Sandy Bridge, no GPU at all, Ice Lake and Tiger Lake."""
# The option makes it read its headers anew: its precompiled ones hold the path where a package
# would have put them. A program begins with a byte for its format, GENC and three letters.
ASK = """
import ctypes, json, sys
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
def function(name, *arguments, returns=ctypes.c_void_p):
    return ctypes.CFUNCTYPE(returns, *arguments)(ctypes.c_void_p.in_dll(library, name).value)
device, text, size = ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t
build = function("gbe_program_new_from_source", device, text, size, text, text, ctypes.c_void_p)
save = function("gbe_program_serialize_to_binary", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int,
                returns=size)
load = function("gbe_program_new_from_binary", device, text, size)
source = b"kernel void k(global float *a) { a[get_global_id(0)] += 1.0f; }".ljust(4096)
def built(number):
    log, length = ctypes.create_string_buffer(1 << 16), size(1 << 16)
    options = b"-cl-single-precision-constant"
    return build(number, source, len(source), options, log, ctypes.byref(length))
if sys.argv[2] == "build":
    print(built(int(sys.argv[3], 16)) is not None)
    sys.exit()
start = ctypes.c_void_p()
length = save(built(0x0416), ctypes.byref(start), 0)
program = ctypes.string_at(start.value, length)
assert program[1:8] == b"GENCHSW", program[:8]
taken = {}
for chip in sys.argv[3:]:
    named = program[:5] + chip.encode() + program[8:]
    for number in range(1 << 16):
        if load(number, named, len(named)):
            taken.setdefault("%04x" % number, []).append(chip)
print(json.dumps(taken))
"""


@pytest.fixture(scope="module")
def beignet(archive: Archive) -> Iterator[UnpackedSuite]:
    try:
        unpacked = UnpackedSuite(archive, "bullseye", (PACKAGE,))
    except SuiteUnreachableError as error:
        pytest.skip(str(error))
    yield unpacked
    unpacked.remove()


def ask(beignet: UnpackedSuite, *arguments: str) -> "subprocess.CompletedProcess[str]":
    library = beignet.file("usr/lib/x86_64-linux-gnu/beignet/libgbe.so")
    own = library.parent
    environment = os.environ | {
        "OCL_HEADER_FILE_DIR": str(own / "include"),
        "OCL_BITCODE_LIB_PATH": str(own / "beignet.bc"),
        "OCL_BITCODE_LIB_20_PATH": str(own / "beignet_20.bc"),
        "OCL_PCH_PATH": str(own / "beignet.pch"),
        "OCL_PCH_20_PATH": str(own / "beignet_20.pch"),
    }
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", ASK, str(library), *arguments],
        cwd=beignet.root, env=environment, capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip


def compiles(beignet: UnpackedSuite, device: str) -> bool:
    """Return whether it makes a program for an id; it ends the process over one unknown to it."""
    done = ask(beignet, "build", device)
    made = done.stdout.strip() == "True"
    assert made or "Fail to create the gen context" in done.stdout + done.stderr, done.stderr
    return made


def in_tables(pci_id: str, version: str) -> str | None:
    """Return the generation of an id that the tables say this package drives; None if they do not.

    Upstream's list, which clprobe asks too, may say so where the column of packages does not.
    """
    gpu = TABLES.gpus()[pci_id]
    packaged = gpu.beignet is not None and compare(gpu.beignet, version, "debian") <= 0
    if packaged and tables_cover(TABLES, "beignet", version, pci_id) is True:
        return gpu.generation
    if packaged or tables_cover(TABLES, "beignet", version, pci_id) is True:
        return f"{gpu.generation}, {gpu.beignet or 'no package'} and {gpu.beignet_upstream}"
    return None


def test_beignet_takes_the_ids_of_the_tables_as_their_generation_and_no_others(
    beignet: UnpackedSuite, compared: Callable[[str, int], None]
) -> None:
    version = beignet.versions[PACKAGE]
    done = ask(beignet, "ids", *CHIPS)
    assert done.returncode == 0, done.stderr
    taken: dict[str, list[str]] = json.loads(done.stdout)
    driver = {
        device: " and ".join(sorted({CHIPS[chip] for chip in chips}))
        for device, chips in taken.items()
    }
    tables = {
        pci_id[5:]: said
        for pci_id in TABLES.gpus()
        if (said := in_tables(pci_id, version)) is not None
    }
    wrong = disagreements(tables, driver, f"Beignet {version}")
    compared("Beignet", len(tables.keys() | driver.keys()))
    print(f"{version}: {len(driver)} ids taken")  # noqa: T201 - what a reader of this test wants
    assert driver["0412"] == driver["0416"] == "Gen7.5"
    assert not wrong, "\n".join(wrong)
    assert len(driver) >= LEAST_KNOWN, "so few ids that something was not read"
    listed = Verified.load().holds_driver("beignet", version)
    assert listed, f"add beignet {version} to verified.yaml"


@pytest.mark.parametrize("device", [*COMPILED, *REFUSED])
def test_beignet_compiles_for_an_id_exactly_if_the_tables_say_that_it_drives_it(
    beignet: UnpackedSuite, device: str, compared: Callable[[str, int], None]
) -> None:
    """The proof that taking a program and making one go together."""
    version = beignet.versions[PACKAGE]
    said = tables_cover(TABLES, "beignet", version, f"8086:{device}") is True
    made = compiles(beignet, device)
    compared("Beignet", 1)
    assert said == made, f"8086:{device}: {said} in the tables, {made} to Beignet {version}"
    assert made == (device in COMPILED)
