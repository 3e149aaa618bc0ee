# SPDX-License-Identifier: MIT
"""What settings make likely: who is named, how much it counts, and that it decides nothing."""

from pathlib import Path

import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.diagnosis.precedents.settings import shipped_settings
from clprobe.model.snapshot import Snapshot
from clprobe.resources import rules_path
from clprobe.ruleset.cues import Told
from clprobe.validation.checks.settings import settings

KNOWLEDGE = Knowledge.load()
SETTINGS = shipped_settings()


@pytest.mark.parametrize(
    ("line", "setting", "rule"),
    [
        ("UHD 630, kernel 6.8, clinfo: 0 platforms", "intel-and-linux-6.8", "linux-breaks-driver"),
        ("i7-4770 with intel-opencl-icd", "gpu-before-neo", "driver-never-drove-gpu"),
        ("RX 480 on an FX-8350, rocminfo", "atomics-are-wanted", "pcie-atomics-missing"),
        ("GTX 970 in docker: clinfo -1001", "container-with-nvidia", "nvidia-icd-not-in-container"),
        ("cuda fails after suspend", "nvidia-after-suspend", "nvidia-lost-after-suspend"),
        ("miniforge, pyopencl", "conda-and-opencl", "conda-loader-ignores-system-icds"),
        (
            "Device #1: GTX 1060, self-test failed",
            "a-program-came-as-far-as-the-device",
            "program-release-is-faulty",
        ),
        ("ollama on my Arc A770", "ollama-and-an-intel-gpu", "program-without-opencl"),
        (
            "Windows Subsystem for Linux, GTX 1080, OpenCL",
            "subsystem-with-nvidia",
            "wsl-nvidia-without-opencl",
        ),
        ("HD 6770 on Ubuntu 16.04", "terascale-without-catalyst", "driver-never-drove-gpu"),
        (
            "RX 5700 XT, amdgpu-install --opencl=legacy",
            "legacy-opencl-on-a-later-gpu",
            "driver-never-drove-gpu",
        ),
        (
            "Celeron J4105, openvino: clFinish gives error: -14",
            "gemini-lake-runs-nothing-on-a-later-linux",
            "linux-breaks-driver",
        ),
        (
            "cmake has the OpenCL headers, but no library to link; ldconfig did not help",
            "headers-are-found-and-the-library-is-not",
            "loader-not-in-linker-path",
        ),
        ("There is no GPU in this server, an EPYC", "the-machine-has-no-gpu", "no-gpu"),
        (
            "The systemd unit does not use the GPU, by hand it does",
            "a-unit-of-systemd-leaves-the-gpu-alone",
            "nodes-hidden-from-service",
        ),
        (
            "NixOS: ollama.service stays on the processor instead of the GPU",
            "ollama-s-unit-on-nixos",
            "node-denied-by-sandbox",
        ),
        (
            "terminate called after throwing: no GPUs found",
            "ends-by-an-exception-of-having-no-gpu",
            "no-driver-for-gpu",
        ),
        (
            "FAHClient, Radeon RX 570, dual boot: folds on Windows, not on Linux",
            "folding-on-windows-alone-with-amd",
            "no-driver-for-gpu",
        ),
        (
            "Octave's official build finds no platform, one from source works",
            "a-downloaded-build-alone-finds-no-platform",
            "program-library-breaks-driver",
        ),
        ("OpenCL runtime not enabled", "opencl-left-out-of-a-build", "program-build-lacks-opencl"),
        (
            "Unsupported kind: opencl (pygpu)",
            "opencl-left-out-of-a-build",
            "program-build-lacks-opencl",
        ),
        (
            "Proton: OpenCL.dll is missing",
            "windows-programs-without-opencl-dll",
            "program-without-opencl",
        ),
        (
            "No devices once there is an OpenGL context",
            "no-device-after-a-context-of-opengl",
            "driver-release-is-faulty",
        ),
        (
            "Oclgrind's libOpenCL in /usr/local/lib hides the loader",
            "another-library-under-the-loader-s-name",
            "old-loader-first",
        ),
        (
            "xmrig: OPENCL disabled",
            "opencl-off-with-no-reason-given",
            "program-switches-opencl-off",
        ),
        ("GTX 1070 in Windows 10 Bash", "subsystem-before-gpus", "wsl-without-gpu"),
        (
            "FirePro W9100 and rocm: no device",
            "sea-islands-under-amd-s-own-driver",
            "radeon-instead-of-amdgpu",
        ),
        (
            "modprobe fglrx: No such device",
            "catalyst-s-module-finds-no-card",
            "driver-without-gpu",
        ),
        (
            "device version too low, detected: 1.1, required: 2.0 (OpenCL)",
            "a-call-of-a-later-version-than-the-device-s",
            "program-calls-newer-opencl",
        ),
        (
            "clGetDeviceInfo: Invalid value at probe.cpp:77",
            "a-program-s-own-line-is-refused-a-value",
            "device-lacks-extension",
        ),
        (
            "Error: 2 unsupported relocations",
            "clover-cannot-place-a-kernel",
            "program-cannot-build-kernels",
        ),
        (
            "#0  releaseEvent () from libamdocl64.so",
            "dies-in-a-driver-s-own-function",
            "driver-release-is-faulty",
        ),
        (
            "terminate called after an error: CL_OUT_OF_RESOURCES",
            "ends-by-an-exception-of-its-own",
            "driver-release-is-faulty",
        ),
        (
            "fine with sudo, without sudo it segfaults",
            "dies-for-all-but-root",
            "render-node-not-accessible",
        ),
        (
            "deleted the kernel cache and it works again",
            "kernels-that-were-kept-are-thrown-away",
            "stale-kernel-cache",
        ),
        (
            "stuck since alteracl.dll is registered",
            "a-driver-for-a-board-that-is-not-there",
            "empty-platform-stops-program",
        ),
        (
            "No rule to make target '/opt/sdk/libOpenCL.so'",
            "make-has-no-rule-for-the-loader",
            "loader-damaged",
        ),
        ("unified memory: error 999", "cuda-s-managed-memory-fails", "nvidia-uvm-not-usable"),
        (
            "opencl-amd beside opencl-mesa does nothing",
            "amd-s-stack-beside-mesa-s",
            "mixed-driver-packages",
        ),
        (
            "has_gpu() is False though get_devices() has one",
            "a-library-denies-what-it-lists",
            "program-release-is-faulty",
        ),
        ("Wrong sums starting with Linux 5.4", "from-one-linux-on", "linux-breaks-driver"),
        (
            "Segfault: Intel Gen OCL Driver and Intel(R) OpenCL",
            "beignet-beside-intel-s-processor-runtime",
            "icds-clash-together",
        ),
        (
            "Meteor Lake on kernel 6.5",
            "meteor-lake-before-linux-enables-it",
            "gpu-needs-force-probe",
        ),
        (
            "installed ocl-icd-libopencl1, now clGetPlatformIDs fails",
            "the-loader-s-packages-alone-were-installed",
            "no-driver-for-gpu",
        ),
        ("BUILD LOG: ptxas fatal", "kernels-are-compiled", "driver-release-is-faulty"),
    ],
)
def test_a_setting_is_known_and_speaks_for_its_usual_cause(
    line: str, setting: str, rule: str
) -> None:
    told = Told([line])
    assert setting in SETTINGS.found_in(told)
    assert SETTINGS.speaks_in(told)[rule] > 0


