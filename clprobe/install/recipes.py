# SPDX-License-Identifier: MIT
"""The last resort: building from source, as text with recorded commits, not as steps."""

from collections.abc import Sequence

from msgspec.structs import replace

from clprobe.compat.coverage import covers
from clprobe.compat.known_gpu import alike
from clprobe.compat.linux_choice import choose_linux
from clprobe.install.machine import Machine
from clprobe.install.wording import linux_caveats, newer_linux, sentence
from clprobe.knowledge.stack_table import Stack, StackSupport
from clprobe.knowledge.table_types import Implementation, Recipe
from clprobe.knowledge.versions import in_range
from clprobe.model.plan import Component, Route


def driver_from_source(implementation: Implementation, machine: Machine) -> list[Route]:
    """Return the route that builds a GPU's driver, where it would drive every chip of the name."""
    recipe, generation = implementation.recipe, machine.generation
    is_linux = machine.system == "linux" and machine.arch in (None, "x86_64")
    if recipe is None or generation is None or not is_linux:
        return []
    version = next(iter(recipe.commits.values()))
    groups = [group[0] for group in alike(machine.gpus)]
    driven = all(covers(implementation, version, gpu) is True for gpu in groups)
    choices = [choose_linux(implementation, gpu, machine.place) for gpu in groups]
    if not driven or any(one.fit == "no" for one in choices):
        return []
    linux = choices[0]
    key = implementation.implementation
    return [
        Route(
            rank=0,
            backend=key,
            stack=None,
            uses_gpu=True,
            status="unverified",
            because=sentence(
                f"{key} {version} can be built from source, and would drive {machine.gpu_name}"
            ),
            components=(*_built(recipe), *newer_linux(machine, linux)),
            steps=(),
            caveats=(
                sentence(f"Build {_named(recipe)}"),
                sentence(recipe.note),
                *linux_caveats(machine, linux),
            ),
            sources=recipe.sources or implementation.sources,
            how="source",
        )
    ]


def _built(recipe: Recipe) -> tuple[Component, ...]:
    return tuple(
        Component(name=url.rsplit("/", 1)[-1], version=commit, origin=url)
        for url, commit in recipe.commits.items()
    )


def _named(recipe: Recipe) -> str:
    return " and ".join(f"{url} at {commit}" for url, commit in recipe.commits.items())


def from_source(
    stack: Stack, support: StackSupport | None, on_gpu: Sequence[Route], machine: Machine
) -> list[Route]:
    """Return the route that builds the stack on top of the best GPU route it was seen with."""
    recipe = stack.recipe
    if recipe is None or support is None or machine.python is None:
        return []
    below = [route for route in on_gpu if not support.via or route.backend in support.via]
    if not below or not in_range(machine.python, recipe.python, "pep440"):
        return []
    route = below[0]
    return [
        replace(
            route,
            stack=stack.stack,
            status="unverified",
            because=sentence(
                f"{stack.name} has no build for Python {machine.python}, and can be built from "
                f"source: {support.because}"
            ),
            components=(
                *route.components,
                *_built(recipe),
                Component(name="python", version=machine.python, origin=machine.os_name),
            ),
            steps=(),
            caveats=(
                sentence(f"First follow the route to {route.backend} with --goal opencl"),
                sentence(f"Then build {_named(recipe)}"),
                sentence(recipe.note),
                *route.caveats,
                *stack.problems,
            ),
            sources=(*recipe.sources, *support.sources, *route.sources),
            how="source",
            slower_than_cpu=support.slower_than_cpu,
        )
    ]
