# SPDX-License-Identifier: MIT
"""The tables of distributions leave no cell of the matrix blank, and each answer has a source."""

from collections.abc import Callable
from datetime import date

import msgspec
import pytest

from clprobe.knowledge.table_types import Distribution
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
PROMISED = [
    *(f"debian-{release}" for release in ("11", "12", "13", "sid")),
    *(f"ubuntu-{year}.{month}" for year in range(18, 27) for month in ("04", "10")),
    *(f"fedora-{release}" for release in range(40, 44)),
    *(f"rhel-{release}" for release in (8, 9, 10)),
    *(f"opensuse-leap-{release}" for release in ("15.2", "15.3", "15.4", "15.5", "15.6", "16.0")),
    *(f"alpine-{release}" for release in ("3.20", "3.21", "3.22", "3.23", "3.24", "edge")),
    *("opensuse-tumbleweed", "arch-rolling", "nixos-unstable", "nixos-26.05"),
    "conda-forge-rolling",
]
NOT_MEANT = {"ubuntu-18.10", "ubuntu-19.04", "ubuntu-19.10"}
"""Short-lived releases, closed since 2020 at the latest; the LTS before them stands for them."""
READ_FROM_LISTS = ("debian-11", "debian-12", "debian-13", "debian-forky", "debian-sid")
X86_64 = [
    key
    for key, entry in TABLES.implementations().items()
    if not entry.architectures or "x86_64" in entry.architectures
]
RELEASES = TABLES.distributions()
LEAST_IMPLEMENTATIONS = 10
"""For x86-64, when they were counted: what each release answers for."""


def answers(release: Distribution) -> dict[str, list[str]]:
    """Return, per implementation, where the release answers for it: a row, lacks or unknown."""
    found: dict[str, list[str]] = {}
    for versions in release.packages.values():
        for key in {key for version in versions for key in version.implementations}:
            if "row" not in found.setdefault(key, []):
                found[key].append("row")
    for field in ("lacks", "unknown"):
        for line in getattr(release, field):
            for key in line.implementations:
                found.setdefault(key, []).append(field)
    return found


def test_every_release_that_is_promised_has_its_file() -> None:
    missing = set(PROMISED) - {release.key for release in RELEASES} - NOT_MEANT
    assert not missing


def unanswered(release: Distribution) -> dict[str, list[str]]:
    """Return the implementations with no answer or several, with where those are."""
    found = answers(release)
    return {key: found.get(key, []) for key in X86_64 if len(found.get(key, [])) != 1}


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.key)
def test_each_implementation_has_exactly_one_answer(
    release: Distribution, compared: Callable[[str, int], None]
) -> None:
    wrong = unanswered(release)
    compared("distribution answers", len(answers(release)))
    assert not wrong, f"neither packaged, lacking nor unknown, or twice so: {wrong}"
    assert len(answers(release)) >= LEAST_IMPLEMENTATIONS


def test_an_answer_that_is_missing_or_given_twice_is_told() -> None:
    release = next(release for release in RELEASES if release.key == "debian-12")
    assert unanswered(release) == {}
    silent = msgspec.structs.replace(release, packages={})
    assert unanswered(silent)["pocl"] == []
    twice = msgspec.structs.replace(release, lacks=(*release.lacks, release.lacks[0]))
    assert unanswered(twice) == {
        key: ["lacks", "lacks"] for key in release.lacks[0].implementations
    }


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.key)
def test_each_answer_has_a_dated_source_and_says_why(release: Distribution) -> None:
    rows = [version for versions in release.packages.values() for version in versions]
    for answer in (*rows, *release.lacks, *release.unknown):
        assert answer.sources, answer
        assert all(date.fromisoformat(source.checked) for source in answer.sources)
    for line in (*release.lacks, *release.unknown):
        assert len(line.because.split()) >= 5, f"no sentence: {line.because}"
        assert not line.because.endswith("."), f"callers end the sentence: {line.because}"


@pytest.mark.parametrize("key", READ_FROM_LISTS)
def test_nothing_is_open_where_the_signed_lists_were_read(key: str) -> None:
    release = next(release for release in RELEASES if release.key == key)
    assert release.index_date is not None
    assert not release.unknown
    assert not any(line.unverified for line in release.lacks)


def test_an_implementation_that_only_an_old_package_held_is_no_longer_offered_as_newest() -> None:
    """Ubuntu's packages of NVIDIA that are empty and lead to another branch are no drivers."""
    noble = next(release for release in RELEASES if release.key == "ubuntu-24.04")
    assert "libnvidia-compute-580" in noble.packages
    assert "libnvidia-compute-550" not in noble.packages
