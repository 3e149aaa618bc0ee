# SPDX-License-Identifier: MIT
"""The tables' PCI ids of Intel under rusticl, against the real Mesa of Debian's releases.

Mesa's own shim, built from Debian 12's and Debian 13's source, plays each id; whether Mesa lists
it, and what it offers there, must be what the tables say of this version.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import pytest
from debian_archive import Archive, SuiteUnreachableError
from intel_shim import DEVICE_ID, intel_shim
from mesa_shims import ShimmedMesa
from neo_facts import Comparison

from clprobe.compat.coverage import tables_cover
from clprobe.compat.evidence import Verified
from clprobe.knowledge.table_types import GpuEntry
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_range, upstream
from clprobe.model.opencl import Device

ASKED = "CLPROBE_MESA_SHIM"
pytestmark = [
    pytest.mark.reality,
    pytest.mark.skipif(ASKED not in os.environ, reason=f"{ASKED} is not set: it takes minutes"),
]
TABLES = Tables.load()
SHIM_OF = {"bookworm": "bookworm", "trixie": "trixie", "sid": "trixie"}
"""Each suite with the one whose source its shim is built from; Debian 12's C library is older."""
SAMPLED = frozenset({"sid"})
"""Suites of which some ids are asked: there an answer takes two seconds."""
LEAST_LISTED = {"bookworm": 220, "trixie": 260, "sid": 45}
"""Ids that each was seen to list, rounded down."""
WITHOUT_DOUBLES = frozenset({"bookworm"})
AT_ONCE = 2
"""Processes of clinfo; sid's Mesa takes 400 MB in each."""
NEWER_THAN_SHIM = "25.0.7"
"""What `mesa_lacks` says of ids that Debian 13's source does not know."""
OPENCL_3_1_SINCE = ">=26.2"


@pytest.fixture(scope="module", params=sorted(SHIM_OF))
def mesa(request: pytest.FixtureRequest, archive: Archive) -> ShimmedMesa:
    try:
        found = ShimmedMesa(archive, request.param, ("mesa-opencl-icd", "clinfo"))
        found.add_shim(intel_shim(archive, SHIM_OF[request.param]), "intel")
    except SuiteUnreachableError as error:
        pytest.skip(str(error))
    return found


def ids(mesa: ShimmedMesa) -> list[str]:
    """Return all ids of the tables, or where Mesa is slow the first and last of a chip.

    Newer ones than the shim knows are left out there: Mesa takes them, and stops at their size.
    """
    gpus = TABLES.gpus()
    if mesa.suite not in SAMPLED:
        return list(gpus)

    def kind(pci_id: str) -> tuple[str, str]:
        return gpus[pci_id].platform, str(gpus[pci_id].mesa)

    known = (pci_id for pci_id, gpu in gpus.items() if gpu.mesa_lacks != NEWER_THAN_SHIM)
    chips = [list(alike) for _, alike in groupby(sorted(known, key=kind), kind)]
    return [pci_id for chip in chips for pci_id in dict.fromkeys((chip[0], chip[-1]))]


def listed(mesa: ShimmedMesa, pci_id: str, **variables: str) -> dict[str, Device]:
    """Return what each platform lists while the shim plays this GPU."""
    return mesa.devices(
        "intel", {DEVICE_ID: pci_id.removeprefix("8086:"), "RUSTICL_ENABLE": "iris", **variables}
    )


def test_rusticl_lists_the_ids_of_the_tables_with_what_they_say_and_no_others(
    mesa: ShimmedMesa, compared: Callable[[str, int], None]
) -> None:
    seen, asked = Comparison(), ids(mesa)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(asked, pool.map(lambda one: listed(mesa, one), asked), strict=True))
    for pci_id, found in answers.items():
        said = tables_cover(TABLES, "rusticl", mesa.version, pci_id)
        seen.expect("platforms", ["rusticl"] if said is True else [], list(found), pci_id)
        if list(found) == ["rusticl"]:
            compare(pci_id, found["rusticl"], mesa.version, seen)
    compared("Mesa", seen.compared.total())
    assert not seen.disagreements, seen.told(f"Mesa {mesa.version}")
    assert seen.compared["name"] >= LEAST_LISTED[mesa.suite], "so few that the shim did not play"
    added = mesa.suite in SAMPLED or Verified.load().holds_driver("rusticl", mesa.version)
    assert added, f"add rusticl {mesa.version} without families to verified.yaml"


def compare(pci_id: str, device: Device, version: str, into: Comparison) -> None:
    """Compare what the tables state of this GPU under rusticl with what Mesa answers."""
    generation = TABLES.generation(TABLES.gpus()[pci_id].generation)
    assert generation is not None
    promised = generation.capabilities["rusticl"]
    newer = (
        in_range(upstream(version), OPENCL_3_1_SINCE, "mesa") and generation.generation != "Gen8"
    )
    number = "3.1" if newer else promised.opencl_version
    chips = TABLES.named_gpu(str(device.name)).chips
    for what, table, answer in (
        ("name", (True, {generation.generation}), _meant(chips, pci_id)),
        ("OpenCL version", f"OpenCL {number}", " ".join(str(device.opencl_version).split()[:2])),
        ("fp16", promised.fp16, "cl_khr_fp16" in extensions_of(device)),
        ("fp64", promised.fp64, "cl_khr_fp64" in extensions_of(device)),
        ("max work-group", promised.max_work_group_size, device.max_work_group_size),
        ("local memory", promised.local_memory_bytes, device.local_memory_bytes),
    ):
        into.expect(what, table, answer, pci_id)


def extensions_of(device: Device) -> tuple[str, ...]:
    return device.extensions if isinstance(device.extensions, tuple) else ()


def _meant(chips: tuple[GpuEntry, ...], pci_id: str) -> tuple[bool, set[str]]:
    """Return whether this id is among the chips, and their generations."""
    return pci_id in {one.pci_id for one in chips}, {one.generation for one in chips}


def test_doubles_come_with_the_variable_that_the_tables_name(
    mesa: ShimmedMesa, compared: Callable[[str, int], None]
) -> None:
    """Debian 12's Mesa does not know the variable."""
    first = {
        gpu.generation: pci_id
        for pci_id, gpu in reversed(TABLES.gpus().items())
        if tables_cover(TABLES, "rusticl", mesa.version, pci_id) is True
    }
    doubles = {
        generation
        for generation, pci_id in first.items()
        for device in listed(mesa, pci_id, RUSTICL_FEATURES="fp64").values()
        if "cl_khr_fp64" in extensions_of(device)
    }
    compared("Mesa", len(first))
    assert doubles == (set() if mesa.suite in WITHOUT_DOUBLES else first.keys()), mesa.version
