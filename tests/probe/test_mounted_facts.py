# SPDX-License-Identifier: MIT
"""Facts that this machine does not show by itself: made up in a private mount namespace."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount"),
]

_GPU = """
set -eu
mount --make-rprivate /sys
mount -t tmpfs tmpfs /sys/bus
gpu=/sys/bus/pci/devices/0000:03:00.0
mkdir -p $gpu/power
echo 0x030000 > $gpu/class; echo 0x8086 > $gpu/vendor; echo 0x56a0 > $gpu/device
echo pci:v00008086d000056A0sv00008086sd00001020bc03sc00i00 > $gpu/modalias
echo suspended > $gpu/power/runtime_status
echo "0x0000004000000000 0x000000400fffffff 0x000000000014220c" > $gpu/resource
exec "$@"
"""
_SECURITYFS = """
set -eu
mount --make-rprivate /sys
mount -t securityfs securityfs /sys/kernel/security
exec "$@"
"""


def _ask(mounts: str, expression: str) -> Any:
    """Return what the probes find of a live host after the mounts; nothing stays behind."""
    script = (
        "import msgspec\n"
        "from clprobe.probe.live_host import LiveHost\n"
        "from clprobe.probe.gpus import probe_gpus\n"
        "from clprobe.probe.linux.linux import probe_linux\n"
        f"print(msgspec.json.encode({expression}).decode())"
    )
    # In a chroot / may be no mount point, so what lies below /sys alone is made private.
    own = ["unshare", "--mount", "--propagation", "unchanged"]
    argv = [*own, "sh", "-c", mounts, "sh", sys.executable, "-c", script]
    ran = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=60)
    if ran.returncode and ran.stderr.startswith(("mount:", "unshare:")):
        pytest.skip(f"no such mount here: {ran.stderr.strip()}")
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_a_gpu_in_sysfs_is_read_as_linux_writes_it() -> None:
    (gpu,) = _ask(_GPU, "probe_gpus(LiveHost(), 'docker')")
    assert gpu["pci_id"] == "8086:56a0"
    assert gpu["memory_bar_bytes"] == 256 << 20
    assert gpu["power_state"] == "suspended"
    assert gpu["kernel_driver"] is None


def test_lockdown_is_read_where_securityfs_is_mounted() -> None:
    assert _ask(_SECURITYFS, "probe_linux(LiveHost(), None).lockdown") in (
        None, "none", "integrity", "confidentiality",
    )  # fmt: skip
