# SPDX-License-Identifier: MIT
import pytest

from clprobe.engine.versions import compare, in_range, newest, upstream
from clprobe.model.errors import ClprobeError


@pytest.mark.parametrize(
    ("scheme", "older", "newer"),
    [
        ("neo", "24.9", "24.35"),
        ("neo", "22.43.24595", "22.43.24595.41"),
        ("neo", "23.43.27642.40", "23.43.27642.55"),
        ("linux", "6.8", "6.10"),
        ("linux", "6.8-rc1", "6.8"),
        ("linux", "5.15.0-203-generic", "6.1.0-42-amd64"),
        ("mesa", "9.2", "25.0.7"),
        ("mesa", "25.2.0-devel", "25.2.0-rc1"),
        ("mesa", "25.2.0-rc2", "25.2.0"),
        ("dotted", "1.10", "3.0"),
        ("debian", "1.0~rc1", "1.0"),
        ("debian", "1.0~~", "1.0~"),
        ("debian", "1.0", "1.0a"),
        ("debian", "1.0a", "1.0+b1"),
        ("debian", "2", "1:1"),
        ("debian", "1.3.2-7build1", "1.3.2-8"),
        ("debian", "25.0.7-2~bpo12+1", "25.0.7-2"),
        ("debian", "23.43.27642.40-1ubuntu2", "23.43.27642.40-1ubuntu3"),
        ("debian", "3.1-3", "3.1-3+deb12u1"),
        ("debian", "7.0.0-9", "7.0.0-43.43~24.04.1"),
        ("pep440", "2.9", "2.10"),
        ("pep440", "1.0.dev1", "1.0a1"),
    ],
)
def test_each_scheme_orders_its_own_versions(scheme, older, newer):
    assert compare(older, newer, scheme) == -1
    assert compare(newer, older, scheme) == 1
    assert compare(older, older, scheme) == 0


def test_what_a_distribution_appends_to_linux_does_not_make_it_newer():
    assert compare("6.8.0-31-generic", "6.8", "linux") == 0


@pytest.mark.parametrize(
    ("version", "versions", "inside"),
    [
        ("6.8.0-31-generic", ">=5.15, <6.12", True),
        ("6.12", ">=5.15, <6.12", False),
        ("24.31.30508.7", ">=18.20.10830, <=24.31.30508.7", True),
        ("24.35", "<=24.31.30508.7", False),
        ("3.0", "*", True),
        ("3.0", "==3.0", True),
        ("3.0", ">3", False),
    ],
)
def test_a_range_holds_when_all_its_conditions_hold(version, versions, inside):
    assert in_range(version, versions, "linux") is inside


def test_a_distribution_version_gives_its_upstream_part():
    assert upstream("1:23.43.27642.40-1ubuntu3") == "23.43.27642.40"
    assert upstream("22.3.17+ds1-1ubuntu1") == "22.3.17"
    assert upstream("26.1.6-1~bpo13+1") == "26.1.6"


def test_newest_is_the_last_by_order_not_by_text():
    assert newest(["24.9", "24.35", "23.99"], "neo") == "24.35"


@pytest.mark.parametrize("versions", ["", "24.35", "=>24", ">=24 <26", "since 24"])
def test_a_malformed_range_is_refused_with_an_example(versions):
    with pytest.raises(ClprobeError) as caught:
        in_range("24.35", versions, "neo")
    assert ">=24.35" in caught.value.hint


@pytest.mark.parametrize(("scheme", "text"), [("neo", "x"), ("pep440", "?"), ("debian", "")])
def test_a_malformed_version_is_named(scheme, text):
    with pytest.raises(ClprobeError, match="is not"):
        compare(text, "1", scheme)
