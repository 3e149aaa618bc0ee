# SPDX-License-Identifier: MIT
"""Package lists, what simulations say, and what an undo must run: pure functions, real texts."""

import subprocess

import pytest

from clprobe.apply.journal import Package, PackageChanges, Upgrade
from clprobe.apply.package_list import (
    changes_between,
    differences,
    merged,
    not_installed,
    offered_versions,
    package_undo,
    parse_list,
    unsettled,
)
from clprobe.apply.simulation import foreign, parse, refusal
from clprobe.knowledge.package_managers import package_managers

MANAGERS = {one.manager: one for one in package_managers()}
APT_GET, DNF, ZYPPER, APK = (MANAGERS[key] for key in ("apt", "dnf", "zypper", "apk"))
APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes")


# As apt 2.6 of Debian 12 printed them; a hold, a conflict and a downgrade were made for it.
REMOVES = """\
The following packages will be REMOVED:
  nullmailer
The following NEW packages will be installed:
  cpio postfix
0 upgraded, 2 newly installed, 1 to remove and 112 not upgraded.
Remv nullmailer [1:2.2-4]
Inst cpio (2.13+dfsg-7.1 Debian:12.15/oldstable [amd64])
Inst postfix (3.7.11-0+deb12u1 Debian:12.15/oldstable [amd64])
Conf cpio (2.13+dfsg-7.1 Debian:12.15/oldstable [amd64])
"""
DOWNGRADES = """\
The following packages will be DOWNGRADED:
  openssl
0 upgraded, 0 newly installed, 1 downgraded, 0 to remove and 111 not upgraded.
E: Packages were downgraded and -y was used without --allow-downgrades.
"""
HELD = """\
The following held packages will be changed:
  openssl
The following packages will be upgraded:
  libssl-dev libssl3 openssl
3 upgraded, 0 newly installed, 0 to remove and 109 not upgraded.
E: Held packages were changed and -y was used without --allow-change-held-packages.
"""
MIXED = """\
Inst libssl3 [3.0.19-1~deb12u2] (3.0.22-1~deb12u2 Debian-Security:12/x [amd64]) []
Inst libdrm2 [2.4.114-1+b1] (2.4.123-1~bpo12+1 Debian Backports:oldstable-backports [amd64])
Inst mesa-libgallium (25.0.7-2~bpo12+1 Debian Backports:oldstable-backports [amd64])
Inst gcc-16-base (16.2.0-4 Debian:unstable [amd64])
Inst vim-tiny (2:9.0.1378-2+deb12u2 Debian:12.15/oldstable, local-deb [amd64])
Inst mine (1.0 local-deb [all])
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (REMOVES, "remove nullmailer"),
        (DOWNGRADES, "downgrade openssl"),
        (HELD, "change openssl, which you hold"),
    ],
)
def test_a_simulation_that_takes_something_away_is_refused_with_its_name(text, says):
    problem = refusal(parse(APT_GET, text))
    assert problem is not None
    assert says in problem.message


def test_packages_of_other_releases_are_named_with_their_origin():
    simulation = parse(APT_GET, MIXED)
    assert refusal(simulation) is None
    assert [one.name for one in simulation.incoming][:2] == ["libssl3", "libdrm2"]
    assert simulation.incoming[1].old == "2.4.114-1+b1"
    assert foreign(simulation, "debian", "12") == (
        "From Debian Backports:oldstable-backports: libdrm2 2.4.123-1~bpo12+1, "
        "mesa-libgallium 25.0.7-2~bpo12+1.",
        "From Debian:unstable: gcc-16-base 16.2.0-4.",
        "From local-deb: mine 1.0.",
    )
    on_sid = foreign(parse(APT_GET, "Inst gcc (1 Debian:unstable [amd64])\n"), "debian", None)
    assert on_sid == ()


def test_each_manager_is_asked_in_its_own_way_and_never_told_yes():
    assert APT_GET.simulating((*APT, "x"))[:4] == (*APT[:3], "--simulate")
    assert DNF.simulating(("dnf", "install", "--assumeyes", "x")) == (
        *("dnf", "--assumeno", "install", "x"),
    )
    assert ZYPPER.simulating(("zypper", "--non-interactive", "install", "x")) == (
        *("zypper", "--non-interactive", "install", "--dry-run", "x"),
    )


LIST = "libfoo:amd64\t1.0\tii \nlibfoo:i386\t1.0\tii \nold\t2\trc \nbash\t5\tii \n"


def test_a_list_is_read_with_its_marks_and_without_the_usual_architecture():
    assert parse_list(APT_GET, LIST, "libfoo\n", "amd64") == (
        Package("bash", "5"),
        Package("libfoo", "1.0", "ii", automatic=True),
        Package("libfoo:i386", "1.0"),
        Package("old", "2", "rc"),
    )
    assert parse_list(APK, "musl-1.2.5-r1\npy3-pip-24.0-r2\n", "", "") == (
        Package("musl", "1.2.5-r1"),
        Package("py3-pip", "24.0-r2"),
    )


def test_names_of_gentoo_are_found_with_their_category_and_without_their_slot():
    there = (Package("dev-libs/pocl", "7.1"), Package("dev-libs/intel-compute-runtime", "24.35"))
    named = ("dev-libs/intel-compute-runtime:legacy", "dev-libs/pocl", "virtual/opencl")
    assert not_installed(named, there) == ("virtual/opencl (absent)",)


@pytest.mark.parametrize(
    ("manager", "printed", "listed"),
    [
        (
            "emerge",
            "dev-libs/pocl-7.1\ndev-libs/intel-compute-runtime-24.35.30872.36-r1\n",
            "dev-libs/pocl\t7.1\tii\ndev-libs/intel-compute-runtime\t24.35.30872.36-r1\tii\n",
        ),
        (
            "xbps",
            "ii ocl-icd-2.3.2_1            Generic OpenCL ICD loader\nuu mesa-25.1.9_1  Mesa\n",
            "ocl-icd\t2.3.2_1\tii \nmesa\t25.1.9_1\tuu \n",
        ),
        (
            "slackpkg",
            "ocl-icd-2.3.2-x86_64-1\nspirv-llvm-translator-18.1.2-x86_64-2\n",
            "ocl-icd\t2.3.2-1\tii \nspirv-llvm-translator\t18.1.2-2\tii \n",
        ),
    ],
)
def test_what_has_a_format_of_its_own_is_listed_as_the_others(manager, printed, listed, tmp_path):
    program = tmp_path / MANAGERS[manager].listing[2].split()[0]
    program.write_text(f"#!/bin/sh\nprintf '%s' '{printed}'\n", encoding="utf-8")
    program.chmod(0o755)
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    argv = MANAGERS[manager].listing
    done = subprocess.run(argv, env=path, capture_output=True, text=True, timeout=10, check=True)
    assert done.stdout == listed


def test_versions_that_the_index_holds_are_read_from_apts_table():
    table = (
        "   openssl | 3.0.22-1 | x bookworm/main\n openssl | 3.0.17-1 | x bookworm/main\nN: no\n"
    )
    assert offered_versions(table) == {"openssl=3.0.22-1", "openssl=3.0.17-1"}


def test_what_left_its_settings_only_counts_as_added_when_it_comes_back():
    before = (Package("old", "2", "rc"), Package("lib", "1", "ii", automatic=True))
    after = (Package("old", "2"), Package("lib", "2"), Package("new", "1", "iU"))
    assert changes_between(before, after) == PackageChanges(
        added=(Package("old", "2"), Package("new", "1", "iU")),
        upgraded=(Upgrade("lib", "1", "2"),),
        remarked=(Package("lib", "1", "ii", automatic=True),),
    )


def test_what_a_command_named_must_be_there_and_set_up():
    packages = (Package("a", "1"), Package("b", "1", "iU"), Package("c.x86_64", "1"))
    assert not_installed(("a=1", "b/sid", "c", "d"), packages) == ("b (iU)", "d (absent)")


def test_two_attempts_count_as_one():
    first = PackageChanges(
        added=(Package("a", "1"), Package("b", "1")), upgraded=(Upgrade("lib", "1", "2"),)
    )
    second = PackageChanges(
        added=(Package("c", "1"),),
        upgraded=(Upgrade("a", "1", "2"), Upgrade("lib", "2", "3"), Upgrade("x", "1", "2")),
        removed=(Package("b", "1"),),
    )
    both = merged(first, second)
    assert both.added == (Package("a", "2"), Package("c", "1"))
    assert {one.name: (one.before, one.after) for one in both.upgraded} == {
        "lib": ("1", "3"),
        "x": ("1", "2"),
    }
    assert both.removed == ()


def test_undo_purges_what_was_added_and_nothing_else():
    before = (Package("base", "1"), Package("old", "2", "rc"), Package("lib", "1", "ii", True))
    changes = PackageChanges(
        added=(Package("new", "1"), Package("old", "2"), Package("gone", "1")),
        upgraded=(Upgrade("lib", "1", "2"),),
        remarked=(Package("lib", "1", "ii", True),),
    )
    now = (Package("base", "1"), Package("new", "1"), Package("old", "2"), Package("lib", "2"))
    undo = package_undo(APT_GET, changes, before, now, {"lib=1"})
    assert undo.trial == ("dpkg", "--no-act", "--purge", "new", "old")
    assert undo.commands == (
        ("dpkg", "--remove", "old"),
        ("dpkg", "--purge", "new"),
        ("apt-get", "install", "--yes", "--allow-downgrades", "lib=1"),
        ("apt-mark", "auto", "lib"),
    )
    assert package_undo(APT_GET, PackageChanges(), before, now, ()).commands == ()


def test_undo_on_rpm_says_what_stays_in_a_newer_version():
    changes = PackageChanges(added=(Package("a", "1"),), upgraded=(Upgrade("lib", "1", "2"),))
    undo = package_undo(DNF, changes, (), (Package("a", "1"), Package("lib", "2")), ())
    assert undo.commands == (("rpm", "--erase", "a"),)
    assert undo.kept == (Upgrade("lib", "1", "2"),)


def test_a_half_unpacked_package_is_purged_by_force():
    changes = PackageChanges(added=(Package("a", "1"),))
    undo = package_undo(APT_GET, changes, (), (Package("a", "1", "iHR"),), ())
    assert undo.commands == (("dpkg", "--force-remove-reinstreq", "--purge", "a"),)


def test_what_dpkg_left_unsettled_is_told_from_what_was_so_before():
    before = (Package("libc-bin", "2"), Package("mine", "1", "iU"))
    now = (Package("libc-bin", "2", "iF"), Package("mine", "1", "iU"), Package("new", "1", "iU"))
    assert unsettled(before, now) == ("libc-bin",)
    assert differences(before, now) == (
        "libc-bin is in state iF, was ii",
        "new 1 is there",
    )
