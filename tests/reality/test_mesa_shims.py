# SPDX-License-Identifier: MIT
"""The tables' families of AMD's chips, and rusticl on NVIDIA's, against Debian's real Mesa.

What rusticl lists must be what the tables say that this version drives, and the name that it gives
the GPU must lead to the family; Clover is compared where the release still has it.
"""

from collections.abc import Callable, Iterator, Mapping

import pytest
from debian_archive import Archive, SuiteUnreachableError
from mesa_shims import ShimmedMesa

from clprobe.compat.coverage import covers
from clprobe.compat.evidence import Verified
from clprobe.compat.known_gpu import KnownGpu
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_range, upstream
from clprobe.model.opencl import Device

pytestmark = pytest.mark.reality
TABLES = Tables.load()
AMD = {
    "pitcairn": "amd-gcn1", "bonaire": "amd-gcn2", "stoney": "amd-gfx801", "polaris10": "amd-gfx8",
    "polaris12": "amd-gfx8", "vega10": "amd-vega", "raven": "amd-vega", "raven2": "amd-vega",
    "renoir": "amd-vega", "navi10": "amd-rdna1", "navi21": "amd-rdna2", "vangogh": "amd-rdna2",
    "raphael_mendocino": "amd-rdna2", "navi31": "amd-rdna3", "gfx1150": "amd-rdna3",
    "gfx1201": "amd-rdna4",
}  # fmt: skip
"""Chips that the shims play, with their families."""
CHIPS = {
    "trixie": tuple(chip for chip in AMD if chip != "gfx1201"),
    "sid": ("pitcairn", "polaris10", "vega10", "navi31", "gfx1201"),
}
"""Those that are asked of each suite: all that Debian 13's plays; in sid an answer takes longer."""
WITHOUT_FP16 = {"trixie": frozenset(AMD.values()), "sid": frozenset({"amd-gcn1", "amd-gcn2"})}
VERSION = {"trixie": "OpenCL 3.0", "sid": "OpenCL 3.1"}
"""What rusticl offers on AMD's chips: Mesa 25.0 and Mesa 26.2."""
NOUVEAU: dict[str, Mapping[str, str | None]] = {
    "trixie": dict.fromkeys(("c0", "e4", "f0", "117", "134", "140", "162", "176"), "OpenCL 3.0"),
    "sid": {"c0": "OpenCL 1.2", "162": None},
}
"""The same on NVIDIA's, of Fermi to Ampere; Mesa 26.2 lists none from Turing (162) on."""
CLOVER_UNTIL = "<25.2"


@pytest.fixture(scope="module", params=sorted(CHIPS, reverse=True))
def mesa(request: pytest.FixtureRequest, archive: Archive) -> Iterator[ShimmedMesa]:
    try:
        yield ShimmedMesa(archive, request.param)
    except SuiteUnreachableError as error:
        pytest.skip(str(error))


def offered(device: Device) -> tuple[str, bool]:
    """Return the OpenCL version and whether there is fp16."""
    extensions = device.extensions if isinstance(device.extensions, tuple) else ()
    return " ".join(str(device.opencl_version).split()[:2]), "cl_khr_fp16" in extensions


def families_called(name: str) -> list[str]:
    return [family.family for family in TABLES.named_gpu(name).families]


def test_rusticl_lists_the_chips_of_amd_that_the_tables_say(
    mesa: ShimmedMesa, compared: Callable[[str, int], None]
) -> None:
    rusticl, told = TABLES.implementations()["rusticl"], 0
    wrong = []
    for chip in CHIPS[mesa.suite]:
        key = AMD[chip]
        gpu = KnownGpu(vendor="amd", family=TABLES.families()[key])
        found = mesa.devices("amdgpu", {"AMDGPU_GPU_ID": chip, "RUSTICL_ENABLE": "radeonsi"})
        said = covers(rusticl, mesa.version, gpu)
        if said is not True or "rusticl" not in found:
            wrong.append(f"{chip}: driven: {said} in the tables, listed by {list(found)}")
            continue
        facts = {
            "the family of its name": ([key], families_called(str(found["rusticl"].name))),
            "what rusticl offers": (
                (VERSION[mesa.suite], key not in WITHOUT_FP16[mesa.suite]),
                offered(found["rusticl"]),
            ),
        }
        if in_range(upstream(mesa.version), CLOVER_UNTIL, "mesa"):
            facts["what Clover offers"] = (("OpenCL 1.1", False), offered(found["Clover"]))
        wrong += [
            f"{chip}: {what}: {table} in the tables, {driver} to Mesa"
            for what, (table, driver) in facts.items()
            if table != driver
        ]
        told += 1 + len(facts)
    compared("Mesa", told)
    assert not wrong, f"Mesa {mesa.version}:\n" + "\n".join(wrong)
    played = {AMD[chip] for chip in CHIPS[mesa.suite]}
    builds = [one for one in Verified.load().drivers if one.version == mesa.version]
    assert played <= {key for one in builds for key in one.families}, (
        f"add rusticl {mesa.version} with {', '.join(sorted(played))} to verified.yaml"
    )


def test_rusticl_lists_chips_of_nvidia_through_nouveau(
    mesa: ShimmedMesa, compared: Callable[[str, int], None]
) -> None:
    """Clover, where it is, lists none of them."""
    wrong = []
    for chip, version in NOUVEAU[mesa.suite].items():
        found = mesa.devices("nouveau", {"NOUVEAU_CHIPSET": chip, "RUSTICL_ENABLE": "nouveau"})
        answers = {platform: offered(device) for platform, device in found.items()}
        if answers != ({} if version is None else {"rusticl": (version, False)}):
            wrong.append(f"NV{chip}: {version} expected, {answers} to Mesa")
    compared("Mesa", len(NOUVEAU[mesa.suite]))
    assert not wrong, f"Mesa {mesa.version}:\n" + "\n".join(wrong)
