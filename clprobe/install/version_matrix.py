# SPDX-License-Identifier: MIT
"""The version matrix of one GPU: Python, torch, stack, driver and release, all at once."""

from collections.abc import Iterator

from msgspec.structs import replace

from clprobe.install import stacks
from clprobe.install.machine import Machine, look_up
from clprobe.install.planner import plan
from clprobe.install.ranking import STACKS
from clprobe.install.stack_builds import build_for, support_for
from clprobe.install.stack_steps import on_own_libraries, without_opencl
from clprobe.install.target import Stated
from clprobe.knowledge.stack_table import Stack, StackBuild
from clprobe.knowledge.tables import Tables
from clprobe.model.plan import ANY, Rejected, Route, VersionRow

PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
_UNPACKAGED = ("conda-forge",)
_INSIDE = ("container", "conda", "source")
"""Ways that give a driver to programs inside something, or none that can be installed."""


def version_matrix(stated: Stated, tables: Tables) -> list[VersionRow]:
    """Return a row for every combination that the tables know for the GPU stated.

    Every release counts, with the Linux that it brings. A stack that fails on the hardware has
    one row that says so.
    """
    rows: list[VersionRow] = []
    for key in STACKS:
        stack = tables.stacks()[key]
        rows += _failing(stack, stated, tables)
    for release in tables.distributions():
        if release.id in _UNPACKAGED:
            continue
        there = Stated(gpu=stated.gpu, os=release.key, release=release, arch=stated.arch)
        routes = [r for r in plan(there, tables).routes if r.uses_gpu and r.how not in _INSIDE]
        best = {route.backend: route for route in reversed(routes)}
        for key in STACKS:
            stack = tables.stacks()[key]
            rows += _rows(stack, list(best.values())[::-1], there, tables)
    return rows


def pythons(stack: Stack, machine: Machine) -> list[tuple[StackBuild, list[str]]]:
    """Return the builds that some Python gets, and which Pythons those are, from old to new."""
    found: list[tuple[StackBuild, list[str]]] = []
    for python in PYTHONS:
        build = build_for(stack, replace(machine, python=python))
        if build is None:
            continue
        if found and found[-1][0] == build:
            found[-1][1].append(python)
        else:
            found.append((build, [python]))
    return found


def _failing(stack: Stack, stated: Stated, tables: Tables) -> Iterator[VersionRow]:
    machine = look_up(Stated(gpu=stated.gpu, arch=stated.arch), tables)
    support = support_for(stack, machine)
    if support is None or support.outcome != "fails":
        return
    yield VersionRow(
        release=ANY,
        driver=ANY,
        driver_version=None,
        how=None,
        stack=stack.stack,
        version=None,
        torch=None,
        python=ANY,
        shipped=None,
        device="gpu",
        status="no",
        why=support.because,
    )


def _rows(
    stack: Stack, on_gpu: list[Route], stated: Stated, tables: Tables
) -> Iterator[VersionRow]:
    machine = look_up(stated, tables)
    if not stacks.runs_on(stack, machine):
        return
    support = support_for(stack, machine)
    drives = support is not None and support.outcome != "fails"
    packages = stacks.level_zero(machine, tables)
    for build, fitting in pythons(stack, machine):
        on_cpu = VersionRow(
            release=stated.os or ANY,
            driver="cpu",
            driver_version=None,
            how="included",
            stack=stack.stack,
            version=build.version,
            torch=build.torch,
            python=" to ".join(dict.fromkeys((fitting[0], fitting[-1]))),
            shipped=machine.python,
            device="cpu",
            status="supported",
            why="It uses no GPU.",
        )
        there = replace(machine, python=fitting[-1])
        own = without_opencl(stack, build, there)
        answers: list[Route | Rejected] = []
        if own:
            answers += on_own_libraries(stack, build, support, there)
        elif drives:
            answers += [stacks.on_route(one, stack, build, there, packages) for one in on_gpu]
        for answer in answers:
            if isinstance(answer, Route):
                yield replace(
                    on_cpu,
                    driver=answer.backend,
                    driver_version=None if own else answer.components[0].version,
                    how=answer.how,
                    device="gpu",
                    status=answer.status,
                    why=answer.because,
                )
        if stack.api == "none":
            yield on_cpu