def test_what_is_compiled_on_a_device_has_passed_its_node_and_its_driver() -> None:
    spoken = SETTINGS.speaks_in(Told(["CL_BUILD_PROGRAM_FAILURE, build log:"]))
    assert spoken["no-driver-for-gpu"] < -1
    assert spoken["render-node-not-accessible"] < -1


def test_what_shows_nvidia_s_platform_has_nvidia_s_library_for_opencl() -> None:
    spoken = SETTINGS.speaks_in(Told(["Platform Name  NVIDIA CUDA"]))
    assert spoken["nvidia-package-without-opencl"] < -1


def test_who_misses_devices_did_not_come_as_far() -> None:
    told = Told(["hashcat: wrong results yesterday, no devices found today"])
    assert "a-program-came-as-far-as-the-device" not in SETTINGS.found_in(told)


def test_several_settings_count_no_more_than_one_is_certain_of() -> None:
    lines = ["Arc A750 clinfo: 0 platforms", "docker on kernel 6.8", "Arch linux 6.8.1"]
    assert max(SETTINGS.speaks_in(Told(lines)).values()) <= 4


def test_a_rule_that_is_named_overrides_its_family() -> None:
    both = next(one for one in SETTINGS.settings if one.id == "neo-on-a-very-old-linux")
    family = next(one for one in SETTINGS.settings if one.id == "only-root-works")
    assert SETTINGS.by_rule(both)["linux-too-old-for-driver"] > 0
    assert SETTINGS.by_rule(family)["driver-dropped-gpu"] < 0


def test_each_setting_has_an_id_of_its_own_and_speaks_of_something() -> None:
    ids = [one.id for one in SETTINGS.settings]
    assert len(set(ids)) == len(ids)
    assert all(one.told and any(one.speaks.values()) for one in SETTINGS.settings)


def test_a_setting_decides_nothing() -> None:
    told = ("UHD 630, kernel 6.8, clinfo: 0 platforms",)
    diagnosis = diagnose(Snapshot(told=told), KNOWLEDGE)
    assert diagnosis.root_cause is None
    assert diagnosis.status == "undetermined"


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("{gen7 and before} & openvino", "{gen77} & openvino", "no set of words gen77"),
        ("tegra-without-opencl: 3", "tegra-without-opencll: 3", "no rule tegra-without-opencll"),
        ("nodes: [render-node", "nodes: [no-node, render-node", "no rule of family nodes no-node"),
        ("jetson|tegra|l4t", "jetson||tegra|l4t", "empty term"),
    ],
)
def test_mistakes_in_the_table_are_named(tmp_path: Path, good: str, bad: str, said: str) -> None:
    text = (rules_path() / "tables" / "settings.yaml").read_text(encoding="utf-8")
    path = tmp_path / "settings.yaml"
    path.write_text(text.replace(good, bad), encoding="utf-8")
    complaints = [error.message for error in settings(path, {rule.id for rule in KNOWLEDGE.rules})]
    assert len(complaints) == 1
    assert said in complaints[0]
