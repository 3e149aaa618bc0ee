# SPDX-License-Identifier: MIT
"""Lets tests of one process build each source once per device.

Nine tenths of these tests' time would go into builds. So devices share a context for each OpenCL
device, and the programs in it; and PoCL reads of its headers only what is used, and does not
optimize: what a kernel computes is the same, and takes a fifth of the time to build. That kernels
are right as users build them is what test_implementations.py shows, operation by operation.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any

import pyopencl as cl
import pytest
from pocl_headers import GUARD, with_declarations

from clprobe.tensor import device as device_module
from clprobe.tensor.binary_cache import key_of
from clprobe.tensor.program import Programs


class _SharedContexts(ModuleType):
    """pyopencl, but for its contexts."""

    def __getattr__(self, name: str) -> Any:
        return getattr(cl, name)

    @staticmethod
    @cache
    def _of(device: cl.Device) -> cl.Context:
        return cl.Context([device])

    def Context(self, devices: list[cl.Device]) -> cl.Context:  # noqa: N802 - as pyopencl calls it
        (device,) = devices
        return self._of(device)


UNOPTIMIZED = "-cl-opt-disable"
_OPTIMIZES = ContextVar("optimizes", default=False)


@contextmanager
def optimized() -> Iterator[None]:
    """Within the block, what is built is built as for users: for tests that compute much."""
    before = _OPTIMIZES.set(True)
    yield
    _OPTIMIZES.reset(before)


@contextmanager
def each_source_built_once() -> Iterator[None]:
    """Within the block, devices that keep no binaries share what they build."""
    built: dict[tuple[cl.Context, bool, str], cl.Program] = {}
    really = Programs._load_or_compile

    def once(self: Programs, source: str, options: list[str]) -> cl.Program:
        if self._cache.keeps:
            return really(self, source, options)
        key = (self._context, _OPTIMIZES.get(), key_of(self._device, source, options))
        if key not in built:
            built[key] = quickly(self, source, options) or really(self, source, options)
        return built[key]

    def quickly(self: Programs, source: str, options: list[str]) -> cl.Program | None:
        declared = with_declarations(self._device, source, options)
        if declared is None:
            return None
        try:
            quick = [GUARD] if _OPTIMIZES.get() else [GUARD, UNOPTIMIZED]
            return really(self, declared, [*options, *quick])
        except cl.Error:
            return None  # what is wrong is to be said of the source itself

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_module, "cl", _SharedContexts("pyopencl"))
        patch.setattr(Programs, "_load_or_compile", once)
        yield
