# SPDX-License-Identifier: MIT
"""Snapshots of as many machines as are wanted: the recorded hosts, with facts that vary.

GPU, kernel driver, node, groups, release, versions and the end of each driver differ from machine
to machine, as do the addresses and times in their logs, so that no two of them are alike.
"""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recording import ReplayedHost

from clprobe.model.codec import snapshot_document
from clprobe.probe.collect import collect

_HOSTS = Path(__file__).parent
_HEALTHY = _HOSTS.parent / "healthy"
_INTEL, _OPENCL = "/etc/OpenCL/vendors/intel.icd", "OpenCL 3.0 NEO"
_GPUS = ("8086:5916", "8086:3e92", "8086:9bc4", "8086:9a49", "8086:1912", "8086:46a6", "8086:56a0")
_RELEASES = ("5.15.0-119-generic", "6.1.0-28-amd64", "6.8.0-49-generic", "6.12.6")
_VERSIONS = ("22.43.24595.41", "23.43.27642.40", "24.35.30872.31", "25.18.33578.6")
_ENDS: tuple[dict[str, Any], ...] = (
    {"stage": "platforms", "outcome": "error", "error_code": -1001},
    {"stage": "load", "outcome": "crash", "signal": "SIGSEGV"},
    {"stage": "devices", "outcome": "hang"},
    {"stage": "load", "outcome": "error", "message": "undefined symbol: _ZN4llvm3sysE"},
)
_SHARE_FINE = 0.6


def varied_hosts(count: int, seed: int = 21) -> Iterator[str]:
    """Yield the snapshots as JSON; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    recorded = _recorded()
    for number in range(count):
        yield json.dumps(_varied(recorded[number % len(recorded)], number, chance), indent=2)


def write_fleet(folder: Path, count: int, seed: int = 21) -> None:
    """Write a file per machine."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(varied_hosts(count, seed)):
        (folder / f"machine-{number:05}.json").write_text(text, "utf-8")


def _recorded() -> list[dict[str, Any]]:
    replayed = [ReplayedHost(path).as_host() for path in sorted(_HOSTS.glob("*.yaml"))]
    hosts = [snapshot_document(collect(host, timeout_s=9)) for host in replayed]
    return hosts + [json.loads(path.read_text("utf-8")) for path in sorted(_HEALTHY.glob("*.json"))]


def _varied(host: dict[str, Any], number: int, chance: random.Random) -> dict[str, Any]:
    host = copy.deepcopy(host)
    host["taken"] = f"2026-11-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}:00+00:00"
    linux = host["system"]["linux"]
    linux["release"] = chance.choice(_RELEASES)
    address = f"{chance.getrandbits(48):012x}"
    linux["log"] = (
        f"{linux['log'] if isinstance(linux.get('log'), str) else ''}\n"
        f"[{chance.uniform(1, 9e4):.6f}] python3[{chance.randrange(300, 65000)}]: segfault at 10 "
        f"ip {address} error 4 in libc.so.6"
    )
    if chance.random() < 0.5:
        host["system"]["virtualization"].update(container=None, machine=None)
    if chance.random() < 0.85:
        _give_gpu(host, chance)
    return host


def _give_gpu(host: dict[str, Any], chance: random.Random) -> None:
    """Put a GPU of Intel's in it, whose driver works or breaks in one of many ways."""
    version, gid = chance.choice(_VERSIONS), chance.choice((44, 105, 109, 992))
    pci_address = f"0000:{chance.choice(('00:02.0', '03:00.0'))}"
    gpu = {"pci_address": pci_address, "pci_id": chance.choice(_GPUS), "pci_class": "0300",
           "kernel_driver": "i915", "render_node": "/dev/dri/renderD128"}  # fmt: skip
    group = {"gid": gid, "name": "render"}
    node = {"path": "/dev/dri/renderD128", "kind": "render", "pci_address": pci_address, "uid": 0,
            "owner": "root", "gid": gid, "group": "render", "mode": "0660",
            "open_error": None}  # fmt: skip
    host.update(gpus=[*host["gpus"], gpu], device_nodes=[*host["device_nodes"], node])
    user = {"uid": chance.randrange(1000, 1100), "name": "USER", "groups": [group],
            "database_groups": [group], "overrides_permissions": False}  # fmt: skip
    host.update(user=user)
    host["system"]["gpu_groups"] = [group]
    device = {"name": "Intel(R) Graphics", "type": "gpu", "vendor": "Intel(R) Corporation",
              "vendor_id": 0x8086, "driver_version": version, "pci_address": pci_address,
              "opencl_version": _OPENCL, "available": True, "compiler_available": True,
              "kernel_result": "right"}  # fmt: skip
    platform = {"name": "Intel(R) OpenCL Graphics", "vendor": "Intel(R) Corporation",
                "version": "OpenCL 3.0 ", "devices": [device]}  # fmt: skip
    answer: dict[str, Any] = {"stage": "queries", "outcome": "ok", "platforms": [platform]}
    fault = "none" if chance.random() < _SHARE_FINE else chance.choice(("node", "unbound", "end"))
    if fault == "node":
        user.update(groups=[], database_groups=chance.choice(([], [group])))
        node["open_error"] = "EACCES"
        answer = {"stage": "platforms", "outcome": "error", "error_code": -6, "platforms": []}
    elif fault == "unbound":
        gpu.update(kernel_driver=None, render_node=None)
        host["device_nodes"] = host["device_nodes"][:-1]
        answer = {"stage": "platforms", "outcome": "error", "error_code": -6, "platforms": []}
    elif fault == "end":
        answer = {"platforms": [], **chance.choice(_ENDS)}
    for package in host["packages"]:
        if package["name"] == "intel-opencl-icd":
            package["version"] = f"{version}-1"
    _set_driver(host, answer)


def _set_driver(host: dict[str, Any], answer: dict[str, Any]) -> None:
    driver = next((one for one in host["icds"] if one["path"] == _INTEL), None)
    if driver is None:
        driver = {"path": _INTEL, "searched_by": [host["loaders"][0]["path"]],
                  "text": "libigdrcl.so\n", "library_name": "libigdrcl.so",
                  "library": {"path": "/usr/lib/libigdrcl.so", "format": "elf"}}  # fmt: skip
        host["icds"].append(driver)
    driver["answer"] = answer
    for view in host["views"]:
        platforms = view["answer"].get("platforms")
        if isinstance(platforms, list):
            platforms += answer["platforms"]
