# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest

from clprobe.compat.coverage import tables_cover
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import Unknown


@pytest.fixture(scope="module")
def tables():
    return Tables.load()


def test_every_gpu_names_its_sources(tables):
    assert all(gpu.sources for gpu in tables.gpus().values())


def test_the_tables_hold_every_known_id_once(tables):
    assert len(tables.gpus()) == 469
    assert all(p == p.lower() and p.startswith("8086:") for p in tables.gpus())


@pytest.mark.parametrize(
    ("implementation", "version", "pci_id", "answer"),
    [
        ("compute-runtime", "22.43.24595.41-1", "8086:5916", True),
        ("compute-runtime", "22.43.24595", "8086:5916", True),
        ("compute-runtime", "24.52.32224.13-0ubuntu3", "8086:5916", False),
        ("compute-runtime", None, "8086:0412", False),
        ("compute-runtime", "23.43.27642.40-1ubuntu3", "8086:e20b", False),
        ("compute-runtime", "24.52.32224.13", "8086:e20b", True),
        ("compute-runtime", "22.43", "8086:22b1", False),
        ("compute-runtime", "22.43", "10de:1eb8", False),
        ("compute-runtime-legacy1", None, "8086:5916", True),
        ("compute-runtime-legacy1", None, "8086:9a49", False),
        ("beignet", "1.3.2-8", "8086:9bc5", True),
        ("beignet", "1.3.2-7build1", "8086:9bc5", False),
        ("beignet", "1.3", "8086:0412", True),
        ("beignet", "1.0", "8086:0412", False),
        ("beignet", "1.3.2-8", "8086:9a49", False),
        ("rusticl", "25.0.7-2+deb13u1", "8086:5916", True),
        ("rusticl", "21.2", "8086:5916", False),
        ("rusticl", "26.2", "8086:0412", False),
        ("rusticl", "26.2", "8086:22b1", False),
        ("clover", "25.0.7", "8086:5916", False),
        ("pocl", "7.1", "8086:5916", False),
    ],
)
def test_an_implementation_drives_a_gpu_or_not(tables, implementation, version, pci_id, answer):
    assert tables_cover(tables, implementation, version, pci_id) is answer


@pytest.mark.parametrize(
    ("implementation", "version", "pci_id", "settled_by"),
    [
        ("compute-runtime", None, "8086:5916", "version"),
        ("compute-runtime", "24.35.30872.32", "8086:5916", "built"),
        ("compute-runtime", "newest", "8086:5916", "cannot be read"),
        ("compute-runtime", "26.27", "8086:ffff", "no table"),
        ("beignet", "1.3", "8086:3e92", "package"),
        ("beignet", None, "8086:0412", "version"),
        ("rusticl", "24.2.8", "8086:e20b", "not looked at"),
        ("rusticl", "26.0", "1002:ffff", "in no table"),
        ("nonesuch", "1", "8086:5916", "no table"),
    ],
)
def test_what_is_not_known_says_what_would_settle_it(
    tables, implementation, version, pci_id, settled_by
):
    answer = tables_cover(tables, implementation, version, pci_id)
    assert isinstance(answer, Unknown)
    assert settled_by in answer.unknown


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        (
            {"library_path": "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so"},
            "compute-runtime",
        ),
        ({"library_path": "libigdrcl_legacy1.so"}, "compute-runtime-legacy1"),
        ({"library_path": "/usr/lib/x86_64-linux-gnu/beignet//libcl.so"}, "beignet"),
        ({"library_path": "libRusticlOpenCL.so.1"}, "rusticl"),
        ({"library_path": "libMesaOpenCL.so.1"}, "clover"),
        ({"library_path": "libpocl.so.2.10.0"}, "pocl"),
        ({"library_path": "/opt/x/lib/libintelocl.so"}, "intel-cpu"),
        ({"library_path": "libnvidia-opencl.so.1"}, "nvidia"),
        ({"library_path": "libamdocl64.so"}, "amd-rocm"),
        ({"library_path": "/usr/lib/oclgrind/liboclgrind-rt-icd.so"}, "oclgrind"),
        ({"library_path": "/opt/other/libcl.so"}, None),
        ({"platform_name": "Intel(R) OpenCL"}, "intel-cpu"),
        ({"platform_name": "Intel(R) OpenCL HD Graphics"}, "compute-runtime"),
        (
            {"platform_name": "Intel(R) OpenCL Graphics", "driver_version": "24.35.30872.45"},
            "compute-runtime-legacy1",
        ),
        (
            {"platform_name": "Intel(R) OpenCL Graphics", "driver_version": "25.31.34666"},
            "compute-runtime",
        ),
        ({"platform_name": "Intel Gen OCL Driver"}, "beignet"),
        ({"platform_name": "My own driver"}, None),
        ({}, None),
    ],
)
def test_an_implementation_is_recognised_by_library_or_platform(tables, asked, key):
    assert tables.recognise(**asked) == key


