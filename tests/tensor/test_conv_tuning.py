# SPDX-License-Identifier: MIT
"""The fastest algorithm of a convolution is measured, proved and used; a wrong one is not."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import oracles
import pytest
from oracles import normal

from clprobe.resources import kernels_path
from clprobe.tensor import Array, BuildError, Device
from clprobe.tensor.ops.conv.choose import ALGORITHMS, choose, entries_of, measured
from clprobe.tensor.ops.conv.geometry import Direction, Geometry
from clprobe.tensor.ops.epilogue import NO_EPILOGUE
from clprobe.tensor.tuning import convolutions
from clprobe.tensor.tuning.convolution_table import load_convolutions, save_convolutions
from clprobe.tensor.tuning.convolutions import tune_convolution, tune_convolutions
from clprobe.tensor.tuning.exact_convolution import convolved

ODD = Geometry(
    images=2, channels=4, height=9, width=8, filters=6, kernel_height=3, kernel_width=2,
    stride=(2, 1), padding=(1, 1), dilation=(1, 2), groups=2,
)  # fmt: skip
SMALL = Geometry(
    images=1, channels=4, height=6, width=6, filters=4, kernel_height=3, kernel_width=3,
    padding=(1, 1),
)  # fmt: skip


@pytest.fixture(autouse=True)
def short_samples(monkeypatch: pytest.MonkeyPatch, device: Device) -> Iterator[None]:
    monkeypatch.setattr(convolutions, "_SAMPLE_SECONDS", 1e-4)
    yield
    device.programs.forget(lambda key: isinstance(key, tuple) and key[0] == "conv")


def test_the_definition_is_that_of_the_oracle(generator: np.random.Generator) -> None:
    x = normal(generator, *ODD.input_shape)
    weight = normal(generator, *ODD.weight_shape)
    dy = normal(generator, *ODD.output_shape)
    options = (ODD.stride, ODD.padding, ODD.dilation, ODD.groups)

    np.testing.assert_allclose(
        convolved(Direction.FORWARD, ODD, x, weight),
        oracles.conv2d(x, weight, *options),
    )
    # A convolution is linear: its gradients are its adjoints.
    y = convolved(Direction.FORWARD, ODD, x, weight)
    dx = convolved(Direction.INPUT_GRADIENT, ODD, dy, weight)
    dw = convolved(Direction.WEIGHT_GRADIENT, ODD, dy, x)
    assert (y * dy).sum() == pytest.approx((dx * x).sum())
    assert (y * dy).sum() == pytest.approx((dw * weight).sum())


def test_what_is_fastest_is_used_from_now_on(
    device: Device, generator: np.random.Generator
) -> None:
    x, weight = normal(generator, *SMALL.input_shape), normal(generator, *SMALL.weight_shape)

    found = tune_convolution(device, SMALL)

    seconds = [one.seconds for one in found.timed]
    assert seconds == sorted(seconds)
    assert min(seconds) > 0
    assert not [why for _, why in found.rejected if "values are wrong" in why]
    plan = choose(device, Direction.FORWARD, SMALL)
    operands = [Array.from_numpy(each, device) for each in (x, weight)]
    np.testing.assert_allclose(
        plan(*operands, NO_EPILOGUE).numpy(),
        convolved(Direction.FORWARD, SMALL, x, weight),
        atol=1e-4,
    )


def test_what_was_fastest_is_used_by_later_processes(device: Device, tmp_path: Path) -> None:
    asked = [(Direction.FORWARD, SMALL), (Direction.WEIGHT_GRADIENT, SMALL)]
    times = []

    found = tune_convolutions(device, asked, folder=tmp_path, alive=lambda: times.append(1))

    names = {one: each.timed[0].name for one, each in found.items()}
    assert list(names) == asked
    assert all(each.before > 0 for each in found.values())
    assert len(times) > len(asked)
    kept = load_convolutions(device.cl_device, device.programs.folder, tmp_path)
    assert kept == names


def test_a_measured_entry_comes_before_the_ladder(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    suiting = [
        one for one in entries_of(device)
        if Direction.FORWARD in one.directions and one.suits_device(device)
    ]  # fmt: skip
    made: list[str] = []

    def noted(name: str, prepare: object) -> object:
        return lambda *given: (made.append(name), prepare(*given))[1]

    for name, prepare in ALGORITHMS.items():
        monkeypatch.setitem(ALGORITHMS, name, noted(name, prepare))
    with Device.open(device.cl_device, limits=device.limits) as opened:
        for entry in suiting:
            measured(opened)[Direction.FORWARD, SMALL] = entry.name
            opened.programs.forget(lambda key: isinstance(key, tuple) and key[0] == "conv")
            made.clear()
            choose(opened, Direction.FORWARD, SMALL)
            assert made[0] == entry.algorithm


def test_what_was_measured_with_other_kernels_or_is_damaged_is_not_used(
    device: Device, tmp_path: Path
) -> None:
    kernels = tmp_path / "kernels"
    shutil.copytree(kernels_path(), kernels)
    found = {(Direction.FORWARD, SMALL): "direct"}
    path = save_convolutions(device.cl_device, kernels, found, tmp_path)
    assert load_convolutions(device.cl_device, kernels, tmp_path) == found

    source = kernels / "conv" / "direct.cl"
    source.write_text(f"{source.read_text()}\n// changed\n")
    assert load_convolutions(device.cl_device, kernels, tmp_path) == {}

    path.write_bytes(path.read_bytes()[:-9])
    assert load_convolutions(device.cl_device, kernels_path(), tmp_path) == {}


def test_a_wrong_algorithm_is_fast_in_vain(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def zeros(one: Device, *_: object) -> object:
        return lambda *_: Array.full(one, SMALL.output_shape, 0.0)

    for name in ALGORITHMS:
        monkeypatch.setitem(ALGORITHMS, name, zeros)

    with pytest.raises(BuildError, match="rightly"):
        tune_convolution(device, SMALL)
