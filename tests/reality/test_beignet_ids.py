# SPDX-License-Identifier: MIT
"""Which PCI ids Beignet of Debian 11, the last release that carries it, compiles a kernel for.

The package is fetched and unpacked, not installed; its compiler needs no GPU. For an id that it
does not know it ends the process, so each such id costs a child of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from debian_archive import SuiteUnreachableError
from unpacked_suite import UnpackedSuite

from clprobe.engine.tables import Tables

pytestmark = [pytest.mark.reality, pytest.mark.slow]
TABLES = Tables.load()
SECONDS = 300
"""Time for one child; it compiles about ten kernels per second."""
# The option makes it read its headers anew: its precompiled ones hold the path where a package
# would have put them.
COMPILE = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
build = ctypes.CFUNCTYPE(
    ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
    ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t),
)(ctypes.c_void_p.in_dll(library, "gbe_program_new_from_source").value)
source = b"kernel void k(global float *a) { a[get_global_id(0)] += 1.0f; }".ljust(4096)
for device in sys.argv[2:]:
    log, size = ctypes.create_string_buffer(1 << 16), ctypes.c_size_t(1 << 16)
    made = build(
        int(device, 16), source, len(source), b"-cl-single-precision-constant", log,
        ctypes.byref(size),
    )
    print("id", device, "yes" if made else "no", flush=True)
"""


@pytest.fixture(scope="module")
def beignet(tmp_path_factory: pytest.TempPathFactory) -> UnpackedSuite:
    folder = tmp_path_factory.mktemp("bullseye")
    try:
        return UnpackedSuite(folder, "bullseye", ("beignet-opencl-icd",))
    except SuiteUnreachableError as error:
        pytest.skip(str(error))


def compiled_for(beignet: UnpackedSuite, devices: list[str]) -> dict[str, bool]:
    """Return for each device id whether the compiler makes a program for it."""
    library = beignet.file("usr/lib/x86_64-linux-gnu/beignet/libgbe.so")
    own = library.parent
    environment = os.environ | {
        "OCL_HEADER_FILE_DIR": str(own / "include"),
        "OCL_BITCODE_LIB_PATH": str(own / "beignet.bc"),
        "OCL_BITCODE_LIB_20_PATH": str(own / "beignet_20.bc"),
        "OCL_PCH_PATH": str(own / "beignet.pch"),
        "OCL_PCH_20_PATH": str(own / "beignet_20.pch"),
    }
    found: dict[str, bool] = {}
    waiting = list(devices)
    while waiting:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", COMPILE, str(library), *waiting],
            env=environment, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        answers = [line.split()[1:] for line in done.stdout.splitlines() if line[:3] == "id "]
        found |= {device: answer == "yes" for device, answer in answers}
        waiting = waiting[len(answers) :]
        if waiting:
            assert "Fail to create the gen context" in done.stdout + done.stderr, done.stderr
            found[waiting.pop(0)] = False
    return found


def test_beignet_compiles_for_the_ids_of_the_tables_and_for_no_others_of_them(
    beignet: UnpackedSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    version = beignet.versions["beignet-opencl-icd"]
    ids = list(TABLES.gpus())
    found = compiled_for(beignet, [pci_id[5:] for pci_id in ids])
    wrong = [
        f"{pci_id}: the tables say {drives}, Beignet {version} {found[pci_id[5:]]}"
        for pci_id in ids
        if (drives := TABLES.covers("beignet", version, pci_id) is True) != found[pci_id[5:]]
    ]
    print(  # noqa: T201 - the count is what a reader of this test wants
        f"{version}: {len(found)} ids compared, {sum(found.values())} of them known to it"
    )
    assert found["0412"]
    assert found["0416"]
    assert not wrong
