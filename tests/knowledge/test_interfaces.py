# SPDX-License-Identifier: MIT
"""Which GPUs have an interface, and what is wrong with a file that says so."""

import re
from pathlib import Path

import pytest

from clprobe.compat.interfaces import Hardware, reached
from clprobe.compat.known_gpu import KnownGpu, gpu_of_id
from clprobe.knowledge.interface_table import Interface
from clprobe.knowledge.program_table import Api
from clprobe.knowledge.tables import Tables, read_table
from clprobe.resources import rules_path
from clprobe.validation.checks.interfaces import interfaces

TABLES = Tables.load()
FOLDER = rules_path() / "tables" / "interfaces"


def hardware(name: str) -> Hardware:
    named = TABLES.named_gpu(name)
    if named.chips:
        one = named.chips[0]
        gpus = (gpu_of_id(one.pci_id, TABLES),)
        return Hardware(called=name, gpus=gpus, chip=one.platform)
    (family,) = named.families
    gpu = KnownGpu(vendor=family.vendor, family=family)
    return Hardware(called=name, gpus=(gpu,), chip=named.chip)


@pytest.mark.parametrize(
    ("name", "api", "reaches", "driver"),
    [
        ("HD 4600", "vulkan", "partly", "hasvk"),
        ("HD 5500", "vulkan", "works", "hasvk"),
        ("UHD 620", "vulkan", "works", "anv"),
        ("HD 2000", "vulkan", "fails", "anv"),
        ("RX 580", "vulkan", "works", "radv"),
        ("Radeon HD 6770M", "vulkan", "fails", "radv"),
        ("Mali-G610", "vulkan", "works", "panvk"),
        ("Mali-T860", "vulkan", "fails", "panvk"),
        ("Adreno 630", "vulkan", "works", "turnip"),
        ("Adreno 530", "vulkan", "fails", "turnip"),
        ("Raspberry Pi 3", "vulkan", "fails", "v3dv"),
        ("UHD 600", "level-zero", "fails", "level-zero-gpu"),
        ("UHD 620", "level-zero", "works", "level-zero-gpu-legacy1"),
        ("Atom E3950 HD 505", "va-api", "works", "iHD"),
        ("HD 4600", "va-api", "works", "i965"),
        ("GTX 1060", "va-api", "works", "nvidia-vaapi"),
        ("10de:1c03", "cuda", "works", "nvidia-cuda"),
    ],
)
def test_a_gpu_has_an_interface_by_a_driver(name: str, api: Api, reaches: str, driver: str) -> None:
    found = reached(api, hardware(name), TABLES)

    assert (found.reaches, found.by[0].driver) == (reaches, driver)


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("10de:1c03", "6.1"),
        ("GTX 1060", "6.1"),
        ("10de:1380", "5.0"),
        ("Tesla V100", "7.0"),
        ("RTX 3060", "8.6"),
        ("GeForce 940MX", "5.0 to 7.0"),
    ],
)
def test_the_chip_decides_the_compute_capability(name: str, has: str) -> None:
    assert reached("cuda", hardware(name), TABLES).by[0].has == f"compute capability {has}"


def test_what_is_one_makers_own_is_closed_to_others() -> None:
    assert "NVIDIA" in reached("cuda", hardware("RX 580"), TABLES).closed_because
    assert "Apple" in reached("metal", hardware("RX 580"), TABLES).closed_because


def test_an_interface_without_a_table_is_not_known() -> None:
    assert reached("opengl", hardware("RX 580"), TABLES).reaches == "unknown"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[amd-cdna]", "[amd-cdnb]", "there is no generation or family amd-cdnb"),
        ('files: ["radeon_icd*.json", "libvulkan_radeon.so"]', "files: []", "nothing tells"),
        (", amd-rdna4]", "]", "it says nothing of amd-rdna4"),
        ('because: "it cannot compute", ', "", "it says no reason"),
        (r"'\bM[12]\b'", r"'\bM[12\b'", "is no pattern"),
        ('versions: ">=22.3"', 'versions: ">=22.3, <20"', "no version is"),
        ("interface: vulkan", "interface: va-api", "the file is called vulkan"),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = (FOLDER / "vulkan.yaml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "vulkan.yaml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    mistakes = list(interfaces({file: read_table(file, Interface)}, TABLES))

    assert re.search(r"vulkan\.yaml:\d+: ", mistakes[0].message)
    assert said in mistakes[0].message


def test_level_zero_is_what_the_generations_say(tmp_path: Path) -> None:
    text = (FOLDER / "level-zero.yaml").read_text(encoding="utf-8")
    file = tmp_path / "level-zero.yaml"
    file.write_text(text.replace("Xe2, Xe3], reaches: works", "Xe3], reaches: works", 1))
    mistakes = [one.message for one in interfaces({file: read_table(file, Interface)}, TABLES)]

    assert any("of Xe2 its own file says level_zero: True" in one for one in mistakes)
