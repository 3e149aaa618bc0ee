# SPDX-License-Identifier: MIT
"""Names that people use find what they stand for, misspelt ones too, and nonsense is refused."""

import json

import pytest
from click.testing import CliRunner
from explaining import KNOWLEDGE, text_of, told

from clprobe.cli.explain import command
from clprobe.model.errors import ClprobeError

LSPCI_HASWELL = (
    "00:02.0 VGA compatible controller [0300]: Intel Corporation Xeon E3-1200 v3/4th Gen Core"
    " Processor Integrated Graphics Controller [8086:0412] (rev 06)"
)


def test_an_id_of_a_rule_stands_for_the_rule_alone() -> None:
    for rule in KNOWLEDGE.rules:
        assert [entry.kind for entry in told(rule.id).entries] == ["rule"], rule.id


@pytest.mark.parametrize(
    ("name", "kind", "title"),
    [
        ("render-node-not-accessible", "rule", "render-node-not-accessible"),
        ("8086:0412", "GPU", "HD Graphics 4600"),
        ("0x5916", "GPU", "HD Graphics 620"),
        ("HD 4600", "GPU", "8086:0412"),
        ("hd4600", "GPU", "8086:0416"),
        ("intel uhd graphics 620", "GPU", "UHD Graphics 620"),
        ("Arc A770", "GPU", "8086:56a0"),
        ("arc a770m", "GPU", "8086:5690"),
        ("Haswell", "generation", "Gen7.5"),
        ("Kaby Lake", "generation", "Gen9.5"),
        ("KBL", "generation", "Gen9.5"),
        ("Meteor Lake", "generation", "Xe-LPG"),
        ("gen 9.5", "generation", "Gen9.5"),
        ("xe2", "generation", "Xe2"),
        ("NEO", "driver", "compute-runtime"),
        ("compute-runtime 24.35", "driver", "compute-runtime 24.35"),
        ("beignet", "driver", "Beignet"),
        ("intel-opencl-icd", "package", "intel-opencl-icd"),
        ("libigc1", "package", "libigc1"),
        ("mesa-opencl-icd", "package", "mesa-opencl-icd"),
        ("Ubuntu 24.04", "distribution", "ubuntu-24.04"),
        ("ubuntu noble", "distribution", "ubuntu-24.04"),
        ("bookworm", "distribution", "debian-12"),
        ("fedora 42", "distribution", "fedora-42"),
        ("pytorch xpu", "stack", "pytorch-xpu"),
        ("dlprim", "stack", "pytorch_dlprim"),
        ("i915", "kernel driver", "i915"),
        ("xe", "kernel driver", "xe"),
        ("linux 6.8", "Linux", "Linux 6.8"),
        ("RX 580", "family", "amd-gfx8"),
        ("kepler", "family", "nvidia-kepler"),
        # As lspci, Mesa, Windows, Linux and drivers print them.
        ("Intel(R) HD Graphics 4600 (rev 06)", "GPU", "8086:0412"),
        ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "GPU", "8086:5917"),
        (LSPCI_HASWELL, "GPU", "8086:0412"),
        ("PCI\\VEN_8086&DEV_0412&SUBSYS_05A41028", "GPU", "8086:0412"),
        ("pci:v00008086d00000412sv00001028", "GPU", "8086:0412"),
        ("8086 9a49", "GPU", "8086:9a49"),
        ("IntelHD4600", "GPU", "8086:0412"),
        ("Intel(R) OpenCL Graphics", "driver", "compute-runtime"),
        ("Intel(R) Gen OCL Driver", "driver", "beignet"),
        ("Portable Computing Language", "driver", "pocl"),
        ("libigdrcl.so", "driver", "compute-runtime"),
        ("intel.icd", "driver", "compute-runtime"),
        ("intel-opencl-icd-legacy1", "driver", "compute-runtime-legacy1"),
        ("xelp", "generation", "Gen12/Xe-LP"),
        ("Xe LP", "generation", "Gen12/Xe-LP"),
        ("Alder Lake", "generation", "Gen12/Xe-LP"),
        ("Braswell", "generation", "Gen8"),
        ("Nova Lake", "generation", "Xe3p"),
        ("nvidia 535", "driver", "nvidia 535"),
        ("intel-opencl-icd 23.43.27642.40", "package", "intel-opencl-icd"),
        ("libOpenCL1", "package", "libopencl1"),
        ("igc", "package", "igc"),
        ("level zero", "package", "level zero"),
        ("Ubuntu 22.04.5 LTS", "distribution", "ubuntu-22.04"),
        ("Debian GNU/Linux 12 (bookworm)", "distribution", "debian-12"),
        ("Fedora Linux 43 (Workstation Edition)", "distribution", "fedora-43"),
        ("Rocky Linux 9.4", "distribution", "rhel-9"),
        ("Intel(R) UHD Graphics (0x9bc4)", "GPU", "8086:9bc4"),
        ("Intel(R) Graphics [0x4680]", "GPU", "8086:4680"),
        ("OpenCL 1.2 beignet 1.3", "driver", "beignet 1.3"),
        ("OpenCL 3.0 PoCL 6.0", "driver", "pocl 6.0"),
        ("24.35.30872.45", "driver", "compute-runtime-legacy1 24.35.30872.45"),
        ("pocl-opencl-icd 5.0-2.1build3", "package", "pocl-opencl-icd"),
        ("intel-opencl-icd_22.43.24595.41-1_amd64.deb", "package", "intel-opencl-icd"),
        ("intel-opencl-icd:amd64", "package", "intel-opencl-icd"),
        ("libOpenCL.so.1", "package", "loader"),
        ("Xe2-HPG", "generation", "Xe2"),
        ("ADL", "generation", "Gen12/Xe-LP"),
        # Chips of other makers, and processors by their generation.
        ("gfx1030", "family", "amd-rdna2"),
        ("RX 6600 XT", "family", "amd-rdna2"),
        ("Radeon Vega 8", "family", "amd-vega"),
        ("NVIDIA GeForce RTX 3060 (rev a1)", "family", "nvidia-ampere"),
        ("NVIDIA Corporation GP104 [GeForce GTX 1080] [10de:1b80]", "family", "nvidia-maxwell"),
        ("radeon", "family", "amd-rdna4"),
        ("4th gen", "generation", "Gen7.5"),
        ("10th generation Core", "generation", "Gen11"),
        ("Mali-G52", "driver", "mali"),
        # More names than the tables' keys.
        ("oneAPI", "driver", "intel-cpu"),
        ("legacy1", "driver", "compute-runtime-legacy1"),
        ("F42", "distribution", "fedora-42"),
        ("RHEL 9.4", "distribution", "rhel-9"),
        ("CentOS Stream 9", "distribution", "rhel-9"),
        ("testing", "distribution", "debian-forky"),
        ("torch.xpu", "stack", "pytorch-xpu"),
        ("mkldnn", "stack", "onednn"),
        ("dpctl", "stack", "sycl-python"),
        ("triton", "stack", "triton-xpu"),
        ("mlc", "stack", "mlc-llm"),
        ("keras", "stack", "keras"),
        ("NCCL", "stack", "torch-distributed"),
        ("python 3.11", "Python", "Python 3.11"),
        ("Core i7-4770", "GPU", "8086:0412"),
        ("render_node_not_accessible", "rule", "render-node-not-accessible"),
    ],
)
def test_a_name_finds_its_entry(name: str, kind: str, title: str) -> None:
    explained = told(name)

    assert explained.taken_for is None
    assert any(one.kind == kind and title in one.title for one in explained.entries)
    assert all(one.sources for one in explained.entries)


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("haswel", "Haswell"),
        ("beignt", "beignet"),
        ("compute-runtme", "compute-runtime"),
        ("Intel Corporation Haswell-ULT Integrated Graphics Controller", "Haswell"),
        ("Intel Corporation CoffeeLake-S GT2 [UHD Graphics 630]", "UHD Graphics 630"),
    ],
)
def test_a_misspelt_name_is_read_as_the_nearest_and_says_so(misspelt: str, meant: str) -> None:
    assert told(misspelt).taken_for == meant


