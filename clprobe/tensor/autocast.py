# SPDX-License-Identifier: MIT
"""Decides which operands are kept in half precision: a table per operation, and the device."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from weakref import WeakSet

import yaml

from clprobe.resources import kernels_path
from clprobe.tensor.device import Device

INTEL = 0x8086
_log = logging.getLogger(__name__)
_told: "WeakSet[Device]" = WeakSet()


@dataclass(frozen=True, slots=True)
class Policy:
    """What kernels/half/policy.yaml says."""

    half: frozenset[str]
    """The operations whose operands and results are stored in half."""
    without_fp16: bool
    """Whether that also holds where the device has no cl_khr_fp16."""
    on_cpus: bool = True
    """Whether that also holds on CPUs."""
    computed: frozenset[str] = frozenset()
    """The operations that multiply in half, too, where the device has instructions for it."""
    signs_of_intels: frozenset[str] = frozenset()
    """Extensions of which an Intel GPU that has such instructions has at least one."""

    @classmethod
    @cache
    def shipped(cls) -> "Policy":
        """Return the policy that comes with clprobe."""
        data = yaml.safe_load((kernels_path() / "half" / "policy.yaml").read_text("utf-8"))
        where = data["where"]
        return cls(
            half=frozenset(data["half"]),
            without_fp16=where["without_fp16"] == "half",
            on_cpus=where["cpu"] == "half",
            computed=frozenset(data["computed"]),
            signs_of_intels=frozenset(where["intel_has_one_of"]),
        )


_active: ContextVar[Policy | None] = ContextVar("autocast policy", default=None)


@contextmanager
def autocast(policy: Policy | None = None) -> Iterator[None]:
    """Keep operands and results of some operations in half precision inside the `with` block.

    Sums, parameters and gradients stay in float. Where the shipped policy has half precision not
    pay, it keeps everything in float, and says so once.
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
    return not keeps_float(policy, device)


def keeps_float(policy: Policy, device: Device) -> bool:
    """Return whether a policy stores nothing in half on a device, and say why once."""
    reason = reason_for_float(policy, device)
    if reason and device not in _told:
        _told.add(device)
        _log.warning("%s %s: autocast keeps values in float.", device.name, reason)
    return bool(reason)


def reason_for_float(policy: Policy, device: Device) -> str:
    """Return why a policy stores nothing in half on a device; nothing if it does."""
    if not policy.without_fp16 and not has_fp16(device):
        return "has no cl_khr_fp16"
    if not policy.on_cpus and device.limits.is_cpu:
        return "is a CPU, which half precision does not speed up"
    return ""


def computes_in_half(operation: str, device: Device, policy: Policy | None = None) -> bool:
    """Return whether an operation is to multiply halves as such, and to add up in float.

    `policy` is the one that is in force now, unless it is given.
    """
    policy = policy or _active.get()
    if policy is None or operation not in policy.computed:
        return False
    return multiplies_in_half(policy, device)


def multiplies_in_half(policy: Policy, device: Device) -> bool:
    """Return whether a device is a GPU with instructions that multiply halves."""
    if device.limits.is_cpu or not has_fp16(device):
        return False
    extensions = set(device.cl_device.extensions.split())
    return device.limits.vendor_id != INTEL or bool(policy.signs_of_intels & extensions)


def has_fp16(device: Device) -> bool:
    """Return whether the device calculates in half precision."""
    return "cl_khr_fp16" in device.cl_device.extensions.split()
