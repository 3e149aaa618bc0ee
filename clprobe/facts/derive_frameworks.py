# SPDX-License-Identifier: MIT
"""Whether PyTorch, what extends it, and the GPUs fit together."""

import msgspec
from msgspec.structs import asdict

from clprobe.facts.facts import FrameworkFacts
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_range
from clprobe.model.errors import ClprobeError
from clprobe.model.opencl import Framework
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import UNLISTED, Fact, Unknown, listed

_PYTORCH, _XPU = "pytorch", "pytorch-xpu"


def judge_framework(framework: Framework, snapshot: Snapshot) -> FrameworkFacts:
    """Return the framework with the answer whether it was built against the PyTorch beside it."""
    return FrameworkFacts(**asdict(framework), fits_pytorch=_fits(framework, snapshot))


def with_pytorch(gpu: GpuFacts, tables: Tables) -> GpuFacts:
    """Return the GPU with what the stacks table says of it under PyTorch's XPU backend."""
    return msgspec.structs.replace(gpu, pytorch_xpu=_xpu(gpu, tables))


def _fits(framework: Framework, snapshot: Snapshot) -> Fact[bool]:
    if framework.needs is None:
        return True
    if isinstance(framework.needs, Unknown):
        return framework.needs
    others = listed(snapshot.frameworks)
    pytorch = next((one for one in others if one.name == _PYTORCH), None)
    if pytorch is None or not isinstance(pytorch.version, str):
        return Unknown("the version of PyTorch is not stated")
    # A local part (2.7.1+xpu) tells the build, not the release.
    release = pytorch.version.partition("+")[0]
    try:
        return in_range(release, framework.needs, "pep440")
    except ClprobeError:
        return Unknown(f"{framework.needs} is no range of versions that clprobe reads")


def _xpu(gpu: GpuFacts, tables: Tables) -> Fact[str | None]:
    if isinstance(gpu.vendor, Unknown):
        return gpu.vendor
    if gpu.vendor != "intel":
        return None
    if not isinstance(gpu.generation, str):
        return gpu.generation if isinstance(gpu.generation, Unknown) else UNLISTED
    stack = tables.stack(_XPU)
    supports = stack.supports if stack is not None else ()
    return next((one.outcome for one in supports if gpu.generation in one.generations), UNLISTED)
