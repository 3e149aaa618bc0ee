# SPDX-License-Identifier: MIT
import functools
import itertools
import random
import shutil
import subprocess
from typing import get_args

import pytest

from clprobe.knowledge.versions import Scheme, compare, in_range, newest, overlap, upstream
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
        ("debian", "1.0-1~", "1.0-1"),
        ("debian", "0.9.9+ds1-1", "0.9.10-1"),
        ("debian", "1.3.2-6", "1.3.2-6+b10"),
        ("rpm", "24.35.30872.22-1.fc41", "24.35.30872.32-1.fc41"),
        ("rpm", "1.0~rc1-1", "1.0-1"),
        ("rpm", "1.0-1", "1.0^git1-1"),
        ("rpm", "1.0^git1-1", "1.0.1-1"),
        ("rpm", "9.el9", "10.el9"),
        ("rpm", "2.0-1", "1:1.0-1"),
        ("rpm", "1.0a-1", "1.0.1-1"),
        ("rpm", "6.4.2-1.fc42", "6.4.2-1.fc43"),
        ("pacman", "1:25.2.1-1", "1:25.2.1-2"),
        ("pacman", "1.0rc1-1", "1.0-1"),
        ("pacman", "26.09.37435.1-1", "1:24.0-1"),
        ("windows", "30.0.101.1191", "31.0.101.4146"),
        ("windows", "31.0.101.4146", "31.0.101.5592"),
        ("windows", "31.0.15.3623", "32.0.15.6094"),
        ("neo", "24.35.30872.22", "24.35.30872.45"),
        ("neo", "1.3.30872", "24.09"),
        ("linux", "6.12-rc7", "6.12.1"),
        ("linux", "5.9", "5.10"),
        ("mesa", "22.3.6", "23.0.0-rc1"),
        ("mesa", "25.1.10", "25.2.0-devel"),
        ("pep440", "2.7.1+cpu", "2.7.1+xpu"),
        ("pep440", "2.8.0.dev20250601", "2.8.0"),
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


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        ("neo", "x"),
        ("pep440", "?"),
        ("debian", ""),
        ("debian", "a b"),
        ("rpm", "; reboot"),
        ("pacman", "\n"),
        ("windows", "4146"),
        ("linux", "mainline"),
    ],
)
def test_a_malformed_version_is_named(scheme, text):
    with pytest.raises(ClprobeError, match="is not"):
        compare(text, "1", scheme)


@pytest.mark.parametrize("scheme", get_args(Scheme))
def test_a_number_that_python_cannot_convert_is_no_version(scheme: Scheme) -> None:
    with pytest.raises(ClprobeError, match="it has 5003 characters"):
        compare("25." + "9" * 5000, "25.1", scheme)


@pytest.mark.parametrize(
    ("first", "second", "scheme", "meet"),
    [
        (">=5.0", "<5.0", "linux", False),
        (">=5.0", "<=5.0", "linux", True),
        (">5.0", "<=5.0", "linux", False),
        ("*", "<1", "neo", True),
        ("==24.35", ">=24.35, <25", "neo", True),
        ("==24.35", ">24.35", "neo", False),
        (">=6.8-rc1, <6.8", ">=6.8", "linux", False),
        (">=22.3, <23", ">=22.10", "mesa", True),
    ],
)
def test_two_ranges_overlap_or_not(first, second, scheme, meet):
    assert overlap(first, second, scheme) is meet
    assert overlap(second, first, scheme) is meet


_PIECES = ["0", "1", "9", "10", "007", "a", "rc", "~", "~~", "+", ".", ".", "+b", "-", "-1", "A"]


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="needs dpkg to agree with")
def test_debian_versions_are_ordered_as_dpkg_orders_them():
    draw = random.Random(20261121)  # noqa: S311 - the same pairs in every run
    texts = ["1" + "".join(draw.choices(_PIECES, k=draw.randint(0, 6))) for _ in range(200)]
    # Of what ends in a hyphen, dpkg says that the revision is missing.
    texts = [text.rstrip("-") for text in texts]
    pairs = list(itertools.pairwise(texts))
    script = "".join(
        f"dpkg --compare-versions '{a}' lt '{b}' && echo -1 || "
        f"{{ dpkg --compare-versions '{a}' eq '{b}' && echo 0 || echo 1; }}\n"
        for a, b in pairs
    )
    done = subprocess.run(
        ["sh"], input=script, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
    for (left, right), order in zip(pairs, done.stdout.split(), strict=True):
        assert compare(left, right, "debian") == int(order), (left, right)


@pytest.mark.parametrize("scheme", ["debian", "rpm", "pacman"])
def test_versions_of_packages_are_ordered_as_univers_orders_them(scheme):
    debian = pytest.importorskip("univers.debian").Version.from_string
    rpm = pytest.importorskip("univers.rpm").RpmVersion.from_string
    vercmp = pytest.importorskip("univers.arch").vercmp
    keys = {"debian": debian, "rpm": rpm, "pacman": functools.cmp_to_key(vercmp)}
    signs = {"debian": "0129ab.+~", "rpm": "0129ab.+~^_", "pacman": "0129ab.+_"}[scheme]
    draw = random.Random(20261127)  # noqa: S311 - the same pairs in every run

    def version():
        epoch = draw.choice(["", "", "0:", "1:"])
        release = draw.choice(["", "", "-1", "-1.a", "-2+b1"])
        return f"{epoch}1{''.join(draw.choices(signs, k=draw.randint(0, 6)))}{release}"

    for _ in range(3000):
        left, right = version(), version()
        first, second = keys[scheme](left), keys[scheme](right)
        wanted = int(first > second) - int(first < second)
        assert compare(left, right, scheme) == wanted, (left, right)
