# SPDX-License-Identifier: MIT
"""Limits of this process, and policies above file permissions."""

import resource
from pathlib import Path
from typing import Any

import pytest
from inventing import invent_host

from clprobe.model.unknown import Unknown
from clprobe.probe.linux.limits import probe_limits, probe_security
from clprobe.probe.linux.linux import probe_linux
from clprobe.probe.live_host import LiveHost

_TEXT = """\
Limit                     Soft Limit           Hard Limit           Units
Max locked memory         8388608              unlimited            bytes
Max address space         unlimited            unlimited            bytes
"""
_GROUPS = "/sys/fs/cgroup"


def _memory(folder: Path, groups: str, **limits: str) -> int | Unknown | None:
    read: dict[str, Any] = {f"{_GROUPS}/{path}": text for path, text in limits.items()}
    host = invent_host(
        folder,
        read={**read, "/proc/self/cgroup": groups},
        list_folder={_GROUPS: ["cgroup.procs", "memory"]},
    )
    return probe_limits(host).memory_bytes


def test_soft_limits_count(tmp_path: Path) -> None:
    limits = probe_limits(invent_host(tmp_path, read={"/proc/self/limits": _TEXT}))
    assert (limits.locked_memory_bytes, limits.address_space_bytes) == (8388608, None)


def test_limits_that_nobody_shows_are_unknown(tmp_path: Path) -> None:
    limits = probe_limits(invent_host(tmp_path))
    assert isinstance(limits.locked_memory_bytes, Unknown)
    assert isinstance(limits.memory_bytes, Unknown)


def test_the_smallest_limit_above_a_control_group_counts(tmp_path: Path) -> None:
    limits = {
        "user.slice/a.scope/memory.max": "max\n",
        "user.slice/memory.max": "4294967296\n",
        "memory.max": "8589934592\n",
    }
    assert _memory(tmp_path, "0::/user.slice/a.scope\n", **limits) == 4294967296


def test_no_limit_of_a_control_group_is_an_answer(tmp_path: Path) -> None:
    assert _memory(tmp_path, "0::/user.slice\n", **{"user.slice/memory.max": "max\n"}) is None


def test_a_container_of_version_1_has_its_limit_at_the_top(tmp_path: Path) -> None:
    groups = "9:name=systemd:/docker/0123\n4:cpu,memory:/docker/0123\n"
    limits = {"memory/memory.limit_in_bytes": "2147483648\n"}
    assert _memory(tmp_path, groups, **limits) == 2147483648


def test_version_1_says_unlimited_by_a_huge_number(tmp_path: Path) -> None:
    limits = {"memory/memory.limit_in_bytes": "9223372036854771712\n"}
    assert _memory(tmp_path, "4:memory:/\n", **limits) is None


def test_limits_of_this_process_are_those_of_getrlimit() -> None:
    limits = probe_limits(LiveHost())
    for fact, which in (
        (limits.address_space_bytes, resource.RLIMIT_AS),
        (limits.locked_memory_bytes, resource.RLIMIT_MEMLOCK),
    ):
        soft, _ = resource.getrlimit(which)
        assert fact == (None if soft == resource.RLIM_INFINITY else soft)


def test_the_limit_of_this_control_group_is_known() -> None:
    if not any(Path("/sys/fs/cgroup").glob("*")):
        pytest.skip("needs control groups: /sys/fs/cgroup is not mounted here")
    assert not isinstance(probe_limits(LiveHost()).memory_bytes, Unknown)


@pytest.mark.parametrize(
    ("read", "selinux"),
    [
        ({"/sys/fs/selinux/enforce": "1"}, "enforcing"),
        ({"/sys/fs/selinux/enforce": "0"}, "permissive"),
        ({"/proc/self/attr/current": {"error": "EINVAL"}}, None),
        ({"/proc/self/attr/current": "unconfined\n"}, None),
        ({}, None),
    ],
)
def test_selinux(read: dict[str, Any], selinux: str | None, tmp_path: Path) -> None:
    assert probe_security(invent_host(tmp_path, read=read)).selinux == selinux


def test_a_container_under_selinux_does_not_see_whether_it_enforces(tmp_path: Path) -> None:
    label = {"/proc/self/attr/current": "system_u:system_r:container_t:s0:c1,c2\0"}
    security = probe_security(invent_host(tmp_path, read=label))
    assert isinstance(security.selinux, Unknown)
    assert security.apparmor_profile is None


@pytest.mark.parametrize(
    ("label", "profile"),
    [
        ("docker-default (enforce)\n", "docker-default"),
        ("snap.code.code (complain)\n", None),
        ("unconfined\n", None),
        ("steam (unconfined)\n", None),
        ("lxc-container-default-cgns (enforce)\n", "lxc-container-default-cgns"),
    ],
)
@pytest.mark.parametrize("file", ["apparmor/current", "current"])
def test_apparmor(file: str, label: str, profile: str | None, tmp_path: Path) -> None:
    host = invent_host(tmp_path, read={f"/proc/self/attr/{file}": label})
    assert probe_security(host).apparmor_profile == profile


def test_policies_of_this_process_are_known() -> None:
    security = probe_security(LiveHost())
    assert not isinstance(security.apparmor_profile, Unknown)


@pytest.mark.parametrize(
    ("answers", "lockdown"),
    [
        ({"read": {"/sys/kernel/security/lockdown": "none [integrity] confidentiality\n"}},
         "integrity"),
        ({"read": {"/sys/kernel/security/lockdown": "[none] integrity confidentiality\n"}}, "none"),
        ({"list_folder": {"/sys/kernel/security": ["lsm"]}}, None),
    ],
)  # fmt: skip
def test_lockdown(answers: dict[str, Any], lockdown: str | None, tmp_path: Path) -> None:
    assert probe_linux(invent_host(tmp_path, **answers), None).lockdown == lockdown


def test_lockdown_is_unknown_where_securityfs_is_not_mounted(tmp_path: Path) -> None:
    host = invent_host(tmp_path, list_folder={"/sys/kernel/security": []})
    assert isinstance(probe_linux(host, None).lockdown, Unknown)
