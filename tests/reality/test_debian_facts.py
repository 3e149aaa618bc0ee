# SPDX-License-Identifier: MIT
"""The comparison with Debian's lists finds each kind of disagreement; no network is needed."""

from datetime import date

import msgspec
import pytest
from debian_facts import Comparison, compare_release
from debian_lists import DRIVER, Listed, Suite

from clprobe.knowledge.table_types import Distribution, LinuxVersions, PackageVersion
from clprobe.knowledge.tables import Tables

IMPLEMENTATIONS = Tables.load().implementations()
LOOKED_AT = "2026-01-10"
BEFORE, AFTER = date(2026, 1, 10), date(2026, 1, 11)
ICD = "intel-opencl-icd"
COMPANIONS = ("libigc2", "libigdfcl2", "libigdgmm12")


def row(version: str, pocket: str = "release", **more: object) -> PackageVersion:
    return msgspec.convert({"pocket": pocket, "version": version, **more}, PackageVersion)


def release(**changes: object) -> Distribution:
    """Return a release that agrees with `suites()` in everything."""
    entry = Distribution(
        id="debian",
        release="99",
        codename="testy",
        name="Debian 99",
        index_date=LOOKED_AT,
        python="3.14",
        glibc="2.43",
        linux=LinuxVersions(default="7.2.13"),
        packages={
            ICD: (row("26.05-1", implementations=["compute-runtime"]),),
            **{name: (row("1-1", role="companion"),) for name in COMPANIONS},
            "linux-image-amd64": (row("7.2.13-1", role="linux"),),
        },
        absent=("beignet-opencl-icd",),
    )
    return msgspec.structs.replace(entry, **changes)


def suite(dated: date = BEFORE, without: str = "", **changes: Listed) -> Suite:
    """Return a suite; `changes` name packages with _ for -."""
    needs = frozenset(("libc6", "libigc2+llvm16", "libigdfcl2", "libigdgmm12"))
    agreeing = (
        listed(ICD, "26.05-1", needs=needs, gives=frozenset((DRIVER,))),
        listed("libigc2", gives=frozenset(("libigc2+llvm16",))),
        *(listed(name) for name in COMPANIONS[1:]),
        listed("linux-image-amd64", "7.2.13-1"),
        listed("python3", "3.14.1-1"),
        listed("libc6", "2.43-3"),
    )
    packages = {one.name: one for one in (*agreeing, *changes.values())}
    packages.pop(without, None)
    return Suite(name="testy", dated=dated, packages=packages)


def listed(
    name: str,
    version: str = "1-1",
    component: str = "main",
    needs: frozenset[str] = frozenset(),
    gives: frozenset[str] = frozenset(),
) -> Listed:
    return Listed(name=name, version=version, component=component, needs=needs, gives=gives)


def compared(entry: Distribution, main: Suite) -> Comparison:
    return compare_release(entry, {"release": main}, IMPLEMENTATIONS)


def with_row(name: str, *rows: PackageVersion) -> Distribution:
    return release(packages={**release().packages, name: rows})


def test_a_table_that_agrees_has_no_disagreement_and_every_fact_is_counted() -> None:
    seen = compared(release(), suite())
    assert not seen.disagreements
    # 5 rows with version and component, 1 driver, 1 absence, Python, C library, Linux,
    # 3 libraries that the driver depends on, 3 that the implementation loads.
    assert seen.compared == 5 * 2 + 1 + 1 + 3 + 3 + 3


@pytest.mark.parametrize(
    ("entry", "main", "said"),
    [
        (release(), suite(without=ICD), "the table says 26.05-1, the archive nothing"),
        (release(), suite(clinfo=listed("beignet-opencl-icd")), "absent, the archive in release"),
        (release(), suite(a=listed(ICD, "26.04-1")), "the table says 26.05-1, the archive 26.04-1"),
        (release(), suite(a=listed(ICD, "26.06-1")), "the table says 26.05-1, the archive 26.06-1"),
        (release(), suite(a=listed("libigc2", component="contrib")), "says main, the archive"),
        (release(python="3.13"), suite(), "python3: the table says 3.13, the archive 3.14"),
        (release(glibc="2.41"), suite(), "libc6: the table says 2.41, the archive 2.43"),
        (release(linux=LinuxVersions(default="7.2.12")), suite(), "Linux: the table says 7.2.12"),
        (
            release(),
            suite(a=listed("new-opencl-icd", gives=frozenset((DRIVER,)))),
            "no driver of that name, the archive it provides opencl-icd",
        ),
        (
            release(),
            suite(a=listed(ICD, "26.05-1", needs=frozenset(("libigc9",)))),
            "no row of what it depends on, the archive libigc9",
        ),
        (
            release(),
            suite(a=listed(ICD, "26.05-1", needs=frozenset(("libigc2", "libigdfcl2")))),
            "it loads libigdgmm12, the archive its package asks for none",
        ),
        (
            with_row("clinfo", row("1-1", "updates", role="tool")),
            suite(a=listed("clinfo")),
            "clinfo (release): the table says nothing, the archive 1-1",
        ),
    ],
)
def test_each_kind_of_disagreement_is_told_with_both_values(
    entry: Distribution, main: Suite, said: str
) -> None:
    assert any(said in line for line in compared(entry, main).disagreements)


def test_a_version_published_after_the_table_was_written_is_no_disagreement() -> None:
    newer = listed(ICD, "26.06-1", needs=frozenset(COMPANIONS), gives=frozenset((DRIVER,)))
    seen = compared(release(), suite(AFTER, a=newer))
    assert not seen.disagreements
    assert seen.moved_on == [f"debian-99 {ICD} (release): 26.05-1, by now 26.06-1"]


def test_an_older_version_disagrees_whenever_the_suite_was_published() -> None:
    older = listed(ICD, "26.04-1", needs=frozenset(COMPANIONS), gives=frozenset((DRIVER,)))
    assert compared(release(), suite(AFTER, a=older)).disagreements


def test_a_package_that_vanished_disagrees_whenever_the_suite_was_published() -> None:
    assert compared(release(), suite(AFTER, without=ICD)).disagreements
