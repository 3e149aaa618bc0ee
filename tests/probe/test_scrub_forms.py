# SPDX-License-Identifier: MIT
"""Which texts are taken for ids and secrets, and which look like them and are none."""

import random

import pytest
from msgspec.structs import replace

from clprobe.model.opencl import Answer, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, System
from clprobe.scrub import scrub

_GONE = {
    "serial": ["Serial Number: PF2X4K7Q", "SerialNumber=AA00112233", "S/N: 5CD0286XYZ",
               "serial PF2X4K7Q of the board", "unique_id: 0x9f2b1c3d4e5f6071"],
    "uuid": ["GPU-6a3f9d2e-1c4b-4d8a-9e7f-0b1c2d3e4f50", "root=UUID=1A2B-3C4D",
             "/dev/disk/by-uuid/6a3f9d2e-1c4b-4d8a-9e7f-0b1c2d3e4f50"],
    "mac": ["52:54:00:ab:cd:ef", "52-54-00-AB-CD-EF", "link enx525400abcdef is up",
            "eth0: 52:54:00:ab:cd:ef,"],
    "ip": ["192.168.17.23", "10.20.30.40:22", "(203.0.113.77)", "fe80::5054:ff:feab:cdef",
           "2001:db8::17", "2001:db8:1:2:3:4:5:6", "from 10.0.0.1-10.0.0.9", "fd00::1%eth0",
           "ip-172-31-45-67", "/mnt/192.168.17.23/share",
           "peer 5.6.7.8 is gone", "http://5.6.7.8/debs", "5.6.7.8:22", "x@5.6.7.8"],
    "email": ["mallory.canary@example.org", "<m@mail.example.com>"],
    "token": ["https://mallory:hunter2@repo.example.org/apt", "https://ghcr@repo.example.org",
              "token=abc", "password: hunter2x", "API_KEY='k3y'", "?key=s3cr3tvalue&x=1",
              "ghp_0123456789abcdefABCDEF0123456789abcd", "Authorization: Bearer abcdef123456",
              "aGVsbG8gd29ybGQ5IHRoaXMxIGlzMiBhMyBzZWNyZXQ0", "AKIAIOSFODNN7EXAMPLE",
              "d41d8cd98f00b204e9800998ecf8427e", "hf_AbCdEfGhIjKlMnOpQrSt",
              "/run/k8s/d41d8cd98f00b204e9800998ecf8427e/x", "AWS_SECRET_ACCESS_KEY=wJalrX"],
}  # fmt: skip
_KEPT = [
    "24.35.30872.22", "535.183.01", "1.0.8744", "intel-opencl-icd 24.35.30872.22-1",
    "libigdrcl 1.2.0.18-3ubuntu1", "Driver version 1.2.0.10", "/opt/intel/opencl/6.4.0.25/lib",
    "/opt/intel/opencl-1.2-6.4.0.25/lib64/libintelocl.so", "OpenCL 2.1.0.0", "needs >= 2.2.17.10",
    "31.0.101.4502",
    "bios: version 86.04.50.00.64", "127.0.0.1", "::1",
    "0000:00:02.0", "i915 0000:03:00.0: [drm] GPU HANG: ecode 9:1:85dffffb", "8086:5916",
    "pci:v00008086d00005916sv000017AAsd00002245bc03sc00i00", "c 226:128", "12:34:56", "0660",
    "crw-rw----+ 1 root render 226, 128 Nov 21 10:43 /dev/dri/renderD128",
    "user::rw-", "group::r--", "mask::rw-", "llvm::cl::Option", "std::bad_alloc", "ab::cd",
    "_ZN4llvm17WindowsResourceParser5parseEPNS_15WindowsResourceERSt6vectorINSt7S",
    "undefined symbol: _ZNK4llvm13CodeGenOpt5LevelEv, version LLVM_17",
    "memcpy@GLIBC_2.14", "clGetPlatformIDs@@OPENCL_1.0", "getty@tty1.service",
    "user@1000.service", "gpu@ff9a0000", "main@plt", "i7-8550U CPU @ 1.80GHz",
    "/nix/store/7g1lzf0hk2s9cj4x8q5n3wpdm6ybvra1-mesa-24.1.2-drivers/lib/libRusticlOpenCL.so",
    "Mesa 23.2.1 (git-2d1e37ac16)", "commit 2d1e37ac16b0f3c45a6d7e8f9012345678901234",
    "libnvidia-opencl.so.535.183.01", "cl_intel_subgroup_matrix_multiply_accumulate_tf32",
    "usb 1-1: New USB device strings: Mfr=1, Product=2, SerialNumber=3",
    "Serial: 8250/16550 driver, 32 ports", "serial console on ttyS0",
    "error: unexpected token: 'half'", "preprocessing token: x", "Loading of module with "
    "unavailable key is rejected", "integrity: Problem loading X.509 certificate -65",
    "linux-headers-6-8-0-51-generic-lowlatency-hwe", "gfx1100-gfx1101-gfx1102-gfx1103-gfx90a",
    "CL_DEVICE_HALF_FP_CONFIG=0x3f", "0xffffffffffffffffffffffffffffffff", "2026-11-21-10-43-24",
    "x86_64-linux-gnu/intel-opencl/libigdrcl.so", "mesa@23.1.4", "pthread-skylake-avx512",
    "/usr/lib/x86_64-linux-gnu/libLLVMSPIRVLib.so.15", "NVRM: GPU 0000:01:00.0: RmInitAdapter "
    "failed! (0x62:0xffff:2351)", "amdgpu: smu fw version = 0x003a5800 (58.88.0)",
    "i915/tgl_guc_70.1.1.bin", "RTX 3090", "/home/linuxbrew/.linuxbrew/lib/libOpenCL.so.1",
]  # fmt: skip


