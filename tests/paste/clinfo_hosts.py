# SPDX-License-Identifier: MIT
"""The OpenCL implementations of this machine: their answers to the probe and to clinfo."""

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from clprobe.model.opencl import Answer, Device, Platform
from clprobe.model.unknown import Unknown

FORMS = {
    "human": [], "tree": ["-l"], "raw": ["--raw"], "raw-tree": ["--raw", "-l"], "json": ["--json"],
}  # fmt: skip
TIMEOUT_S = 60
_SYSTEM = Path("/etc/OpenCL/vendors")
_INTEL = {"NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1"}
# Variables that change which drivers answer, and how.
_STEERING = ("OCL_", "OPENCL_", "POCL_", "RUSTICL_", "NEO", "LD_", "OCLGRIND_", "Product")


def _system_icd(name):
    path = _SYSTEM / name
    return [path.read_text().strip()] if path.is_file() else []


def _prefix_library(pattern):
    return [str(path) for path in sorted(Path(sys.prefix).glob(pattern))[:1]]


def _oclgrind():
    path = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
    return [str(path)] if path.exists() else []


def implementations():
    """Return name → (libraries, variables); no libraries where it is not installed."""
    pocl, mesa = _system_icd("pocl.icd"), _system_icd("mesa.icd")
    rusticl, intel = _system_icd("rusticl.icd"), _system_icd("intel.icd")
    known = {
        "debian-pocl": (pocl, {}),
        "debian-pocl-two": (pocl, {"POCL_DEVICES": "basic pthread"}),
        "clover": (mesa, {}),
        "rusticl": (rusticl, {}),
        "rusticl-llvmpipe": (rusticl, {"RUSTICL_ENABLE": "llvmpipe"}),
        "intel-no-gpu": (intel, {}),
        "intel-cpu": (_prefix_library("lib/libintelocl.so"), {}),
        "pocl-wheel": (_prefix_library("lib/python*/site-packages/pyopencl/.libs/libpocl*.so"), {}),
        "oclgrind": (_oclgrind(), {}),
        "debian": (pocl + rusticl + mesa + intel, {}),
    }
    for family in ("bdw", "skl", "kbl", "icllp", "tgllp", "dg1"):
        known[f"intel-{family}"] = (intel, {**_INTEL, "ProductFamilyOverride": family})
    # Not Intel's driver for GPUs beside Oclgrind: their two LLVMs end the process.
    everything = pocl + mesa + rusticl + known["intel-cpu"][0] + _oclgrind()
    known["everything"] = (
        everything if len(everything) > 4 else [],
        {"RUSTICL_ENABLE": "llvmpipe"},
    )
    return known


@contextmanager
def environment_of(name):
    """Give the environment in which programs see exactly this implementation."""
    libraries, variables = implementations()[name]
    with tempfile.TemporaryDirectory() as folder:
        for place, library in enumerate(libraries):
            (Path(folder) / f"{place}.icd").write_text(f"{library}\n")
        kept = {key: text for key, text in os.environ.items() if not key.startswith(_STEERING)}
        yield {**kept, **variables, "OCL_ICD_VENDORS": f"{folder}/", "LC_ALL": "C"}


def clinfo_output(program, form, environment):
    """Return what a clinfo prints to its standard output, bytes that are no text replaced."""
    ended = subprocess.run(
        [program, *FORMS[form]],
        env=environment,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return ended.stdout.decode("utf-8", "replace")


_NAMES_ONLY = ("tree", "raw-tree")
# Only some versions of clinfo ask for these, and not always for each device.
_SOMETIMES = (
    *("pci_address", "device_id", "ip_version", "sub_group_sizes", "local_memory_bytes"),
    "max_sub_groups",
)


def differences(live: Answer, seen: Answer, form: str) -> list[str]:
    """Return where a paste contradicts the live answer, or lacks what its format carries."""
    found = []
    if live.outcome != seen.outcome:
        found.append(f"outcome: {live.outcome} and {seen.outcome}")
    if isinstance(seen.platforms, Unknown) or len(live.platforms) != len(seen.platforms):
        return [*found, f"platforms: {live.platforms!r:.80} and {seen.platforms!r:.80}"]
    for place, (truth, told) in enumerate(zip(live.platforms, seen.platforms, strict=True)):
        found += _platform_differences(f"platform {place}", truth, told, form)
    return found


def _platform_differences(where, truth: Platform, told: Platform, form):
    names = ("name",) if form in _NAMES_ONLY else ("name", "vendor", "version", "icd_suffix")
    found = [text for name in names for text in _field_differences(where, truth, told, name, form)]
    if isinstance(told.devices, Unknown) or len(truth.devices) != len(told.devices):
        return [*found, f"{where}: {len(truth.devices)} devices and {told.devices!r:.80}"]
    for place, (device, other) in enumerate(zip(truth.devices, told.devices, strict=True)):
        fields = ("name",) if form in _NAMES_ONLY else Device.__struct_fields__
        for name in fields:
            found += _field_differences(f"{where}.{place}", device, other, name, form)
    return found


def _field_differences(where, truth, told, name, form):
    expected, given = getattr(truth, name), getattr(told, name)
    if isinstance(expected, Unknown) or (isinstance(given, Unknown) and name in _SOMETIMES):
        return []
    if name.endswith("_fp_config") and form != "json" and not isinstance(given, Unknown):
        # clinfo's text formats leave out the highest bit.
        expected, given = (value if value is None else value & 0x7F for value in (expected, given))
    if isinstance(expected, str) and isinstance(given, str):
        expected, given = " ".join(expected.split()), " ".join(given.split())
    return [] if expected == given else [f"{where}.{name}: {expected!r} and {given!r}"]
