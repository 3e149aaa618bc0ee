# SPDX-License-Identifier: MIT
"""Decides which operands are kept in half precision: a table per operation, and the device."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from weakref import WeakSet

import yaml

from clprobe.resources import kernels_path
from clprobe.tensor.device import Device

_log = logging.getLogger(__name__)
_told: "WeakSet[Device]" = WeakSet()


@dataclass(frozen=True, slots=True)
class Policy:
    """What kernels/half/policy.yaml says."""

    half: frozenset[str]
    """The operations whose operands are stored in half."""
    without_fp16: bool
    """Whether that also holds where the device has no cl_khr_fp16."""

    @classmethod
    def shipped(cls) -> "Policy":
        """Return the policy that comes with clprobe."""
        return _load(kernels_path() / "half" / "policy.yaml")


_active: ContextVar[Policy | None] = ContextVar("autocast policy", default=None)


@contextmanager
def autocast(policy: Policy | None = None) -> Iterator[None]:
    """Keep the operands of some operations in half precision inside the `with` block.

    Parameters and gradients stay in float. On a device without cl_khr_fp16 the shipped policy keeps
    everything in float, and says so once.
    """
    before = _active.set(Policy.shipped() if policy is None else policy)
    try:
        yield
    finally:
        _active.reset(before)


def takes_half(operation: str, device: Device) -> bool:
    """Return whether an operation's operands are to be stored in half now."""
    policy = _active.get()
    if policy is None or operation not in policy.half:
        return False
    if has_fp16(device):
        return True
    if device not in _told:
        _told.add(device)
        what = "stores values in half precision" if policy.without_fp16 else "keeps them in float"
        _log.warning("%s has no cl_khr_fp16: autocast %s.", device.name, what)
    return policy.without_fp16


def has_fp16(device: Device) -> bool:
    """Return whether the device calculates in half precision."""
    return "cl_khr_fp16" in device.cl_device.extensions.split()


@cache
def _load(path: Path) -> Policy:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Policy(frozenset(data["half"]), data["without_fp16"] == "half")
