# SPDX-License-Identifier: MIT
"""Releases are found by what people type, and one name means the same to every command."""

import pytest

from clprobe.knowledge.release_names import find, find_derived
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
KNOWN = TABLES.distributions()
TYPED = {
    "ubuntu-24.04": "ubuntu-24.04",
    "Ubuntu 24.04.2": "ubuntu-24.04",
    "ubuntu noble": "ubuntu-24.04",
    "noble": "ubuntu-24.04",
    "Linux Mint 22": "ubuntu-24.04",
    "linuxmint-22": "ubuntu-24.04",
    "mint 22": "ubuntu-24.04",
    "bookworm": "debian-12",
    "debian": "debian-13",
    "debian testing": "debian-forky",
    "sid": "debian-sid",
    "fedora": "fedora-44",
    "F43": "fedora-43",
    "arch": "arch-rolling",
    "Manjaro": "arch-rolling",
    "tumbleweed": "opensuse-tumbleweed",
    "RHEL 9.4": "rhel-9",
    "Rocky Linux 9": "rhel-9",
    "alpine": "alpine-3.24",
    "nixos": "nixos-26.05",
}


@pytest.mark.parametrize("name", TYPED)
def test_a_plan_is_for_the_release_that_was_meant(name: str) -> None:
    found = TABLES.named_system(name).release

    assert found is not None
    assert found.key == TYPED[name]


def test_a_distribution_stands_for_all_of_its_releases() -> None:
    assert [one.release for one in find("ubuntu", KNOWN)][-1] == "26.10"
    assert len(find("fedora", KNOWN)) > 5


@pytest.mark.parametrize("name", ["", "xyzzy", "haiku", "9", "os", "-", "linux"])
def test_what_is_no_release_is_none(name: str) -> None:
    assert TABLES.named_system(name).release is None
    assert not find_derived(name, KNOWN)