@pytest.mark.parametrize(
    ("ip_version", "generation"),
    [
        (0x080000, "Gen8"),
        (0x090000, None),  # 22.43 says so on Gen9 and Gen9.5 alike
        (0x0B0000, "Gen11"),
        (0x0C0001, "Gen12/Xe-LP"),
        (0x0C0701, "Xe-HPG"),
        (0x02400009, "Gen9"),
        (0x02404009, "Gen9.5"),
        (0x030DC008, "Xe-HPG"),
        (0x030C8004, None),  # 12.50, which never shipped
        (0x03128004, "Xe-LPG"),
        (0x05010004, "Xe2"),
        (0x07800004, "Xe3"),
        (0, None),
    ],
)
def test_an_ip_version_names_a_generation_only_where_it_can(tables, ip_version, generation):
    assert tables.generation_of_ip_version(ip_version) == generation


@pytest.mark.parametrize(
    ("name", "pci_ids"),
    [
        ("HD 4600", {"8086:0412", "8086:0416", "8086:0d12"}),
        ("Intel(R) HD Graphics 4600", {"8086:0412", "8086:0416", "8086:0d12"}),
        ("UHD620", {"8086:3ea0", "8086:3ea9", "8086:5917"}),
        ("arc a770", {"8086:56a0"}),
        ("A770", {"8086:56a0"}),
        ("0412", {"8086:0412"}),
        ("braswell", {"8086:22b0", "8086:22b1", "8086:22b2", "8086:22b3"}),
        ("HD 405", {"8086:22b0", "8086:22b1", "8086:22b2", "8086:22b3"}),
        ("Voodoo 2", set()),
    ],
)
def test_gpus_are_found_by_what_people_call_them(tables, name, pci_ids):
    assert {pci_id for pci_id, _ in tables.find_gpus(name)} == pci_ids


def test_a_chip_name_finds_all_its_ids_but_no_development_boards(tables):
    found = tables.find_gpus("Haswell")
    assert len(found) == 45
    assert {entry.platform for _, entry in found} == {"hsw"}


def test_an_unknown_name_gets_a_hint(tables):
    assert "HD 4600" in tables.nearest_gpu_names("HD 460")
    assert "Haswell" in tables.nearest_gpu_names("Haswel")
    assert "PCI id" in tables.nearest_gpu_names("qqqqqqqq")


def test_releases_are_found_by_number_and_by_codename(tables):
    assert tables.distribution("ubuntu", "24.04") is tables.distribution("ubuntu", "noble")
    assert tables.distribution("rocky", "9") is tables.distribution("rhel", "9")
    assert tables.distribution("ubuntu", "99.04") is None
    assert tables.distribution("debian", "../debian-12") is None
    debian = [d.release for d in tables.distributions() if d.id == "debian"]
    assert debian == ["10", "11", "12", "13", "forky", "sid"]


def _copy(tmp_path: Path, old: str, new: str, name: str) -> Tables:
    source = Path(__file__).parents[2] / "rules" / "tables" / name
    target = tmp_path / name
    target.parent.mkdir()
    text = source.read_text(encoding="utf-8")
    assert old in text
    target.write_text(text.replace(old, new, 1), encoding="utf-8")
    return Tables.load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("eus: 10", "eu: 10", (10, "unknown field `eu`", "eus")),
        ("gt: GT1, eus: 10", "gt: GT1, eus: ten", (10, "eus: Expected `int", "README")),
        ("[i915]", "[i916]", (10, "i916", "i915")),
        ("mesa: crocus", "mesa: yes", (10, "yes", "crocus")),
        ('"8086:0406"', '"8086:0402"', (11, "twice", "README")),
        ("sources: KMBD", "sources: KMZD", (10, "'Z'", "K")),
        ("generation: Gen7.5", "generation: [", (3, "", "README")),
    ],
)
def test_a_mistake_in_a_table_is_named_with_line_and_nearest_word(tmp_path, old, new, expected):
    line, says, hint = expected
    tables = _copy(tmp_path, old, new, "gpus/intel-gen7.5.yaml")
    with pytest.raises(ClprobeError) as caught:
        tables.gpus()
    message = caught.value.message
    assert "intel-gen7.5.yaml:" in message
    assert says in message
    assert hint in caught.value.hint
    if says:
        assert f"intel-gen7.5.yaml:{line}:" in message


def test_an_unquoted_version_is_refused(tmp_path):
    tables = _copy(tmp_path, '"24.04"', "24.04", "distributions/ubuntu-24.04.yaml")
    with pytest.raises(ClprobeError, match="Expected `str`, got `float`"):
        tables.distributions()


def test_a_missing_folder_of_tables_is_an_error_for_users(tmp_path):
    with pytest.raises(ClprobeError) as caught:
        Tables.load(tmp_path / "none")
    assert caught.value.reference == "tables-missing"
