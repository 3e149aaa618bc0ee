# SPDX-License-Identifier: MIT
"""Package sources from lists written as each package manager has them."""

from pathlib import Path
from typing import Any

import pytest
from inventing import invent_host

from clprobe.model.unknown import Unknown
from clprobe.probe.live_host import LiveHost
from clprobe.probe.packages.sources import probe_package_sources

_APT = "/etc/apt/sources.list"
_DEBIAN = (
    "# deb http://example.org/commented stable main\n"
    "deb cdrom:[Debian GNU/Linux 12 _Bookworm_]/ bookworm main\n"
    "deb [signed-by=/usr/share/keyrings/d.gpg] http://deb.debian.org/debian bookworm main\n"
    "deb-src http://src.example.org/debian bookworm main\n"
    "deb http://mirror.example.net/pub/debian bookworm main\n"
    "deb http://mirror.example.net/pub/debian bookworm-updates main\n"
)


def _of(folder: Path, path: str, text: str) -> Any:
    parent, _, name = path.rpartition("/")
    listing = {} if path == _APT else {parent: [name]}
    return probe_package_sources(invent_host(folder, read={path: text}, list_folder=listing))


def test_own_sources_and_mirrors_are_left_out(tmp_path: Path) -> None:
    assert _of(tmp_path, _APT, _DEBIAN) == ()


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (
            "deb [arch=amd64] https://repositories.intel.com/gpu/ubuntu jammy unified",
            "repositories.intel.com/gpu/ubuntu",
        ),
        (
            "deb https://repo.radeon.com/amdgpu/6.0/ubuntu jammy main",
            "repo.radeon.com/amdgpu/6.0/ubuntu",
        ),
        (
            "deb https://ppa.launchpadcontent.net/kobuk-team/intel-graphics/ubuntu noble main",
            "ppa:kobuk-team/intel-graphics",
        ),
        ("deb file:/var/cuda-repo-ubuntu2204-12-0-local /", "/var/cuda-repo-ubuntu2204-12-0-local"),
        ("deb https://me:secret@apt.example.org:8443/x stable main", "apt.example.org/x"),
        (
            "deb https://pkg.example.org/0a1b2c3d4e5f6a7b8c9d0e1f/any any main",
            "pkg.example.org/…/any",
        ),
        ("deb http://10.1.2.3/debs stable main", "…/debs"),
        ("deb http://[broken stable main", ""),
    ],
)
def test_foreign_sources_of_apt(tmp_path: Path, line: str, place: str) -> None:
    assert _of(tmp_path, _APT, f"{line}\n") == ((place,) if place else ())


def test_paragraphs_of_apt(tmp_path: Path) -> None:
    text = (
        "Types: deb deb-src\nURIs: https://apt.example.org/a\n https://apt.example.org/b\n"
        "Suites: stable\n\n# a comment\nEnabled: no\nTypes: deb\nURIs: https://off.example.org/\n\n"
        "Types: deb-src\nURIs: https://src.example.org/\nSuites: x\n\n"
        "Types: deb\nURIs: http://archive.ubuntu.com/ubuntu\nSuites: noble noble-updates\n"
    )
    found = _of(tmp_path, "/etc/apt/sources.list.d/more.sources", text)
    assert found == ("apt.example.org/a", "apt.example.org/b")


def test_a_list_that_apt_ignores_by_its_name_is_ignored(tmp_path: Path) -> None:
    found = _of(tmp_path, "/etc/apt/sources.list.d/x.list.save", "deb https://x.example.org y z\n")
    assert isinstance(found, Unknown)


def test_repositories_of_dnf(tmp_path: Path) -> None:
    text = (
        "[updates]\nname=Fedora\nbaseurl=https://mirror.example.net/fedora/updates\nenabled=1\n"
        "[fedora-cisco-openh264]\nmetalink=https://mirrors.fedoraproject.org/metalink?repo=x\n"
        "[epel]\nmetalink=https://mirrors.fedoraproject.org/metalink?repo=epel-9&arch=$basearch\n"
        "[off]\nbaseurl=https://off.example.org/\nenabled=0\n"
        "[intel]\nbaseurl=https://repositories.intel.com/gpu/rhel/9.4/unified/\n"
        "[copr:copr.fedorainfracloud.org:jdanecki:intel-opencl]\n"
        "baseurl=https://download.copr.fedorainfracloud.org/results/jdanecki/intel-opencl/"
        "fedora-$releasever-$basearch/\n"
    )
    assert _of(tmp_path, "/etc/yum.repos.d/all.repo", text) == (
        "mirrors.fedoraproject.org/metalink (epel)",
        "repositories.intel.com/gpu/rhel/9.4/unified",
        "copr:jdanecki/intel-opencl",
    )


def test_repositories_of_zypper(tmp_path: Path) -> None:
    text = (
        "[repo-oss]\nenabled=1\nbaseurl=http://cdn.opensuse.org/tumbleweed/repo/oss/\n"
        "[science]\nbaseurl=https://download.opensuse.org/repositories/science/15.6/\n"
    )
    found = _of(tmp_path, "/etc/zypp/repos.d/all.repo", text)
    assert found == ("download.opensuse.org/repositories/science/15.6",)


def test_repositories_of_pacman(tmp_path: Path) -> None:
    text = (
        "[options]\nServer = x\n#[multilib]\n[core]\nInclude = /etc/pacman.d/mirrorlist\n"
        "[chaotic-aur]\nInclude = /etc/pacman.d/chaotic-mirrorlist\n"
        "[arch4edu]\nServer = https://mirror.example.net/arch4edu/$arch\n"
    )
    host = invent_host(tmp_path, read={"/etc/pacman.conf": text})
    assert probe_package_sources(host) == ("chaotic-aur", "mirror.example.net/arch4edu")


def test_repositories_of_apk(tmp_path: Path) -> None:
    text = (
        "https://dl-cdn.alpinelinux.org/alpine/v3.20/main\n#https://off.example.org/x\n"
        "@edge https://mirror.example.net/alpine/edge/testing\nhttps://apk.example.org/own\n"
    )
    host = invent_host(tmp_path, read={"/etc/apk/repositories": text})
    assert probe_package_sources(host) == ("apk.example.org/own",)


def test_a_list_that_may_not_be_read_is_unknown(tmp_path: Path) -> None:
    host = invent_host(tmp_path, read={_APT: {"error": "EACCES"}})
    assert probe_package_sources(host) == Unknown(f"{_APT}: Permission denied")


def test_this_machine_names_no_credentials() -> None:
    found = probe_package_sources(LiveHost())
    assert isinstance(found, Unknown) or all("@" not in place for place in found)
