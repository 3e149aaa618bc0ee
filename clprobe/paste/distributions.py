# SPDX-License-Identifier: MIT
"""Distributions by the names that people and programs write, such as "Ubuntu 22.04.3 LTS"."""

import re

import msgspec

from clprobe.model.system import Distribution
from clprobe.model.unknown import NOT_STATED


class _Known(msgspec.Struct, frozen=True):
    """How a distribution is written, its id, what it derives from, and if it has releases."""

    pattern: str
    id: str
    like: tuple[str, ...] = ()
    rolling: bool = False


_KNOWN = (
    _Known(
        r"kubuntu|xubuntu|lubuntu|ubuntu[ -](?:mate|budgie|studio)|ubuntu", "ubuntu", ("debian",)
    ),
    _Known(r"debian(?: gnu/linux)?", "debian"),
    _Known(r"fedora(?: linux)?(?: (?:release|workstation|silverblue|kinoite|server))*", "fedora"),
    _Known(r"linux ?mint|lmde", "linuxmint", ("ubuntu", "debian")),
    _Known(r"pop!?_?os!?", "pop", ("ubuntu", "debian")),
    _Known(r"opensuse tumbleweed|tumbleweed", "opensuse-tumbleweed", ("opensuse", "suse"), True),
    _Known(r"opensuse(?: leap)?", "opensuse-leap", ("suse", "opensuse")),
    _Known(r"red hat enterprise linux(?: server)?(?: release)?|rhel", "rhel", ("fedora",)),
    _Known(r"centos(?: linux| stream)?(?: release)?", "centos", ("rhel", "fedora")),
    _Known(r"rocky(?: linux)?(?: release)?", "rocky", ("rhel", "centos", "fedora")),
    _Known(r"alma ?linux(?: release)?", "almalinux", ("rhel", "centos", "fedora")),
    _Known(r"endeavour ?os(?: linux)?", "endeavouros", ("arch",), True),
    _Known(r"cachyos(?: linux)?", "cachyos", ("arch",), True),
    _Known(r"manjaro(?: linux)?", "manjaro", ("arch",), True),
    _Known(r"arch ?linux|arch(?= rolling)", "arch", (), True),
    _Known(r"gentoo(?: linux| base system release)?", "gentoo", (), True),
    _Known(r"nix ?os", "nixos"),
    _Known(r"alpine(?: linux)?", "alpine"),
    _Known(r"kali(?: gnu/linux| linux)?", "kali", ("debian",), True),
    _Known(r"void(?: linux)", "void", (), True),
    _Known(r"zorin(?: os)?", "zorin", ("ubuntu", "debian")),
    _Known(r"elementary os", "elementary", ("ubuntu", "debian")),
    _Known(r"kde neon", "neon", ("ubuntu", "debian")),
    _Known(r"amazon linux", "amzn", ("fedora",)),
    _Known(r"proxmox(?: ve)?", "debian"),
    _Known(r"raspbian(?: gnu/linux)?", "raspbian", ("debian",)),
    _Known(r"slackware(?:64)?", "slackware"),
    _Known(r"solus", "solus"),
    _Known(r"unraid", "slackware"),
    _Known(r"mageia", "mageia"),
    _Known(r"yocto|poky", "poky"),
    _Known(r"guix system", "guix"),
    _Known(r"clear linux(?: os)?", "clear-linux-os", (), True),
)
_EXPRESSIONS = tuple(
    (
        re.compile(
            rf"(?<![\w.-/])(?:{one.pattern})(?![\w-])(?: "
            r"v?(?P<version>\d{1,4}(?:\.\d{1,3}){0,2}))?",
            re.I,
        ),
        one,
    )
    for one in _KNOWN
)
_CODENAMES = {
    "xenial": ("ubuntu", "16.04"), "bionic": ("ubuntu", "18.04"), "focal": ("ubuntu", "20.04"),
    "jammy": ("ubuntu", "22.04"), "noble": ("ubuntu", "24.04"), "oracular": ("ubuntu", "24.10"),
    "plucky": ("ubuntu", "25.04"), "questing": ("ubuntu", "25.10"), "resolute": ("ubuntu", "26.04"),
    "jessie": ("debian", "8"), "stretch": ("debian", "9"), "buster": ("debian", "10"),
    "bullseye": ("debian", "11"), "bookworm": ("debian", "12"), "trixie": ("debian", "13"),
}  # fmt: skip


def distribution_named(text: str) -> Distribution | None:
    """Return the distribution that the text names; None if it names none."""
    text = text[:300]
    for expression, known in _EXPRESSIONS:
        found = expression.search(text)
        if found is not None:
            codename = _codename(text, known.id)
            version = _version(found["version"], known, codename)
            return Distribution(
                id=known.id,
                version=version if version else (None if known.rolling else NOT_STATED),
                codename=codename or NOT_STATED,
                like=known.like,
            )
    return None


def _version(stated: str | None, known: _Known, codename: str | None) -> str | None:
    if known.rolling:
        return None
    if not stated:
        return _CODENAMES[codename][1] if codename is not None else None
    if known.id == "ubuntu":  # os-release knows 22.04, not the point release 22.04.3
        return ".".join(stated.split(".")[:2])
    return stated.split(".")[0] if known.id == "debian" else stated


def _codename(text: str, name: str) -> str | None:
    words = re.findall(r"[a-z]{4,12}", text.lower())
    return next((word for word in words if _CODENAMES.get(word, ("",))[0] == name), None)
