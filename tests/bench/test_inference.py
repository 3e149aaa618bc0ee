# SPDX-License-Identifier: MIT
"""Nets are used as they are trained: proved first, then timed, on every engine."""

from dataclasses import replace

import numpy as np
import pyopencl as cl
import pytest

from clprobe.bench.cases import inference_case
from clprobe.bench.effort import EFFORTS
from clprobe.bench.engines import Engine, Prepared
from clprobe.bench.engines.numpy_cpu import NumpyEngine
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.measure import Contest, measure
from clprobe.bench.nets import CNN, MLP, RESNET, Net
from clprobe.bench.proof import prove
from clprobe.tensor import Device


def pocl() -> OpenClSubject:
    found = [one for one in cl.get_platforms() if one.name == "Portable Computing Language"]
    if not found:
        pytest.skip("no PoCL")
    return OpenClSubject(Device.open(found[0].get_devices()[0]))


def engine(name: str) -> Engine:
    if name == "numpy":
        return NumpyEngine()
    if name == "pocl":
        return pocl()
    pytest.importorskip("torch")
    from clprobe.bench.engines.torch_cpu import TorchEngine  # noqa: PLC0415 - may be absent

    return TorchEngine()


@pytest.mark.parametrize("net", [MLP, CNN, RESNET], ids=lambda net: net.name)
@pytest.mark.parametrize("name", ["numpy", "torch", "pocl"])
def test_every_engine_uses_a_net_rightly_and_again(name: str, net: Net) -> None:
    case = inference_case(net, 5)
    prepared = case.prepare(engine(name))
    prepared.run(2)

    for _ in range(2):
        proof = prove(prepared.result(), case.expected(), case.tolerance)
        assert proof.holds, proof.problem
    assert prepared.result().shape == (5, 10)


class Spoilt:
    """A device that makes a little too much of every logit."""

    def __init__(self, subject: OpenClSubject) -> None:
        self._subject = subject

    def __getattr__(self, name: str) -> object:
        return getattr(self._subject, name)

    def inference(self, net: Net, images: np.ndarray) -> Prepared:
        own = self._subject.inference(net, images)
        return Prepared(own.run, lambda: own.result() * np.float32(1.001))


@pytest.mark.parametrize("is_spoilt", [False, True])
def test_inference_is_timed_beside_the_cpu_and_refused_where_it_is_wrong(is_spoilt: bool) -> None:
    subject = pocl()
    contest = Contest(
        label="PoCL",
        device=Spoilt(subject) if is_spoilt else subject,  # type: ignore[arg-type]
        reference=NumpyEngine(),
        effort=replace(EFFORTS["quick"], seconds_per_case=0.02, patience_seconds=100),
    )

    outcome = measure(inference_case(MLP, 4), contest)

    own = outcome.results[0]
    assert (own.workload, own.batch) == ("infer-mlp-4", 4)
    if is_spoilt:
        assert (own.status, outcome.verdict.decision) == ("wrong-result", "refused")
    else:
        assert (own.status, own.unit, len(outcome.results)) == ("ok", "samples/s", 2)
        assert own.median is not None
        assert own.median > 0
        assert own.gflop_per_sample == pytest.approx(MLP.least_gflop() / 3)
        assert outcome.verdict.against == "NumPy on the CPU"


def test_a_large_batch_holds_images_in_turn() -> None:
    case = inference_case(MLP, 2000)

    assert case.expected().values.shape == (2000, 10)
    assert case.figure(2.0) == 1000