@pytest.mark.parametrize("name", ["Intel HD 4601", "debian-19", "8086:ffff", "qwertyuiop"])
def test_a_number_that_nothing_has_is_never_read_as_another(name: str) -> None:
    with pytest.raises(ClprobeError) as caught:
        told(name)

    assert caught.value.hint


@pytest.mark.parametrize("name", ["intel", "intel gpu", "Intel Graphics", "opencl", "driver"])
def test_a_word_that_means_no_single_thing_is_not_read_as_one(name: str) -> None:
    with pytest.raises(ClprobeError, match="names no single thing"):
        told(name)


@pytest.mark.parametrize("name", ["`id`", "$(rm -rf /)", "[red]x[/red]", "../../etc/passwd", "jqx"])
def test_what_is_too_far_from_any_name_is_taken_for_none(name: str) -> None:
    with pytest.raises(ClprobeError, match="Nothing is known"):
        told(name)


def test_a_pci_id_of_another_maker_finds_its_family() -> None:
    assert [entry.kind for entry in told("1002:67df").entries] == ["family"]
    assert "Ellesmere" in text_of("1002:67df")


@pytest.mark.parametrize("name", ["Zorin OS 99", "TempleOS", "Plan 9", "Linux Mint 99"])
def test_a_system_whose_base_no_table_names_is_unknown(name: str) -> None:
    with pytest.raises(ClprobeError, match="Nothing is known"):
        told(name)


