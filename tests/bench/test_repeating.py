# SPDX-License-Identifier: MIT
"""A training that is repeated says whether it was so to the last bit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyopencl as cl
import pytest
from invented_reports import full_report
from msgspec.structs import replace

from clprobe.bench.digits import load_digits
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.nets import CNN, MLP, Net
from clprobe.bench.repeating import repeats
from clprobe.bench.training_proof import Run
from clprobe.report.bench.html import bench_html
from clprobe.report.bench.markdown import bench_markdown
from clprobe.tensor import Device

LOSSES = [2.302585, 1.7, 0.9]


@dataclass
class Told:
    """An engine whose trainings have these losses."""

    losses: Sequence[float]

    def trainer(self, *_: object) -> "Told":
        return self

    def train(self, batches: range) -> list[float]:
        return [self.losses[one] for one in batches]


@pytest.mark.parametrize("ulps", [0, 1])
def test_one_bit_in_one_loss_is_seen(ulps: int) -> None:
    last = np.float32(LOSSES[-1])
    other = last if not ulps else np.nextafter(last, np.float32(9))
    batches = load_digits()[0].batches(64)[:3]

    found = repeats(Told([*LOSSES[:-1], float(other)]), MLP, batches, [*LOSSES, 0.1])  # type: ignore[arg-type]

    assert found == (ulps == 0)


@pytest.mark.parametrize("net", [MLP, CNN], ids=lambda net: net.name)
def test_pocl_repeats_a_training_to_the_last_bit(net: Net) -> None:
    found = [one for one in cl.get_platforms() if one.name == "Portable Computing Language"]
    if not found:
        pytest.skip("no PoCL")
    subject = OpenClSubject(Device.open(found[0].get_devices()[0]))
    batches = load_digits()[0].batches(64)[:3]
    first = Run(subject, net, batches)
    first.train(range(3))

    assert repeats(subject, net, batches, first.losses)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (True, "repeated bit-equal"),
        (False, "not bit-equal when repeated"),
        (None, "as the reference"),
    ],
)
def test_reports_say_whether_it_was_bit_equal(known: bool | None, words: str) -> None:
    full = full_report()
    told = replace(full, training=tuple(replace(one, repeats=known) for one in full.training))

    for shown in (bench_markdown(told), bench_html(told)):
        assert words in shown
        assert ("bit-equal" in shown.partition("All figures")[0]) == (known is not None)
