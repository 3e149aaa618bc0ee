# SPDX-License-Identifier: MIT
"""What is looked at once a route is installed: drivers load, clinfo, a device, a compiler.

No machine that runs these tests need have a GPU. compute-runtime plays one when it is told to, in
the builds that can; rusticl drives Mesa's software renderer; Beignet's compiler needs no GPU.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from root_copy import SOURCE, RootCopy

GPUS = {
    "Gen7": "8086:0162", "Gen7.5": "8086:0412", "Gen8": "8086:1616", "Gen9": "8086:1916",
    "Gen9.5": "8086:5916", "Gen11": "8086:8a52", "Gen12/Xe-LP": "8086:9a49",
    "Xe-HPG": "8086:56a0", "Xe-LPG": "8086:7d55", "Xe2": "8086:64a0",
}  # fmt: skip
"""A common GPU of each generation."""
INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends")
INSTALL_SECONDS = 900
_SECONDS = 120
_PLAYED = {
    "8086:1616": "bdw", "8086:1916": "skl", "8086:5916": "kbl", "8086:5917": "kbl",
    "8086:8a52": "icllp", "8086:9a49": "tgllp", "8086:56a0": "dg2",
}  # fmt: skip
# 22.43 holds no shape of Alchemist, and the first stepping was not sold.
_SHAPES = {"dg2": {"HardwareInfoOverride": "2x4x16", "OverrideRevision": "8"}}
_PROGRAM = f"{SOURCE}/tests/install/opencl_of_root.py"
_SOFTWARE = {"RUSTICL_ENABLE": "llvmpipe"}
# Intel's driver leaves files of what it plays in the current folder.
_SCRATCH = "/run/looked"


@dataclass(slots=True)
class Outcome:
    """What came of a route: `problems` is empty where all held, `seen` says what was seen."""

    seen: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def expect(self, holds: object, problem: str) -> None:
        """Note a problem if something does not hold."""
        if not holds:
            self.problems.append(problem)


def prepare(copy: RootCopy, outcome: Outcome) -> None:
    """Install what looking takes, after seeing that the route brought a loader itself."""
    libraries = copy.expect("/sbin/ldconfig", "-p", seconds=30)
    outcome.expect("libOpenCL.so.1 " in libraries, "no ICD loader was installed")
    copy.expect(*INSTALL, "clinfo", "python3", seconds=INSTALL_SECONDS)
    copy.expect("mkdir", "-p", _SCRATCH, seconds=10)
    found = _opencl(copy, {})["drivers"]
    outcome.expect(found, "no driver is registered")
    for driver in found:
        name = driver["library"].rpartition("/")[2]
        outcome.expect(not driver["error"], f"{name} does not load: {driver['error']}")
        outcome.expect(not driver["missing"], f"{name} lacks {driver['missing']}")
    outcome.seen.append(f"{', '.join(one['library'].rpartition('/')[2] for one in found)} loads")


def look(copy: RootCopy, release: str, backend: str, generation: str) -> Outcome:
    """Look at what a route shows of a generation's GPU, or of the CPU."""
    outcome, gpu = Outcome(), GPUS[generation]
    if backend == "beignet":
        _look_at_beignet(copy, outcome, gpu[5:])
    elif backend == "rusticl":
        _expect_device(copy, outcome, "rusticl", _SOFTWARE)
    elif backend == "compute-runtime" and release == "sid":
        _look_at_newest_neo(copy, outcome, gpu[5:])
    elif backend.startswith("compute-runtime"):
        _expect_played(copy, outcome, generation)
    else:
        platform = "Portable Computing Language" if backend == "pocl" else "Intel(R) OpenCL"
        device = _expect_device(copy, outcome, platform, {})
        outcome.expect(device.get("ran") or device.get("built"), "a kernel gave a wrong result")
        outcome.seen.append("a kernel ran")
    return outcome


def played(backend: str, release: str, gpu: str) -> dict[str, str] | None:
    """Return the variables that let a driver show a device without its GPU; None: it cannot."""
    if backend == "rusticl":
        return _SOFTWARE
    plays = backend.startswith("compute-runtime") and gpu in _PLAYED
    # Release builds of the newest one end by a signal when told to.
    return _playing(gpu) if plays and (backend, release) != ("compute-runtime", "sid") else None


