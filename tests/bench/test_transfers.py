# SPDX-License-Identifier: MIT
"""How batches get to a device: both ways are measured, and the report says which one counted."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import numpy as np
import pyopencl as cl
import pytest
from invented_reports import GPU, full_report

from clprobe.bench.digits import Digits, load_digits
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.nets import MLP
from clprobe.model.measurement import BenchReport
from clprobe.report.bench.html import bench_html
from clprobe.report.bench.markdown import bench_markdown
from clprobe.report.bench.text import bench_text
from clprobe.report.bench.transfers import transfers_of
from clprobe.report.terminal import make_console
from clprobe.tensor import Device, Limits

LARGE = 2048
"""Images of 8 x 8 that are worth mapping."""


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Iterator[OpenClSubject]:
    request.getfixturevalue("built_once")
    platforms = [each for each in cl.get_platforms() if "Portable" in each.name]
    if not platforms:
        pytest.skip("PoCL shows no platform here")
    with Device.open(platforms[0].get_devices()[0]) as device:
        yield OpenClSubject(device)


@pytest.fixture
def apart(shared: OpenClSubject) -> Iterator[OpenClSubject]:
    limits = replace(Limits.of(shared.device.cl_device), host_unified=False)
    with Device.open(shared.device.cl_device, limits=limits) as device:
        yield OpenClSubject(device)


def batch(count: int) -> Digits:
    images = load_digits()[0].images
    labels = load_digits()[0].labels
    return Digits(np.resize(images, (count, *images.shape[1:])), np.resize(labels, count))


def test_the_way_that_training_takes_comes_first(
    shared: OpenClSubject, apart: OpenClSubject
) -> None:
    assert list(shared.ways(batch(64))) == ["copied", "mapped"]
    assert list(shared.ways(batch(LARGE))) == ["mapped", "copied"]
    assert list(apart.ways(batch(LARGE))) == ["copied"]


def test_what_is_mapped_is_not_uploaded_and_trains_alike(
    shared: OpenClSubject, apart: OpenClSubject
) -> None:
    losses, commands = [], []
    for subject in (shared, apart):
        trainer = subject.trainer(MLP, [batch(LARGE)])
        trainer.train(range(1))
        with subject.device.record_events() as recorded:
            losses.append(trainer.train(range(1)) + trainer.train(range(1)))
        commands.append([one.name for one in recorded])

    assert losses[0] == losses[1]
    # The labels are few.
    assert [commands[0].count(name) for name in ("map", "upload")] == [2, 2]
    assert [commands[1].count(name) for name in ("map", "upload")] == [0, 4]


def report(**transfer: object) -> BenchReport:
    made = full_report()
    results = tuple(
        msgspec.structs.replace(one, **transfer)
        if one.device == GPU and one.workload == "train-cnn"
        else one
        for one in made.results
    )
    return msgspec.structs.replace(made, results=results)


@pytest.mark.parametrize(
    ("transfer", "words"),
    [
        (
            {"transfer_by": "mapped", "transfer_copied_ms": 3.1, "transfer_mapped_ms": 0.05},
            "copying it takes 3.10 ms, mapping memory for it 0.0500 ms, as device and host share "
            "memory; the verdict counts the map and writing it there.",
        ),
        (
            {"transfer_by": "copied", "transfer_copied_ms": 0.03, "transfer_mapped_ms": 0.05},
            "memory; the verdict counts the copy.",
        ),
        (
            {"transfer_by": "copied", "transfer_copied_ms": 3.1},
            "takes 3.10 ms, for the device has memory of its own; the verdict counts that.",
        ),
    ],
)
def test_every_form_says_how_batches_came(transfer: dict[str, object], words: str) -> None:
    made = report(**transfer)
    console = make_console("never", width=400)
    with console.capture() as text:
        console.print(bench_text(made))

    for shown in (text.get(), bench_markdown(made), bench_html(made)):
        assert words in " ".join(shown.split())
    assert "transfer by" in bench_html(made)


def test_nothing_is_said_where_nothing_was_brought() -> None:
    assert transfers_of(full_report(), GPU) == ""
