# SPDX-License-Identifier: MIT
"""What `clprobe explain` says of a name that it found: versions, doubts, bases and sources."""

import pytest
from click.testing import CliRunner
from explaining import text_of, told

from clprobe.cli.explain import command


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("Linux Mint 22", "ubuntu-24.04"),
        ("Mint 21.3", "ubuntu-22.04"),
        ("Pop!_OS 22.04 LTS", "ubuntu-22.04"),
        ("LMDE 7", "debian-13"),
        ("Kali", "debian-forky"),
        ("Manjaro", "arch-rolling"),
        ("SteamOS", "arch-rolling"),
    ],
)
def test_a_derived_release_is_not_in_the_tables_but_names_its_base(name: str, base: str) -> None:
    (entry,) = told(name).entries

    assert "not in the tables" in entry.title
    assert dict(entry.facts)["built on"].startswith(base)
    assert entry.sources


def test_stacks_that_carry_the_word_come_before_those_that_mention_it() -> None:
    keys = [entry.title.partition(":")[0] for entry in told("pytorch").entries]

    assert keys.index("pytorch-xpu") < keys.index("ipex")


def test_what_a_family_leaves_open_is_named_with_its_nodes() -> None:
    facts = dict(told("RX 5700 XT").entries[0].facts)

    assert "/dev/kfd" in facts["also in question"]


def test_a_version_of_a_package_tells_where_it_is() -> None:
    facts = dict(told("intel-opencl-icd 23.43.27642.40").entries[0].facts)

    assert "ubuntu-24.04" in facts["23.43.27642.40 is in"]
    assert "debian-12" not in facts["23.43.27642.40 is in"]


def test_a_version_of_a_driver_tells_what_it_drives_and_what_not() -> None:
    facts = dict(told("compute-runtime 24.35").entries[0].facts)

    assert "Gen12/Xe-LP" in facts["24.35 drives"]
    assert "Gen9.5" in facts["24.35 lacks"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("netcl", "run here on a CPU device only, unverified"),
        ("amd-rocm", "nobody has confirmed this entry as a whole"),
        ("opensuse-leap-15.6", "the branch is newer than this release, unverified"),
        (
            "HD 530",
            "netcl: untested, its kernels are OpenCL C 1.2; run here on a CPU device only, unv",
        ),
    ],
)
def test_what_nobody_confirmed_says_so(name: str, said: str) -> None:
    assert said in text_of(name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Gen9", "OpenCL 2.1 before 21.13, 1.2 on Apollo Lake"),
        ("Gen9.5", "1.88 GiB per allocation; no Level Zero"),
        ("Xe2", "OpenCL 3.1 from Mesa 26.2 on"),
        ("pytorch-xpu", "from torch 2.9 on only their H models"),
        ("pytorch_dlprim", "linux, windows, macos"),
        ("rusticl", "INTEL_FORCE_PROBE: PCI ids"),
        ("beignet", "OCL_STRICT_CONFORMANCE: 0"),
        ("amd-rocm", "device nodes /dev/kfd"),
        ("clover", "OpenCL 1.1"),
        ("pocl", "platform Portable Computing Language"),
        ("NEO", "before 24.09.28717.14 on Xe-HPG, Xe-LPG with Linux 6.8 or newer"),
        ("kepler", "nvidia before 471"),
        ("llama.cpp", "SYCL lists the Max series"),
        ("llama.cpp", "Xe3: untested, through Vulkan"),
        ("itex", "Xe-HPC: works"),
        ("tensorflow-directml-plugin", "Xe-LPG, Xe2, Xe3: untested"),
        ("Meteor Lake", "Linux 6.5 of Ubuntu binds it"),
    ],
)
def test_what_the_comparison_with_the_sources_found_missing_is_said(name: str, said: str) -> None:
    assert said in text_of(name)


def test_a_release_newer_than_the_tables_says_that_it_is() -> None:
    assert "newer than any" in dict(told("NEO 99.99").entries[0].facts)["seen"]
    assert "seen" not in dict(told("NEO 24.35.30872.22").entries[0].facts)


def test_the_file_name_of_a_package_tells_where_that_version_is() -> None:
    (entry,) = told("intel-opencl-icd_22.43.24595.41-1_amd64.deb").entries

    assert dict(entry.facts)["22.43.24595.41-1 is in"].startswith("debian-12")


def test_a_version_of_linux_tells_what_it_binds() -> None:
    facts = dict(told("linux 6.8").entries[0].facts)

    assert "Lunar Lake" in facts["when forced"]
    assert "Lunar Lake" not in facts["binds"]
    assert "Haswell" in facts["binds"]
    assert "ubuntu-24.04" in facts["shipped by"]
    assert "GTT" in facts["known problems"]


def test_the_page_of_a_release_does_not_cite_what_is_built_on_it() -> None:
    (debian,) = told("debian-13").entries
    (mint,) = told("LMDE 7").entries

    assert not set(mint.sources) & set(debian.sources)


def test_chips_of_one_name_are_told_apart_by_their_codenames() -> None:
    (page,) = told("UHD 630").entries

    assert "8086:3e92: Intel UHD Graphics 630 (CFL GT2)" in dict(page.facts)["may be"]


def test_the_facts_that_a_rule_fills_in_are_blanks() -> None:
    assert "cannot open <node path>" in text_of("render-node-not-accessible")
    assert "{node" not in text_of("render-node-not-accessible")


def test_a_long_label_stands_apart_from_its_text() -> None:
    done = CliRunner().invoke(command, ["NEO 24.35.30872.22"], obj={"color": "never"})

    assert "  24.35.30872.22 drives\n" in done.stdout


def test_many_entries_are_listed_and_not_printed_whole() -> None:
    done = CliRunner().invoke(command, ["ubuntu"], obj={"color": "never"})

    assert len(told("ubuntu").entries) == len(done.stdout.strip().splitlines()) - 3
    assert "Ask for one of them." in done.stdout