def test_an_unknown_pci_id_in_a_line_of_lspci_is_not_read_as_something_else() -> None:
    with pytest.raises(ClprobeError, match="No table lists the PCI id 8086:fff0"):
        told("00:02.0 VGA compatible controller [0300]: Intel Corporation Device [8086:fff0]")


@pytest.mark.parametrize(
    ("said", "first", "second"),
    [
        ("HD 4600 on Ubuntu 24.04", "HD 4600", "Ubuntu 24.04"),
        ("beignet debian 12", "beignet", "debian 12"),
        ("Arc A770 with pytorch xpu", "Arc A770", "pytorch xpu"),
    ],
)
def test_of_two_names_in_one_each_is_offered(said: str, first: str, second: str) -> None:
    with pytest.raises(ClprobeError) as caught:
        told(said)

    assert caught.value.hint is not None
    assert repr(first) in caught.value.hint
    assert repr(second) in caught.value.hint


def test_a_name_of_several_chips_lists_them_all() -> None:
    assert {"8086:0412", "8086:0416"} <= {one.title[:9] for one in told("HD 4600").entries}
    assert "Radeon" in text_of("HD 4600")
    assert "TeraScale" not in text_of("Intel HD 4600")


@pytest.mark.parametrize("name", ["opencl-mesa", "intel-compute-runtime", "opencl-nvidia"])
def test_a_package_is_not_taken_for_drivers_that_share_its_words(name: str) -> None:
    assert [entry.kind for entry in told(name).entries] == ["package"]


@pytest.mark.parametrize(
    "name", ["", "   ", "\x1b[31mred", "a\x00b", "\u202ex", "x" * 10_000, "!?"]
)
def test_what_is_no_name_is_refused_with_2_and_never_echoed(name: str) -> None:
    with pytest.raises(ClprobeError) as caught:
        told(name)

    assert caught.value.reference == "name-unreadable"
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("name", ["qwertyuiop", "", "\x1b[31mred", "\ud800", "x" * 10_000])
def test_of_a_name_that_stands_for_nothing_json_holds_no_entries(name: str) -> None:
    done = CliRunner().invoke(command, ["--json", "--", name], obj={"color": "never"})
    parsed = json.loads(done.stdout)

    assert isinstance(done.exception, ClprobeError)
    assert parsed["entries"] == []
    assert parsed["name"] == ("qwertyuiop" if name.isalpha() and len(name) < 99 else "")


@pytest.mark.parametrize("name", ["HD\t4600", " HD\n4600 ", "HD\u00a04600", "ＨＤ ４６００"])  # noqa: RUF001 - full-width letters are the case
def test_blanks_and_wide_letters_of_a_paste_do_not_matter(name: str) -> None:
    assert told(name).entries == told("HD 4600").entries


def test_the_json_document_holds_every_entry() -> None:
    done = CliRunner().invoke(command, ["HD", "4600", "--json"], obj={"color": "never"})
    parsed = json.loads(done.stdout)

    assert parsed["schema"] == "clprobe.explain/1"
    assert len(parsed["entries"]) == len(told("HD 4600").entries)
