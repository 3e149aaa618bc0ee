# SPDX-License-Identifier: MIT
"""Lets tests of one process build each source once per device.

Half of the time of tests that open devices anew would go into builds. So devices share a context
for each OpenCL device, and the programs in it; and PoCL reads of its headers only what is used.
"""

from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def each_source_built_once() -> Iterator[None]:
    """Within the block, devices that keep no binaries share what they build."""
    built: dict[tuple[cl.Context, str], cl.Program] = {}
    really = Programs._load_or_compile

    def once(self: Programs, source: str, options: list[str]) -> cl.Program:
        if self._cache.keeps:
            return really(self, source, options)
        key = (self._context, key_of(self._device, source, options))
        if key not in built:
            built[key] = quickly(self, source, options) or really(self, source, options)
        return built[key]

    def quickly(self: Programs, source: str, options: list[str]) -> cl.Program | None:
        declared = with_declarations(self._device, source, options)
        if declared is None:
            return None
        try:
            return really(self, declared, [*options, GUARD])
        except cl.Error:
            return None  # what is wrong is to be said of the source itself

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_module, "cl", _SharedContexts("pyopencl"))
        patch.setattr(Programs, "_load_or_compile", once)
        yield
