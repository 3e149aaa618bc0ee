# SPDX-License-Identifier: MIT
"""The linker that PoCL needs, as the host's PATH has it."""

from pathlib import Path

from clprobe.probe.live_host import LiveHost
from clprobe.probe.recording import RecordingHost, ReplayedHost
from clprobe.probe.system import probe_system


def test_a_linker_is_found_on_the_path_that_children_get(tmp_path: Path) -> None:
    linker = tmp_path / "ld"
    linker.write_text("#!/bin/sh\n")
    linker.chmod(0o755)
    assert probe_system(LiveHost({"PATH": str(tmp_path)})).linker == str(linker)
    assert probe_system(LiveHost({"PATH": str(tmp_path / "empty")})).linker is None


def test_no_linker_is_replayed_as_none(tmp_path: Path) -> None:
    recording = RecordingHost(LiveHost({"PATH": str(tmp_path)}))
    assert recording.as_host().which("ld") is None
    recording.save(tmp_path / "host.yaml")
    assert ReplayedHost(tmp_path / "host.yaml").as_host().which("ld") is None
