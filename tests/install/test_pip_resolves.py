# SPDX-License-Identifier: MIT
"""What the routes pin, against the registry: pip's resolver finds it for the route's own Python.

Two things pip cannot see there: the wheels of pytorch_dlprim, which are files of its releases and
are left out of what is resolved, and builds of torch with a local version, such as 2.15.0+xpu,
which are on an index of PyTorch's that the step names.
"""

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from packaging.utils import parse_wheel_filename
from pip_dry_run import Resolver, UnreachableError

from clprobe.install.machine import look_up
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables
from clprobe.model.action import PipInstall

pytestmark = [pytest.mark.reality, pytest.mark.slow]
TABLES = Tables.load()
GPUS = (
    *("none", "8086:0412", "8086:1912", "8086:5916", "8086:9a49", "8086:56a0", "8086:64a0"),
    *("GTX 1060", "RTX 4060", "RX 6800", "Radeon VII"),
)
EVERYWHERE = "CLPROBE_EVERY_PLACE"
"""Set in the environment, it asks for all places: five minutes instead of one."""
# A release with its own Python; else with every other one, and new ones on an old C library.
PLACES: list[tuple[str, str | None]] = [("ubuntu-24.04", None)]
if os.environ.get(EVERYWHERE):
    PLACES += [(f"debian-{release}", None) for release in ("11", "12", "13")]
    PLACES += [(f"ubuntu-{release}", None) for release in ("20.04", "22.04", "26.04")]
    PLACES += [("debian-11", python) for python in ("3.10", "3.12", "3.14")]
AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one pip step asks for, and which stack or backend on which GPU wants it first."""

    requirements: tuple[str, ...]
    python: str
    glibc: str
    by: str
    index: str | None

    @property
    def visible(self) -> tuple[str, ...]:
        return tuple(one for one in self.requirements if "/" not in one)

    @property
    def is_local(self) -> bool:
        return any(re.search(r"==[^+/]*\+", one) for one in self.requirements if "/" not in one)


def wanted_at(release: str, python: str | None) -> list[Wanted]:
    """Return every distinct set of requirements of the plans for a place, in a fixed order."""
    found: dict[tuple[str, ...], Wanted] = {}
    for gpu in GPUS:
        for goal in ("pytorch", "inference", "opencl"):
            target = described(Stated(), TABLES, gpu=gpu, os=release, python=python)
            machine = look_up(target, TABLES)
            assert machine.python is not None
            assert machine.distribution is not None
            glibc = machine.distribution.glibc
            assert glibc is not None
            for route in plan(target, TABLES, goal).routes:
                for step in route.steps:
                    pip = step.action
                    if isinstance(pip, PipInstall) and not pip.upgrade:
                        by = f"{route.stack or route.backend} on {gpu}"
                        one = Wanted(pip.requirements, machine.python, glibc, by, pip.index)
                        found.setdefault(pip.requirements, one)
    return list(found.values())


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resolver]:
    try:
        yield Resolver(tmp_path_factory.mktemp("resolver"))
    except UnreachableError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("release", "python"), PLACES)
def test_pip_finds_what_every_route_pins(
    release: str, python: str | None, resolver: Resolver
) -> None:
    asked = [one for one in wanted_at(release, python) if not one.is_local]
    assert asked

    def refusal(one: Wanted) -> str | None:
        answer = resolver.resolve(one.visible, python=one.python, glibc=one.glibc)
        if answer.refused is not None:
            return f"{one.by}, Python {one.python}: {' '.join(one.visible)}: {answer.refused}"
        for requirement in one.visible:
            name, _, version = requirement.partition("==")
            chosen = answer.versions[name.lower()]
            assert not version or _fits(chosen, version), f"{requirement}: pip chose {chosen}"
        return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        refused = [text for text in pool.map(refusal, asked) if text is not None]
    print(f"{release}: {len(asked)} sets of requirements")  # noqa: T201 - for -rP
    assert not refused, "\n".join(refused)


def _fits(chosen: str, version: str) -> bool:
    if version.endswith(".*"):
        return chosen.startswith(version[:-1])
    return chosen in (version, f"{version}.0")


@pytest.mark.parametrize(("release", "python"), PLACES)
def test_a_wheel_that_is_fetched_by_hand_is_for_the_python_of_the_route(
    release: str, python: str | None
) -> None:
    for one in wanted_at(release, python):
        for file in (word for word in one.requirements if "/" in word):
            tags = parse_wheel_filename(file.rpartition("/")[2])[3]
            assert {tag.interpreter for tag in tags} == {f"cp{one.python.replace('.', '')}"}
            torch = next(word for word in one.requirements if word.startswith("torch=="))
            assert f"+torch{torch[7:].removesuffix('.*')}" in file


@pytest.mark.parametrize(("release", "python"), PLACES)
def test_local_versions_are_not_in_the_registry_and_the_step_names_their_index(
    release: str, python: str | None, resolver: Resolver
) -> None:
    asked = [one for one in wanted_at(release, python) if one.is_local]
    if not asked:
        pytest.skip(f"no route to a build with a local version on {release}")
    for one in asked:
        hidden = resolver.resolve(one.visible, python=one.python, glibc=one.glibc)
        assert hidden.refused is not None
        # The version exists, for this Python too; only this build of it is elsewhere.
        plain = [word.partition("+")[0] for word in one.visible]
        usual = resolver.resolve(plain, python=one.python, glibc=one.glibc, dependencies=False)
        assert usual.refused is None, usual.refused
        assert one.index is not None
        local = one.visible[0].partition("+")[2]
        assert one.index.endswith(f"/{local}")
