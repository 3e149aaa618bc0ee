# SPDX-License-Identifier: MIT
"""`clprobe check`: its exit statuses, one line for a prolog, folders, and what others read."""

import json
import re
from pathlib import Path

import pytest

from clprobe.cli.main import main
from clprobe.model.codec import snapshot_to_json
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.snapshot import Snapshot

GPU = Device(name="Fixture\x1b[31m GPU", type="gpu", vendor="Intel", available=True, extensions=())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two hosts with a GPU and without, one that nobody knows of, and one that is damaged."""
    hosts = tmp_path / "hosts"
    hosts.mkdir()
    for name, devices in (("a", (GPU,)), ("b", ())):
        answer = Answer(outcome="ok", platforms=(Platform(name="P", devices=devices),))
        snapshot = Snapshot(views=(View(viewer="clinfo", answer=answer),))
        (hosts / f"{name}.json").write_text(snapshot_to_json(snapshot))
    (hosts / "c.json").write_text(snapshot_to_json(Snapshot()))
    (hosts / "d.json").write_text('{"schema": "clprobe.snapshot/1", "gpus": 7}')
    return hosts


@pytest.fixture
def needs(tmp_path: Path) -> str:
    path = tmp_path / "needs.yaml"
    path.write_text("label: one-gpu\ndevice: {type: gpu}\n")
    return str(path)


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["check", *map(str, arguments)])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", (0, "yes: device 0")),
        ("b", (1, "no: there is no OpenCL device")),
        ("c", (3, "not known: which OpenCL devices there are is not known")),
    ],
)
def test_a_prolog_gets_one_line_and_a_status(
    name: str,
    expected: tuple[int, str],
    folder: Path,
    needs: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, said = expected
    assert run("-q", "--needs", needs, "--from", folder / f"{name}.json") == status

    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert said in printed
    assert "\x1b" not in printed


def test_each_file_of_a_folder_is_a_host(
    folder: Path, needs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--json", "--needs", needs, folder) == 1

    report = json.loads(capsys.readouterr().out)
    assert report["schema"] == "clprobe.check/1"
    assert report["answer"] == "no"
    assert {one["host"]: one["answer"] for one in report["hosts"]} == {
        "a.json": "yes", "b.json": "no", "c.json": "not-known", "d.json": "not-known",
    }  # fmt: skip
    assert "gpus" in report["hosts"][3]["because"]


def test_a_folder_is_told_line_by_line_and_summed_up(
    folder: Path, needs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "b.json").unlink()
    assert run("--needs", needs, folder) == 3

    printed = capsys.readouterr()
    assert [line.partition(":")[0] for line in printed.out.splitlines()] == [
        *("a.json", "c.json", "d.json")
    ]
    assert printed.err == "3 hosts: 1 yes, 0 no, 2 not known\n"


def test_more_than_one_line_tells_what_each_device_lacks(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "more.yaml"
    path.write_text("device: {features: [fp16], any: [{vendor: amd}, {type: cpu}]}\n")

    assert run("--needs", path, folder / "a.json") == 1

    *_, last = capsys.readouterr().out.splitlines()
    assert "fp16: no, no cl_khr_fp16; (of amd or cpu): no, " in last


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["--needs", "nowhere.yaml"], ["--needs", "{needs}", "--from", "nowhere.json"]),
        ["--needs", "{needs}", "--format", "nfd", "{folder}"],
        ["--needs", "{needs}", "--from", "{folder}", "{folder}"],
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_a_usage_error(
    arguments: list[str], folder: Path, needs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = [one.format(needs=needs, folder=folder) for one in arguments]

    assert run(*filled) == 2

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err


def test_the_example_is_printed_and_can_be_used(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--example") == 0
    path = tmp_path / "example.yaml"
    path.write_text(capsys.readouterr().out)

    assert run("-q", "--needs", path, "--from", folder / "b.json") == 1


def test_labels_are_ones_that_kubernetes_takes(
    folder: Path, needs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--format", "nfd", "--needs", needs, "--from", folder / "a.json") == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "feature.node.kubernetes.io/opencl-needs.one-gpu=yes",
        "feature.node.kubernetes.io/opencl-needs.one-gpu.devices=1",
    ]
    name = re.compile(r"[a-z.]+/[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?=[a-z0-9-]{1,63}")
    assert all(map(name.fullmatch, lines))


def test_prometheus_gets_one_series_an_answer(
    folder: Path, needs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "d.json").rename(folder / 'd"\\.json')
    assert run("--format", "prometheus", "--needs", needs, folder) == 1

    lines = capsys.readouterr().out.splitlines()
    shape = re.compile(r'clprobe_needs_\w+\{(\w+="([^"\\]|\\["\\n])*",?)+\} \d+')
    series = [line for line in lines if not line.startswith("# ")]
    assert all(map(shape.fullmatch, series))
    assert 'clprobe_needs_answer{needs="one-gpu",host="b.json",answer="no"} 1' in series
    assert sum(line.endswith(" 1") for line in series if "_answer{" in line) == 4


def test_a_working_device_on_the_cpu_is_asked_for_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    devices = tuple(
        Device(name=type_, type=type_, available=True, extensions=()) for type_ in ("gpu", "cpu")
    )
    answer = Answer(outcome="ok", platforms=(Platform(name="P", devices=devices),))
    Path("host.json").write_text(
        snapshot_to_json(Snapshot(views=(View(viewer="clinfo", answer=answer),)))
    )

    # Nobody has run a kernel there.
    assert run("-q", "--needs", "cpu-device", "--from", "host.json") == 3
    assert capsys.readouterr().out.startswith("host.json: not known: device 1")
    # A file of that name is what is meant.
    Path("cpu-device").write_text("device: {type: gpu}\n")
    assert run("-q", "--needs", "cpu-device", "--from", "host.json") == 0
    assert run("-q", "--needs", "gpu-device", "--from", "host.json") == 2
