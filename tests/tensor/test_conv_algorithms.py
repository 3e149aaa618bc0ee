# SPDX-License-Identifier: MIT
"""Every algorithm of a convolution, in every direction, against the definition in float64."""

from dataclasses import dataclass, field
from itertools import product

import numpy as np
import oracles
import pytest
from oracles import assert_close, normal, rounding_bound

from clprobe.resources import kernels_path
from clprobe.tensor import Array, Device, Limits
from clprobe.tensor.ops.conv.choose import ALGORITHMS, Entry, load_entries
from clprobe.tensor.ops.conv.geometry import Direction, Geometry
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue

ENTRIES = load_entries(kernels_path() / "conv" / "variants.yaml")
# Winograd's errors follow another law: test_conv_winograd.py.
EXACT = [entry for entry in ENTRIES if "winograd" not in entry.algorithm]


@dataclass(frozen=True, slots=True)
class Case:
    """A small convolution with something odd about it."""

    images: tuple[int, int, int, int]
    filters: int
    kernel: tuple[int, int]
    options: dict = field(default_factory=dict)

    def __str__(self) -> str:
        options = " ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.images} {self.filters} {self.kernel} {options}"

    @property
    def weight_shape(self) -> tuple[int, ...]:
        return (self.filters, self.images[1] // self.options.get("groups", 1), *self.kernel)


CASES = [
    Case((1, 1, 1, 1), 1, (1, 1)),
    Case((2, 3, 7, 5), 7, (3, 3), {"padding": 1}),
    Case((2, 3, 8, 9), 5, (3, 3), {"padding": 1, "stride": 2}),
    Case((1, 2, 9, 8), 3, (2, 2), {"stride": 3}),
    Case((1, 2, 9, 8), 3, (1, 1), {"stride": (2, 3)}),
    Case((2, 2, 6, 5), 13, (1, 1)),
    Case((1, 5, 6, 37), 66, (2, 3), {"padding": (0, 2), "stride": (1, 2)}),
    Case((3, 2, 11, 10), 2, (3, 2), {"dilation": (2, 3), "padding": (1, 2)}),
    Case((1, 2, 13, 12), 3, (3, 3), {"dilation": 2, "padding": 3, "stride": (2, 3)}),
    Case((2, 6, 5, 7), 9, (3, 3), {"groups": 3, "padding": 1}),
    Case((1, 4, 6, 5), 8, (2, 2), {"groups": 4, "stride": 2, "padding": 1}),
    Case((2, 33, 4, 6), 33, (3, 3), {"groups": 33, "padding": 1}),
    Case((2, 1, 3, 3), 1, (1, 1), {"padding": 2}),
    Case((1, 3, 23, 21), 17, (7, 7), {"padding": 3, "stride": 2}),
    Case((1, 1, 3, 100), 2, (3, 3), {"padding": 1}),
    Case((1, 2, 20, 70), 3, (3, 5), {"padding": (1, 2)}),
    # Filters reach further into the padding than the padding is wide, and miss some pixels.
    Case((1, 1, 5, 5), 2, (2, 2), {"padding": 3, "stride": 4}),
]


def is_for(entry: Entry, limits: Limits) -> bool:
    """Return whether an entry is for this kind of device."""
    return entry.device.get("is_cpu", limits.is_cpu) == limits.is_cpu


def does(entry: Entry, case: Case) -> bool:
    """Return whether an algorithm does a geometry; all the others it must do."""
    geometry = Geometry.of(case.images, case.weight_shape, **case.options)
    kernel = (geometry.kernel_height, geometry.kernel_width)
    inside = all(pad < size for pad, size in zip(geometry.padding, kernel, strict=True))
    plain = geometry.groups == 1 and geometry.dilation == (1, 1)
    return {
        "depthwise_weights": geometry.stride == (1, 1),
        "few_channels": plain and geometry.channels <= 4 and inside,
        "gpu_depthwise": inside
        and geometry.groups == case.images[1] > 1
        and geometry.dilation == (1, 1),
        # With at least 16 rows of a group, which test_gpu_kernels.py has.
        "implicit_gemm": geometry.groups == 1,
        "unfold": geometry.groups == 1,
    }.get(entry.algorithm, True)


def towards(direction: Direction) -> list[Entry]:
    return [entry for entry in EXACT if direction in entry.directions]


of_cases = pytest.mark.made_where(
    lambda entry, case, limits: is_for(entry, limits) and does(entry, case)
)
# Every second one, which halves the time.
WITH_EPILOGUE = [(case, index % 2 == 1) for index, case in enumerate(CASES)]


@of_cases
@pytest.mark.parametrize(("case", "epilogue"), WITH_EPILOGUE, ids=str)
@pytest.mark.parametrize("entry", towards(Direction.FORWARD), ids=lambda entry: entry.name)
def test_an_algorithm_computes_the_convolution(
    device: Device, generator: np.random.Generator, entry: Entry, case: Case, epilogue: bool
) -> None:
    x, weight = normal(generator, *case.images), normal(generator, *case.weight_shape)
    exact = oracles.conv2d(x, weight, **case.options)
    magnitude = oracles.conv2d(np.abs(x), np.abs(weight), **case.options)
    terms = weight[0].size

    check(
        device, entry, case, (Direction.FORWARD, epilogue), (x, weight), (exact, magnitude, terms)
    )


@of_cases
@pytest.mark.parametrize(("case", "epilogue"), WITH_EPILOGUE, ids=str)
@pytest.mark.parametrize("entry", towards(Direction.INPUT_GRADIENT), ids=lambda entry: entry.name)
def test_an_algorithm_computes_the_gradient_for_the_images(
    device: Device, generator: np.random.Generator, entry: Entry, case: Case, epilogue: bool
) -> None:
    geometry = Geometry.of(case.images, case.weight_shape, **case.options)
    dy, weight = normal(generator, *geometry.output_shape), normal(generator, *case.weight_shape)
    given = {"shape": case.images, **case.options}
    exact = oracles.conv2d_input_gradient(dy, weight, **given)
    magnitude = oracles.conv2d_input_gradient(np.abs(dy), np.abs(weight), **given)
    terms = weight.size // geometry.weight_shape[1] // geometry.groups

    check(
        *(device, entry, case, (Direction.INPUT_GRADIENT, epilogue)),
        *((dy, weight), (exact, magnitude, terms)),
    )


@of_cases
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("entry", towards(Direction.WEIGHT_GRADIENT), ids=lambda entry: entry.name)
def test_an_algorithm_computes_the_gradient_for_the_filters(
    device: Device, generator: np.random.Generator, entry: Entry, case: Case
) -> None:
    geometry = Geometry.of(case.images, case.weight_shape, **case.options)
    dy, x = normal(generator, *geometry.output_shape), normal(generator, *case.images)
    given = {"weight_shape": case.weight_shape, **case.options}
    exact = oracles.conv2d_weight_gradient(dy, x, **given)
    magnitude = oracles.conv2d_weight_gradient(np.abs(dy), np.abs(x), **given)
    terms = geometry.images * geometry.pixels

    check(
        *(device, entry, case, (Direction.WEIGHT_GRADIENT, False)),
        *((dy, x), (exact, magnitude, terms)),
    )


def check(  # noqa: PLR0917 - what is run, on what, and what it should give
    device: Device,
    entry: Entry,
    case: Case,
    what: tuple[Direction, bool],
    operands: tuple[np.ndarray, np.ndarray],
    expected: tuple[np.ndarray, np.ndarray, int],
) -> None:
    """Run one entry on one case and compare, with bias, residual and relu if so asked."""
    direction, with_epilogue = what
    exact, magnitude, terms = expected
    geometry = Geometry.of(case.images, case.weight_shape, **case.options)
    plan = ALGORITHMS[entry.algorithm](device, direction, geometry, entry.defines)
    assert plan is not None
    epilogue = NO_EPILOGUE
    if with_epilogue:
        generator = np.random.default_rng(1)
        bias, residual = normal(generator, exact.shape[1]), normal(generator, *exact.shape)
        epilogue = Epilogue(
            bias=Array.from_numpy(bias, device),
            residual=Array.from_numpy(residual, device),
            relu=True,
        )
        exact = np.maximum(exact + bias.reshape(-1, 1, 1) + residual, 0)
        magnitude = magnitude + np.abs(bias).reshape(-1, 1, 1) + np.abs(residual)

    found = plan(*(Array.from_numpy(array, device) for array in operands), epilogue).numpy()

    assert_close(found, exact, rounding_bound(terms + 2, magnitude))


def test_every_direction_has_an_entry_for_every_device_and_geometry() -> None:
    last = ENTRIES[-1]

    assert last.directions == frozenset(Direction)
    assert not last.device
    assert not last.shape


@pytest.mark.parametrize(
    ("algorithm", "direction"), list(product(sorted(ALGORITHMS), Direction)), ids=str
)
def test_an_algorithm_has_an_entry_for_each_direction_that_it_can_do(
    device: Device, algorithm: str, direction: Direction
) -> None:
    entries = [entry for entry in ENTRIES if entry.algorithm == algorithm]
    geometry = Geometry.of((1, 2, 6, 6), (3, 2, 3, 3), 1, 1)

    assert entries
    if ALGORITHMS[algorithm](device, direction, geometry, entries[0].defines) is not None:
        assert any(direction in entry.directions for entry in entries)