def _said(text: str) -> Snapshot:
    return Snapshot(messages=(text,), views=(View(viewer="x", answer=Answer(printed=text)),))


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in _GONE.items() for text in texts]
)
def test_an_id_or_secret_is_replaced(kind: str, text: str) -> None:
    once = scrub(_said(text))
    assert isinstance(once.messages, tuple)
    assert f"removed-{kind}" in once.messages[0]
    assert once.scrubbed
    assert scrub(once) == once


@pytest.mark.parametrize("text", _KEPT)
def test_what_looks_like_an_id_stays(text: str) -> None:
    assert scrub(_said(text)) == _said(text)


def test_different_values_stay_different_and_equal_ones_equal() -> None:
    text = "10.20.30.40 10.20.30.41 10.20.30.40"
    messages = scrub(Snapshot(messages=(text, "10.20.30.41"))).messages
    assert messages == ("removed-ip removed-ip-2 removed-ip", "removed-ip-2")


def test_new_values_beside_earlier_stand_ins_get_others() -> None:
    messages = scrub(Snapshot(messages=("removed-ip and 10.20.30.40",))).messages
    assert messages == ("removed-ip and removed-ip-2",)


_BOOT = (
    "BOOT_IMAGE=/vmlinuz-6.8 root=/dev/mapper/canary--vg-root ro quiet i915.force_probe=56a0 "
    "cryptdevice=UUID=6a3f9d2e-1c4b-4d8a-9e7f-0b1c2d3e4f50:canary rd.luks.uuid=luks-canary "
    "ip=dhcp nomodeset systemd.machine_id=canary module_blacklist=nouveau vfio-pci.ids=10de:1b80 "
    "intel_iommu=on -- secret=canary init-word"
)


def test_of_boot_parameters_only_those_of_drivers_keep_their_value() -> None:
    scrubbed = scrub(Snapshot(system=System(linux=Linux(command_line=_BOOT))))
    line = scrubbed.system.linux.command_line
    assert line == (
        "BOOT_IMAGE=/vmlinuz-6.8 root=removed ro quiet i915.force_probe=56a0 cryptdevice=removed "
        "rd.luks.uuid=removed ip=removed nomodeset systemd.machine_id=removed "
        "module_blacklist=nouveau vfio-pci.ids=10de:1b80 intel_iommu=on -- removed-arguments"
    )
    assert scrubbed.scrubbed["boot-parameter"] == 6
    assert scrub(scrubbed) == scrubbed


def test_a_boot_line_in_a_log_is_treated_alike() -> None:
    log = f"[    0.0] Kernel command line: {_BOOT}\n[    1.0] i915 0000:00:02.0: bound"
    scrubbed = scrub(Snapshot(system=System(linux=Linux(log=log)))).system.linux.log
    assert "canary" not in str(scrubbed)
    assert "i915.force_probe=56a0" in str(scrubbed)
    assert str(scrubbed).endswith("i915 0000:00:02.0: bound")


def test_counts_of_an_earlier_scrubbing_are_kept_and_added_to() -> None:
    once = scrub(_said("10.20.30.40"))
    again = scrub(replace(once, messages=("52:54:00:ab:cd:ef",)))
    assert again.scrubbed == {"ip-address": 2, "mac-address": 1}


def test_texts_in_any_company_are_scrubbed_once_and_for_all() -> None:
    source = random.Random(7)  # noqa: S311 - chooses texts, protects nothing
    texts = [*(text for some in _GONE.values() for text in some), *_KEPT, _BOOT]
    for _ in range(300):
        joined = source.choice((" ", "\n", ", ")).join(source.choices(texts, k=6))
        system = System(linux=Linux(command_line=joined, log=joined))
        once = scrub(replace(_said(joined), system=system))
        assert scrub(once) == once, joined
