# SPDX-License-Identifier: MIT
"""Intel's driver, asked by the probe's child while it plays a GPU that is not there."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from clprobe.model.opencl import Device
from clprobe.probe.host import ChildResult
from clprobe.probe.opencl import opencl_worker
from clprobe.probe.opencl.enumeration import answer_of
from clprobe.probe.opencl.reports import read_reports
from clprobe.probe.scratch import ReportMemory

SECONDS = 60
"""Time for one process; the driver answers within one second."""
IMPOSSIBLE = "7x5x10"
SIZES = (
    "1x2x6", "1x3x6", "1x3x8", "1x4x8", "1x6x8", "1x8x8", "2x3x8", "3x3x8", "1x2x16", "1x6x16",
)  # fmt: skip
"""Slices, sub-slices of each and EUs of those: all that any driver was seen to have."""
_STEERING = ("OCL_", "OPENCL_", "NEO", "LD_", "Product", "Force", "Hardware", "Override", "SetC")
# Slices, sub-slices per slice, EUs per sub-slice, threads per EU: cl_intel_device_attribute_query.
_TOPOLOGY = """
import ctypes, sys
loader = ctypes.CDLL("libOpenCL.so.1")
handle, number = ctypes.c_void_p(), ctypes.c_uint()
failed = loader.clGetPlatformIDs(1, ctypes.byref(handle), None)
platform = ctypes.c_void_p(handle.value)
failed = failed or loader.clGetDeviceIDs(platform, ctypes.c_ulong(4), 1, ctypes.byref(handle), None)
answers = []
for code in (0x4252, 0x4253, 0x4254, 0x4255):
    device = ctypes.c_void_p(handle.value)
    failed = failed or loader.clGetDeviceInfo(
        device, code, ctypes.c_size_t(4), ctypes.byref(number), None)
    answers.append(number.value)
print(answers if not failed else "error %d" % failed)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A build of compute-runtime; `python` starts a Python whose C library it was built for."""

    implementation: str
    version: str
    library: Path
    python: tuple[str, ...] = (sys.executable,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulated:
    """What the driver says of a GPU: the device, and its slices, sub-slices, EUs and threads."""

    device: Device
    topology: tuple[int, int, int, int]


class NotEmulatedError(Exception):
    """The driver shows no such GPU; says what it answered instead."""


def installed() -> Driver | None:
    """Return the driver of Debian's package on this machine; None without it.

    `python` is this one's own: the driver was built for this machine's C library.
    """
    library = Path("/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so")
    if shutil.which("dpkg-query") is None or not library.is_file():
        return None
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", "intel-opencl-icd"],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    if done.returncode:
        return None
    return Driver(implementation="compute-runtime", version=done.stdout.strip(), library=library)


def at_home_in(folder: Path | str) -> dict[str, str]:
    """Return an environment in which a driver makes its cache of kernels in this folder."""
    return {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder)}


@dataclass(slots=True)
class Emulator:
    """Asks a driver about one GPU after another; what it leaves lies in a folder of its own."""

    driver: Driver
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="clprobe-reality-")))

    def ask(self, product: str, pci_id: str, shape: Mapping[str, str]) -> Emulated:
        """Return what the driver says when it plays `product` with this PCI id.

        `shape` are debug variables for its size and stepping; {}: as the driver has them.
        Raises: NotEmulatedError
        """
        environment = self._environment(product, pci_id, shape)
        try:
            return Emulated(device=self._device(environment), topology=self._topology(environment))
        finally:
            self._clean()

    def sizes_of(self, product: str, pci_id: str) -> dict[str, int] | None:
        """Return the sizes that the driver has of a chip, with their EUs.

        None where it takes on any size that it is told, so that its answer is no fact.
        """
        if self._eus(product, pci_id, IMPOSSIBLE) is not None:
            return None
        found = {size: self._eus(product, pci_id, size) for size in SIZES}
        return {size: eus for size, eus in found.items() if eus is not None}

    def _eus(self, product: str, pci_id: str, size: str) -> int | None:
        environment = self._environment(product, pci_id, {"HardwareInfoOverride": size})
        try:
            units = self._device(environment).compute_units
        except NotEmulatedError:
            return None
        finally:
            self._clean()
        return units if isinstance(units, int) else None

    def _environment(self, product: str, pci_id: str, shape: Mapping[str, str]) -> dict[str, str]:
        settings = {
            "NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1",
            "ProductFamilyOverride": product, "ForceDeviceId": f"0x{pci_id[5:]}", **shape,
        }  # fmt: skip
        home = at_home_in(self.folder)
        environment = {k: v for k, v in home.items() if not k.startswith(_STEERING)}
        (self.folder / "only.icd").write_text(f"{self.driver.library}\n")
        return environment | settings | {"OCL_ICD_VENDORS": f"{self.folder}/"}

    def _clean(self) -> None:
        for trace in self.folder.glob("*.aub"):
            trace.unlink()

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _device(self, environment: dict[str, str]) -> Device:
        memory = ReportMemory()
        report = memory.descriptor
        child = ("-I", "-S", opencl_worker.__file__, "icd", str(report), "no-kernels")
        try:
            ended = self._run((*child, str(self.driver.library)), environment, report)
        finally:
            reports, damage = read_reports(memory.take())
        answer = answer_of(
            ChildResult(
                ended="signal" if ended.returncode < 0 else "exit",
                status=abs(ended.returncode),
                reports=reports,
                damage=damage,
            ),
            SECONDS,
        )
        platforms = answer.platforms if isinstance(answer.platforms, tuple) else ()
        devices = [
            one for found in platforms if isinstance(found.devices, tuple) for one in found.devices
        ]
        if len(devices) != 1:
            raise NotEmulatedError(f"{len(devices)} devices; {answer.outcome}, {answer.message}")
        return devices[0]

    def _topology(self, environment: dict[str, str]) -> tuple[int, int, int, int]:
        ended = self._run(("-I", "-S", "-c", _TOPOLOGY), environment)
        if ended.returncode or not ended.stdout.strip().startswith("["):
            raise NotEmulatedError(f"{ended.stdout.strip()} {ended.stderr.strip()[-300:]}")
        slices, sub_slices, eus, threads = json.loads(ended.stdout)
        return slices, sub_slices, eus, threads

    def _run(
        self, arguments: tuple[str, ...], environment: dict[str, str], *descriptors: int
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*self.driver.python, *arguments],
            cwd=self.folder, env=environment, capture_output=True, text=True,
            timeout=SECONDS, check=False, pass_fds=descriptors,
        )  # fmt: skip
