# SPDX-License-Identifier: MIT
"""The last resort: building a stack from source, as text with recorded commits, not as steps."""

from collections.abc import Sequence

from clprobe.engine.stack_table import Stack, StackSupport
from clprobe.engine.versions import in_range
from clprobe.install.machine import Machine
from clprobe.install.wording import sentence
from clprobe.model.plan import Component, Route


def from_source(
    stack: Stack, support: StackSupport | None, on_gpu: Sequence[Route], machine: Machine
) -> list[Route]:
    """Return the route that builds the stack on top of the best GPU route it was seen with."""
    recipe = stack.recipe
    if recipe is None or support is None or machine.python is None:
        return []
    if not in_range(machine.python, recipe.python, "pep440"):
        return []
    below = [route for route in on_gpu if not support.via or route.backend in support.via]
    if not below:
        return []
    route = below[0]
    built = [f"{url} at {commit}" for url, commit in recipe.commits.items()]
    return [
        Route(
            rank=0,
            backend=route.backend,
            stack=stack.stack,
            uses_gpu=True,
            status="unverified",
            because=sentence(
                f"{stack.name} has no build for Python {machine.python}, and can be built from "
                f"source: {support.because}"
            ),
            components=(
                *route.components,
                *(
                    Component(name=url.rsplit("/", 1)[-1], version=commit, origin=url)
                    for url, commit in recipe.commits.items()
                ),
                Component(name="python", version=machine.python, origin=machine.os_name),
            ),
            steps=(),
            caveats=(
                sentence(f"First follow the route to {route.backend} with --goal opencl"),
                sentence(f"Then build {' and '.join(built)}"),
                sentence(recipe.note),
                *route.caveats,
                *stack.problems,
            ),
            sources=(*recipe.sources, *support.sources, *route.sources),
            how="source",
            slower_than_cpu=support.slower_than_cpu,
        )
    ]
