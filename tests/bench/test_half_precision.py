# SPDX-License-Identifier: MIT
"""The row that says whether half precision pays, or that there is none."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pyopencl as cl
import pytest
from invented_reports import full_report
from msgspec.structs import replace

from clprobe.bench import half
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.half import half_precision
from clprobe.bench.protocol import Halved, Job, Message, Target
from clprobe.bench.worker import look_at_half
from clprobe.model.measurement import HalfPrecision
from clprobe.report.bench.html import bench_html
from clprobe.report.bench.markdown import bench_markdown
from clprobe.report.bench.text import bench_text
from clprobe.report.terminal import make_console
from clprobe.tensor import Device
from clprobe.tensor.autocast import has_fp16


@pytest.fixture(scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    request.getfixturevalue("built_once")
    platforms = [each for each in cl.get_platforms() if "Portable" in each.name]
    if not platforms:
        pytest.skip("PoCL shows no platform here")
    with Device.open(platforms[0].get_devices()[0]) as opened:
        if has_fp16(opened):
            pytest.skip("this PoCL calculates in half")
        yield opened


def said(device: Device, *workloads: str, done: tuple[str, ...] = ()) -> list[HalfPrecision]:
    """Return what a child process says of it on the way to its workloads."""
    messages: list[Message] = []
    target = Target(label="PoCL")
    job = Job(target=target, workloads=workloads, effort="quick", baseline="numpy", done=done)
    contest: Any = SimpleNamespace(label="PoCL", device=OpenClSubject(device))
    look_at_half(job, contest, messages.append)
    return [one.half for one in messages if isinstance(one, Halved)]


def test_one_line_says_that_there_is_none(device: Device) -> None:
    (found,) = said(device, "copy", "matmul")

    assert found.text == (
        "Half precision: PoCL has no cl_khr_fp16, so autocast keeps values in float."
    )
    assert (found.pays, found.half_gflops) == (False, None)


def test_it_is_said_once_and_only_beside_products(device: Device) -> None:
    assert said(device, "launch") == []
    assert said(device, "copy", "matmul", done=("copy",)) == []


def test_a_failure_costs_nothing_else(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(half, "has_fp16", lambda _: 1 // 0)

    (found,) = said(device, "matmul")

    assert not found.pays
    assert found.text.startswith("Half precision on PoCL failed: clprobe failed: ZeroDivisionError")


def test_a_product_of_halves_is_proved_and_timed(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PoCL stores halves all the same, and reads them."""
    monkeypatch.setattr(half, "has_fp16", lambda _: True)
    monkeypatch.setattr(half, "_SIZE", 256)

    found = half_precision("it", device)

    assert found.max_error <= found.tolerance
    assert found.float_gflops > 0
    assert found.half_gflops > 0
    assert "a product of 256, stored in half, runs at" in found.text
    assert "autocast keeps float here" in found.text


def test_a_wrong_product_never_pays(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(half, "has_fp16", lambda _: True)
    monkeypatch.setattr(half, "_SIZE", 64)
    right = half.matmul_forward

    def wrong(a: object, b: object, **options: bool) -> object:
        return right(a, b) if not options else right(b, a)

    monkeypatch.setattr(half, "matmul_forward", wrong)

    found = half_precision("it", device)

    assert not found.pays
    assert "but is wrong" in found.text


def test_every_form_has_the_line() -> None:
    words = "Half precision on it: it pays."
    made = replace(full_report(), half=(HalfPrecision(device="it", pays=True, text=words),))
    console = make_console("never", width=200)
    with console.capture() as text:
        console.print(bench_text(made))

    assert all(words in one for one in (text.get(), bench_markdown(made), bench_html(made)))
