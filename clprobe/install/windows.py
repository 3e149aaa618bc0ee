# SPDX-License-Identifier: MIT
"""Stacks that reach the GPU through Windows' own driver, under Windows and WSL2."""

from clprobe.install.machine import Machine
from clprobe.install.stack_steps import stack_caveats, stack_components, stack_steps
from clprobe.install.wording import sentence
from clprobe.knowledge.stack_table import Stack, StackBuild, StackSupport
from clprobe.model.plan import Route, RouteStatus

_BACKENDS = {"direct3d12": "direct3d12", "level-zero": "windows-driver", "opencl": "windows-driver"}


def without_opencl(stack: Stack, machine: Machine) -> bool:
    """Whether no OpenCL route of ours is below the stack: Direct3D, or Windows' own driver."""
    return stack.api == "direct3d12" or (machine.system == "windows" and stack.api in _BACKENDS)


def through_windows(
    stack: Stack, build: StackBuild, support: StackSupport | None, machine: Machine
) -> list[Route]:
    """Return the route to the stack on the GPU's driver for Windows."""
    if support is None or support.outcome == "fails":
        return []
    doubtful = support.outcome == "untested" or support.unverified or build.unverified
    dead = stack.status.startswith(("unmaintained", "dormant"))
    status: RouteStatus = "workaround" if dead else "supported"
    return [
        Route(
            rank=0,
            backend=_BACKENDS[stack.api],
            stack=stack.stack,
            uses_gpu=True,
            status="unverified" if doubtful else status,
            because=sentence(f"{stack.name}: {support.because}"),
            components=stack_components(stack, build, machine),
            steps=stack_steps(stack, build, machine),
            caveats=(
                sentence(f"The project is {stack.status}"),
                "Install the newest driver of the GPU's vendor for Windows first.",
                *stack_caveats(stack, build, machine),
            ),
            sources=(*support.sources, *build.sources) or stack.sources,
            how="included",
            slower_than_cpu=support.slower_than_cpu,
        )
    ]
