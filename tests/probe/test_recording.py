# SPDX-License-Identifier: MIT
"""A recorded host gives the snapshot of the live one; the hosts in tests/hosts still replay."""

import errno
import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from recording import RecordingHost, ReplayedHost

from clprobe.model.codec import snapshot_from_text, snapshot_to_json
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown
from clprobe.probe.collect import collect
from clprobe.probe.linux.linux import KMSG, probe_linux_log
from clprobe.probe.live_host import LiveHost

_HOSTS = Path(__file__).parents[1] / "hosts"


def _replayed(name: str) -> Snapshot:
    return collect(ReplayedHost(_HOSTS / f"{name}.yaml").as_host())


def test_a_replay_gives_the_snapshot_of_the_live_run(tmp_path: Path) -> None:
    recording = RecordingHost(LiveHost())
    live = collect(recording.as_host())
    recording.save(tmp_path / "host.yaml", machine="this one")
    replayed = collect(ReplayedHost(tmp_path / "host.yaml").as_host())
    assert replace(replayed, taken="") == replace(live, taken="")


class _NoLog(LiveHost):
    """This machine, as a container sees it that has no log of Linux."""

    def lines_in(self, path: str, pattern: str, last_bytes: int = 4 << 20) -> tuple[str, ...]:
        del pattern, last_bytes
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def test_an_error_names_the_same_path_when_it_is_replayed(tmp_path: Path) -> None:
    recording = RecordingHost(_NoLog())
    live = probe_linux_log(recording.as_host())
    recording.save(tmp_path / "host.yaml")
    replayed = probe_linux_log(ReplayedHost(tmp_path / "host.yaml").as_host())
    assert isinstance(live, Unknown)
    assert KMSG in live.unknown
    assert replayed == live


@pytest.mark.parametrize("path", sorted(_HOSTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_recorded_host_round_trips(path: Path) -> None:
    snapshot = collect(ReplayedHost(path).as_host())
    assert isinstance(snapshot.icds, tuple)
    assert snapshot_from_text(snapshot_to_json(snapshot), name=path.name) == snapshot


def test_a_host_without_a_gpu() -> None:
    snapshot = _replayed("debian-12-cpu-only")
    assert (snapshot.gpus, snapshot.device_nodes) == ((), ())
    assert snapshot.system.distribution.id == "debian"
    assert {loader.kind for loader in snapshot.loaders} >= {"ocl-icd", "pyopencl-wheel"}
    outcomes = {icd.path.rpartition("/")[2]: icd.answer.outcome for icd in snapshot.icds}
    assert outcomes["pocl.icd"] == "ok"
    assert outcomes["mesa.icd"] == "no-devices"
    assert outcomes["intel-cpu.icd"] == "error"
    assert (snapshot.package_sources, snapshot.package_trouble) == ((), None)
    assert snapshot.libraries["libigc.so.2"] is None
    assert "libigc1" in {package.name for package in snapshot.packages}
    (pytorch,) = snapshot.frameworks
    assert pytorch.built_for == ("cpu",)


def test_a_host_whose_render_node_is_closed_to_the_user() -> None:
    snapshot = _replayed("debian-12-render-node-closed")
    nodes = {node.path: node for node in snapshot.device_nodes}
    render = nodes["/dev/dri/renderD128"]
    assert (render.open_error, render.gid, render.mode) == ("EACCES", 109, "0660")
    assert snapshot.user.uid == 1000


def test_a_question_that_was_not_recorded_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "host.yaml").write_text(
        "format: clprobe.host/1\nsynthetic: true\nanswers:\n"
        "  environment: {'': {answer: {}}}\n"
        "  machine: {'': {answer: {node_name: host, release: 6.8.0, version: '#1', "
        "architecture: x86_64, logical_cores: 4, pointer_bits: 64}}}\n"
    )
    snapshot = collect(ReplayedHost(tmp_path / "host.yaml").as_host())
    assert snapshot.system.linux.release == "6.8.0"
    assert isinstance(snapshot.user.uid, Unknown)
    assert isinstance(snapshot.packages, Unknown)
    assert isinstance(snapshot.device_nodes, Unknown)


def test_a_file_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "host.yaml").write_text("answers: {}\n")
    with pytest.raises(ClprobeError, match="not a host recording"):
        ReplayedHost(tmp_path / "host.yaml")
