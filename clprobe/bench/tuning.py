# SPDX-License-Identifier: MIT
"""Tunes the kernels of the device under test before it is measured."""

import time
from collections.abc import Callable, Iterator
from math import prod

from clprobe.bench.effort import Effort
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.measure import Contest
from clprobe.model.errors import ClprobeError
from clprobe.model.measurement import RejectedConfiguration, TunedProduct, Tuning
from clprobe.resources import kernels_path
from clprobe.tensor.ops.conv.geometry import Direction, Geometry
from clprobe.tensor.tuning.convolutions import Found, tune_convolutions
from clprobe.tensor.tuning.space import load_space
from clprobe.tensor.tuning.tune import Report, tune

_CONFIGURATION_SECONDS = 0.8
"""To build, prove and time one: PoCL on two cores took 128 s for 168, most of it building."""
# As often as a line of a log may say it.
_TELL_SECONDS = 10


def tuned_products() -> int:
    """Return for how many products of matrices the kernels are tuned."""
    return len(load_space(kernels_path() / "matmul" / "space.yaml")[1])


def tuning_minutes(candidates: int) -> float:
    """Return about how long tuning one device takes, with so many kernels for each product."""
    return max(1.0, candidates * tuned_products() * _CONFIGURATION_SECONDS / 60)


def tune_device(contest: Contest, tell: Callable[[str], None]) -> Tuning:
    """Measure configurations, keep the fastest for later runs too, and say what was found.

    `tell` is called after every kernel, now and then with how far it is, else with "".
    """
    engine = contest.device
    if not isinstance(engine, OpenClSubject):
        problem = "it runs another framework's kernels, so there is nothing to tune"
        return Tuning(device=contest.label, seconds=0.0, problem=problem)
    usual = tuning_minutes(contest.effort.tuning_candidates)
    started = time.monotonic()
    told = started

    def alive() -> None:
        nonlocal told
        now = time.monotonic()
        is_due = now - told >= _TELL_SECONDS
        told = now if is_due else told
        tell(f"{now - started:.0f} s of about {60 * usual:.0f}" if is_due else "")

    try:
        products = tune(
            engine.device,
            candidates=contest.effort.tuning_candidates,
            alive=alive,
        )
        convolutions = tune_convolutions(
            engine.device,
            ((way, geometry) for geometry in _convolutions(contest.effort) for way in Direction),
            alive=alive,
        )
    except (ClprobeError, OSError) as error:
        seconds = time.monotonic() - started
        return Tuning(device=contest.label, seconds=seconds, problem=str(error))
    return Tuning(
        device=contest.label,
        seconds=time.monotonic() - started,
        found=(*_of_products(products), *(_of_convolution(*one) for one in convolutions.items())),
        rejected=(
            *(
                RejectedConfiguration(
                    product=str(one.product), configuration=one.variant.name, reason=one.reason
                )
                for one in products.rejected
            ),
            *(
                RejectedConfiguration(product=_name(*asked), configuration=name, reason=reason)
                for asked, found in convolutions.items()
                for name, reason in found.rejected
            ),
        ),
    )


def _convolutions(effort: Effort) -> Iterator[Geometry]:
    """Yield those that are measured as workloads."""
    for images, channels, side in effort.conv_shapes:
        yield Geometry.of((images, channels, side, side), (channels, channels, 3, 3), padding=1)


def _of_products(report: Report) -> Iterator[TunedProduct]:
    for winner in report.winners:
        yield TunedProduct(
            product=str(winner.tuned.product),
            configuration=winner.tuned.variant.name,
            gflops=winner.tuned.gflops,
            gflops_before=winner.previous_gflops,
        )


def _of_convolution(asked: tuple[Direction, Geometry], found: Found) -> TunedProduct:
    fastest = found.timed[0]
    flops = 2.0 * prod(asked[1].output_shape) * prod(asked[1].weight_shape[1:])
    return TunedProduct(
        product=_name(*asked),
        configuration=fastest.name,
        gflops=flops / fastest.seconds / 1e9,
        gflops_before=flops / found.before / 1e9,
    )


def _name(direction: Direction, geometry: Geometry) -> str:
    """Return it as workloads are called."""
    kind = direction.value.replace("_", "-").replace("gradient", "grad")
    return f"conv-{kind} {geometry.images}x{geometry.channels}x{geometry.height}"
