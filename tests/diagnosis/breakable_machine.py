# SPDX-License-Identifier: MIT
"""A laptop with an HD Graphics 620 under Debian 12 on which any link of the chain can break.

A fault changes the facts of its own link; what later links then answer follows from where the
chain is broken: without a node or a permission the driver shows no device, and so on.
"""

import copy
import typing
from typing import Any, NamedTuple

from clprobe.model.opencl import Stage
from clprobe.ruleset.rule import Link

ICD = "/etc/OpenCL/vendors/intel.icd"
LIBRARY = "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so"
LOADER, NODE = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1.0.0", "/dev/dri/renderD128"
_STAGES = typing.get_args(Stage)
_GROUPS = [{"gid": 1000, "name": "user"}, {"gid": 109, "name": "render"}]


class Fault(NamedTuple):
    """One broken link: the rule that must name it, and the facts that it changes by dotted path.

    `answer` is what the driver then answers; None: it answers as if nothing were wrong.
    """

    rule: str
    link: Link
    facts: dict[str, Any]
    answer: dict[str, Any] | None = None


def healthy() -> dict[str, Any]:
    """Return the snapshot of the laptop with nothing broken."""
    device = {
        "name": "Intel(R) HD Graphics 620", "type": "gpu", "driver_version": "22.43.24595",
        "device_id": 0x5916, "pci_address": "0000:00:02.0", "available": True,
        "extensions": ["cl_khr_fp16"], "kernel_result": "right",
    }  # fmt: skip
    answer = {
        "stage": "queries", "outcome": "ok", "error_code": None, "signal": None,
        "exit_status": None, "message": None, "printed": None,
        "platforms": [{"name": "Intel(R) OpenCL HD Graphics", "devices_error": None,
                       "devices": [device]}],
    }  # fmt: skip
    return {
        "system": {
            "distribution": {"id": "debian", "version": "12", "codename": "bookworm"},
            "linux": {
                "release": "6.1.0-25-amd64", "command_line": "root=/dev/sda1 quiet", "log": "",
                "modules": ["i915"], "blacklisted_modules": [], "firmware": ["i915"],
            },
            "cpu": {"architecture": "x86_64"},
            "virtualization": {
                "container": None, "machine": None, "wsl": None, "user_namespace": False,
                "service": None,
            },
            "security": {"selinux": None, "apparmor_profile": None},
            "linker": "/usr/bin/ld", "udev": True,
        },
        "user": {
            "uid": 1000, "name": "user", "groups": _GROUPS, "database_groups": _GROUPS,
            "session": {"kind": "local", "seat": "seat0", "active": True},
        },
        "environment": dict.fromkeys(
            ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "LD_LIBRARY_PATH",
             "CONDA_PREFIX", "RUSTICL_ENABLE", "ZE_AFFINITY_MASK", "CUDA_VISIBLE_DEVICES",
             "LD_PRELOAD", "NEOReadDebugKeys")
        ),
        "gpus": [{
            "pci_address": "0000:00:02.0", "pci_id": "8086:5916", "pci_class": "0x030000",
            "kernel_driver": "i915", "render_node": NODE, "card_node": "/dev/dri/card0",
            "kernel_modules": ["i915"],
        }],
        "device_nodes": [{
            "path": NODE, "kind": "render", "pci_address": "0000:00:02.0", "uid": 0,
            "owner": "root", "gid": 109, "group": "render", "mode": "0660", "acl": [],
            "open_error": None,
        }],
        "packages": [{"name": "intel-opencl-icd", "version": "22.43.24595.41-1", "manager": "dpkg",
                      "state": "installed"}],
        "package_trouble": None,
        "messages": [],
        "loaders": [{"path": LOADER, "kind": "ocl-icd", "found_by": ["ldconfig"],
                     "is_default": True, "icd_folders": ["/etc/OpenCL/vendors"],
                     "missing_dependencies": []}],
        "icds": [{
            "path": ICD, "searched_by": [LOADER], "file_type": "file", "file_mode": "0644",
            "open_error": None, "text": f"{LIBRARY}\n", "library_name": LIBRARY,
            "package": "intel-opencl-icd",
            "library": {"path": LIBRARY, "format": "elf", "elf_class": 64, "machine": "x86_64",
                        "size_bytes": 9000, "required_bytes": 9000, "missing_dependencies": [],
                        "open_error": None, "package": "intel-opencl-icd"},
            "answer": answer,
        }],
        "views": [{"viewer": "system-loader", "loader": LOADER, "answer": copy.deepcopy(answer)}],
        "excerpts": [],
    }  # fmt: skip


def broken_by(*faults: Fault) -> dict[str, Any]:
    """Return the laptop's snapshot with all of `faults`, in the order of the chain."""
    document = healthy()
    for fault in reversed(faults):
        for path, value in fault.facts.items():
            _put(document, path, copy.deepcopy(value))
    _let_opencl_answer(document, faults)
    return document


def _let_opencl_answer(document: dict[str, Any], faults: tuple[Fault, ...]) -> None:
    """Let the driver and the programs answer as the fault that the driver meets first allows."""
    answers = [fault.answer for fault in faults if fault.answer is not None]
    if not answers:
        return
    answer = min(answers, key=lambda answer: _STAGES.index(answer["stage"]))
    for icd in document["icds"]:
        icd["answer"] |= answer
    crashed = answer["outcome"] in ("crash", "hang")
    seen = answer if crashed else {"outcome": "no-devices", "platforms": [], "error_code": -1001}
    for view in document["views"]:
        view["answer"] |= seen


def _put(document: Any, path: str, value: Any) -> None:
    *way, last = path.split(".")
    for step in way:
        if isinstance(document, list) and int(step) >= len(document):
            return  # an earlier fault took the whole thing away
        document = document[int(step)] if isinstance(document, list) else document[step]
    if isinstance(document, list):
        if int(last) < len(document):
            document[int(last)] = value
    else:
        document[last] = value
