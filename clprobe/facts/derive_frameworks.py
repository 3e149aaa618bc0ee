# SPDX-License-Identifier: MIT
"""Whether PyTorch and what extends it fit together."""

from msgspec.structs import asdict

from clprobe.facts.facts import FrameworkFacts
from clprobe.knowledge.versions import in_range
from clprobe.model.errors import ClprobeError
from clprobe.model.opencl import Framework
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Fact, Unknown, listed


def judge_framework(framework: Framework, snapshot: Snapshot) -> FrameworkFacts:
    """Return the framework with the answer whether it was built against the PyTorch beside it."""
    return FrameworkFacts(**asdict(framework), fits_pytorch=_fits(framework, snapshot))


def _fits(framework: Framework, snapshot: Snapshot) -> Fact[bool]:
    if framework.needs is None:
        return True
    if isinstance(framework.needs, Unknown):
        return framework.needs
    others = listed(snapshot.frameworks)
    pytorch = next((one for one in others if one.name == "pytorch"), None)
    if pytorch is None or not isinstance(pytorch.version, str):
        return Unknown("the version of PyTorch is not stated")
    # A local part (2.7.1+xpu) tells the build, not the release.
    release = pytorch.version.partition("+")[0]
    try:
        return in_range(release, framework.needs, "pep440")
    except ClprobeError:
        return Unknown(f"{framework.needs} is no range of versions that clprobe reads")