def _playing(gpu: str) -> dict[str, str]:
    product = _PLAYED[gpu]
    return {
        "NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1", "ForceDeviceId": f"0x{gpu[5:]}",
        "ProductFamilyOverride": product, **_SHAPES.get(product, {}),
    }  # fmt: skip


def _expect_device(
    copy: RootCopy, outcome: Outcome, platform: str, environment: Mapping[str, str]
) -> dict:  # type: ignore[type-arg]
    """Expect the platform with one device, to clinfo and to programs, and a kernel built for it."""
    listed = _clinfo(copy, environment)
    outcome.expect(f": {platform}" in listed and "Device #0" in listed, f"clinfo says {listed!r}")
    shown = [one for one in _opencl(copy, environment)["platforms"] or () if one["devices"]]
    devices = [device for one in shown if one["name"] == platform for device in one["devices"]]
    if len(devices) != 1:
        outcome.problems.append(f"{platform} has {len(devices)} devices")
        return {}
    (device,) = devices
    outcome.expect(device["built"] == 0, f"it builds no kernel: {device['log']}")
    outcome.seen.append(f"clinfo: {platform}, {device['name']}")
    return device


def _expect_played(copy: RootCopy, outcome: Outcome, generation: str) -> None:
    gpu = GPUS[generation]
    product, environment = _PLAYED[gpu], _playing(gpu)
    names = {"Intel(R) OpenCL HD Graphics", "Intel(R) OpenCL Graphics"}
    said = _clinfo(copy, environment)
    platform = next((name for name in names if f": {name}\n" in said), "Intel(R) OpenCL Graphics")
    device = _expect_device(copy, outcome, platform, environment)
    # 20.44 answers no question for the id; it names the generation instead, and Gen9.5 Gen9.
    told = device.get("pci_device") or device.get("name", "")
    named = generation.partition("/")[0].partition(".")[0]
    right = told == int(gpu[5:], 16) or named in str(told)
    outcome.expect(right, f"{device} is not {gpu} as {product}")


def _look_at_newest_neo(copy: RootCopy, outcome: Outcome, device_id: str) -> None:
    """Ask for no GPU: its release builds cannot play one, and end by a signal when told to."""
    done = copy.run("clinfo", "-l", seconds=_SECONDS, cwd=_SCRATCH)
    outcome.expect(done.returncode == 0, f"clinfo ended with {done.returncode}")
    compiler = copy.expect("dpkg-query", "--show", "libigc2", seconds=30)
    copy.expect(*INSTALL, "intel-ocloc", seconds=INSTALL_SECONDS)
    same = copy.expect("dpkg-query", "--show", "libigc2", seconds=30)
    outcome.expect(compiler == same, "the offline compiler brought another compiler")
    copy.write(f"{_SCRATCH}/k.cl", "kernel void k(global float *a) { a[0] += 1.0f; }\n")
    words = ("ocloc", "compile", "-file", "k.cl", "-device", f"0x{device_id}")
    built = copy.run(*words, seconds=_SECONDS, cwd=_SCRATCH)
    outcome.expect("Build succeeded" in built.stdout, f"its compiler: {built.stdout[-300:]}")
    outcome.seen.append(f"its compiler builds for 8086:{device_id}; it plays no GPU")


def _look_at_beignet(copy: RootCopy, outcome: Outcome, device_id: str) -> None:
    listed = _clinfo(copy, {})
    outcome.expect(": Intel Gen OCL Driver" in listed, f"clinfo says {listed!r}")
    ids = ("0412", device_id)
    done = copy.run("python3", _PROGRAM, "gbe", *ids, seconds=_SECONDS)
    made = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else done.stderr[-200:]
    outcome.expect(made == dict.fromkeys(ids, True), f"its compiler says {made}")
    built = " and ".join(f"8086:{one}" for one in dict.fromkeys(ids))
    outcome.seen.append(f"clinfo: Intel Gen OCL Driver, empty; its compiler builds for {built}")


def _clinfo(copy: RootCopy, environment: Mapping[str, str]) -> str:
    return copy.run("clinfo", "-l", seconds=_SECONDS, cwd=_SCRATCH, environment=environment).stdout


def _opencl(copy: RootCopy, environment: Mapping[str, str]) -> dict:  # type: ignore[type-arg]
    done = copy.run("python3", _PROGRAM, seconds=_SECONDS, cwd=_SCRATCH, environment=environment)
    assert done.returncode == 0, f"{done.returncode}: {(done.stdout + done.stderr)[-1000:]}"
    return json.loads(done.stdout.splitlines()[-1])
