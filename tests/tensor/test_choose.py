# SPDX-License-Identifier: MIT
"""Devices are chosen by what they can do, and those that are not are told why."""

import pytest

from clprobe.tensor import Device, DeviceError, choose
from clprobe.tensor.choose import name_of, visible


def test_a_device_is_found_by_index_name_platform_and_what_it_has(device: Device) -> None:
    own = device.cl_device
    index = visible().index(own)

    assert choose(str(index)) == own
    assert name_of(choose(own.name.strip())).startswith(own.name.strip())
    assert choose(own.platform.name).platform.name == own.platform.name
    assert choose(str(index), local_memory_bytes=1, memory_bytes=1, work_group_size=1) == own
    assert choose(str(index), extensions=own.extensions.split()[:2]) == own


def test_who_is_not_chosen_is_told_why(device: Device) -> None:
    with pytest.raises(DeviceError) as told:
        choose("Voodoo 2", kind="accelerator", extensions=["cl_x"], memory_bytes=1 << 60)

    said = told.value.message
    assert said.count("is not called 'Voodoo 2', is no accelerator, has no cl_x, has") == len(
        visible()
    )
    assert f"of memory, not {1 << 60}" in said
    assert device.name.strip() in said
