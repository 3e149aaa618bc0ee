# SPDX-License-Identifier: MIT
"""What a driver says is no text yet: bench takes any bytes for a device's name."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from faults import FORWARDER, POCL, compile_driver
from test_command import environment


@pytest.mark.skipif(
    not POCL.exists() or shutil.which("cc") is None,
    reason="needs pocl-opencl-icd, and gcc with libc6-dev",
)
def test_a_device_may_be_called_anything(tmp_path: Path) -> None:
    name = r"Xe\xff\xfe \x1b[31mred\n\u202e 9"
    library = compile_driver(tmp_path, "odd", f'-DDEVICE_NAME="{name}"', source=FORWARDER)
    command = [sys.executable, "-m", "clprobe", "bench", "--quick", "--workload", "copy"]

    done = subprocess.run(
        [*command, "--baseline", "numpy", "--json"],
        env=environment(tmp_path, str(library)),
        capture_output=True,
        timeout=200,
        check=False,
    )

    told = done.stderr.decode()  # which is UTF-8
    assert "Traceback" not in told
    assert "\x1b" not in told
    labels = {one["device"] for one in json.loads(done.stdout)["results"]}
    assert any("red" in label for label in labels)
    assert not any("\x1b" in label or "\u202e" in label for label in labels)
