# SPDX-License-Identifier: MIT
"""The OpenCL devices that this process sees, as a fixture."""

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("pyopencl") is None:
    # Nothing in this folder can be imported without it.
    collect_ignore_glob = ["test_*.py"]
else:
    import devices
    import pyopencl as cl
    from built_once import each_source_built_once
    from passed_before import passed_before

    from clprobe.tensor import Device
    from clprobe.tensor.binary_cache import SWITCH

    def named(view: tuple[cl.Device, bool]) -> object:
        """Return a view as a parameter with a name."""
        cl_device, as_other_kind = view
        return pytest.param(view, id=devices.label(cl_device) + "-as-other-kind" * as_other_kind)

    BROKEN = {device: devices.why_broken(device) for device in devices.visible()}
    VIEWS = [named(view) for view in devices.views(it for it, why in BROKEN.items() if not why)]
    VIEWS += [
        pytest.param(None, id=devices.label(device), marks=pytest.mark.skip(reason=why))
        for device, why in BROKEN.items()
        if why
    ]

    limits_of = cache(devices.limits)

    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        """Leave out what no device will ever run, and what this very driver has passed already.

        A `made_where` marker rules out the former. The latter .ci/run names: tests that passed in
        the bare system on the driver in pyopencl's wheel, which is the same here.
        """
        passed = already_passed()
        items[:] = [
            item
            for item in items
            if item.nodeid not in passed
            and all(is_made(item, marker.args[0]) for marker in item.iter_markers("made_where"))
        ]

    def already_passed() -> set[str]:
        """Return the tests of this folder on a device that passed where a file says so."""
        labels = tuple(f"[{devices.label(device)}" for device in BROKEN)
        return {
            name
            for name in passed_before()
            if name.startswith("tests/tensor/") and any(label in name for label in labels)
        }

    def is_made(item: pytest.Item, predicate: Callable[..., bool]) -> bool:
        assert isinstance(item, pytest.Function)
        given = dict(item.callspec.params)
        view = given.pop("device")
        if view is None:  # one test is enough to say that there is none
            return True
        given["limits"] = limits_of(*view)
        return predicate(*(given[name] for name in inspect.signature(predicate).parameters))

    @pytest.fixture(scope="session")
    def opened() -> Iterator[dict[tuple[cl.Device, bool], Device]]:
        """Keep devices open to the end: each kernel is compiled once, whatever the tests' order."""
        found: dict[tuple[cl.Device, bool], Device] = {}
        yield found
        for device in found.values():
            device.close()

    @pytest.fixture(scope="session", params=VIEWS or [None])
    def device(
        request: pytest.FixtureRequest, opened: dict[tuple[cl.Device, bool], Device]
    ) -> Device:
        if request.param is None:
            pytest.skip("no OpenCL device is visible in this process")
        if request.param not in opened:
            opened[request.param] = devices.opened(*request.param)
        return opened[request.param]

    @pytest.fixture(scope="session", autouse=True)
    def built_once() -> Iterator[None]:
        with each_source_built_once():
            yield

    @pytest.fixture(autouse=True)
    def nothing_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
        """PoCL takes about as long to give a binary away as to compile it; nobody would read it."""
        monkeypatch.setenv(SWITCH, "0")


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(20260821)
