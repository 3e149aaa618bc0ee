# SPDX-License-Identifier: MIT
"""Devices: their limits, the memory and time they account for, and what they refuse."""

from collections.abc import Iterator
from dataclasses import replace

import every_operation
import numpy as np
import pyopencl as cl
import pytest

from clprobe.tensor import Array, Device, DeviceError, DtypeError, Limits, ShapeError, Tensor


@pytest.fixture
def small(device: Device) -> Iterator[Device]:
    """Yield the device with less room than any real one has."""
    limits = replace(
        device.limits,
        max_work_group_size=4,
        max_work_item_sizes=(4, 2, 1),
        local_memory_bytes=300,
        max_allocation_bytes=1 << 16,
    )
    with Device.open(device.cl_device, limits=limits) as opened:
        yield opened


def test_every_operation_works_within_small_limits(small: Device) -> None:
    assert every_operation.failures(small) == []


def test_too_large_an_allocation_names_bytes_and_limit(small: Device) -> None:
    with pytest.raises(DeviceError, match=r"at most 65536 bytes at once; 80000 were asked"):
        Array.empty(small, (20_000,))


def test_an_allocation_near_the_limit_succeeds(small: Device) -> None:
    assert Array.full(small, (1 << 14,), 2.0).numpy().sum() == 2 << 14


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.complex64])
def test_types_that_no_kernel_knows_are_refused(device: Device, dtype: type) -> None:
    with pytest.raises(DtypeError, match=np.dtype(dtype).name) as caught:
        Tensor.from_numpy(np.zeros(3, dtype), device)

    assert "astype" in caught.value.hint


def test_labels_cannot_be_calculated_with(device: Device) -> None:
    labels = Tensor.from_numpy(np.zeros(3, np.int32), device)

    with pytest.raises(DtypeError, match="int32"):
        labels + 1


def test_operands_on_different_devices_are_refused(device: Device, small: Device) -> None:
    values = np.ones(3, np.float32)

    with pytest.raises(DeviceError, match="different devices"):
        Tensor.from_numpy(values, device) + Tensor.from_numpy(values, small)


def test_numpy_scalars_may_stand_on_the_left(device: Device) -> None:
    x = Tensor.from_numpy(np.ones(3, np.float32), device)

    assert (np.float32(2) * x).numpy().tolist() == [2, 2, 2]


def test_labels_cannot_have_gradients(device: Device) -> None:
    with pytest.raises(DtypeError, match="int32"):
        Tensor.from_numpy(np.zeros(3, np.int32), device, requires_grad=True)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (2, 3, 4)], ids=str)
def test_values_come_back_as_they_went(
    device: Device, generator: np.random.Generator, shape: tuple
) -> None:
    values = generator.normal(size=shape).astype(np.float32)

    found = Tensor.from_numpy(values, device).numpy()

    assert found.shape == shape
    assert (found == values).all()


def test_values_that_are_not_contiguous_are_uploaded_in_order(device: Device) -> None:
    values = np.arange(6, dtype=np.float32).reshape(2, 3).T

    assert (Tensor.from_numpy(values, device).numpy() == values).all()


def test_values_may_change_as_soon_as_their_upload_was_asked_for(device: Device) -> None:
    matrix = Tensor.from_numpy(np.ones((512, 512), np.float32), device)
    values = np.zeros((20, 512, 8), np.float32)

    uploaded = []
    for index in range(len(values)):
        matrix @ matrix  # keeps the device busy, so that the transfer has to wait
        values[index] = index
        uploaded.append(Tensor.from_numpy(values[index], device))
        values[index] = -1

    assert [float(each.numpy().mean()) for each in uploaded] == list(range(20))


def test_uploads_beyond_what_may_wait_are_all_done(device: Device) -> None:
    values = np.arange(6 << 20, dtype=np.float32)  # 24 MiB, of which two may wait

    uploaded = [Tensor.from_numpy(values + number, device) for number in range(4)]

    assert all((each.numpy() == values + number).all() for number, each in enumerate(uploaded))


def test_reshape_infers_one_size_and_refuses_others(device: Device) -> None:
    x = Tensor.from_numpy(np.arange(6, dtype=np.float32), device)

    assert x.reshape(2, -1).shape == (2, 3)
    assert x.reshape(1, 2, 3).flatten().shape == (1, 6)
    with pytest.raises(ShapeError, match="do not fill"):
        x.reshape(4, 2)


def test_gradients_start_from_one_value(device: Device) -> None:
    with pytest.raises(ShapeError, match="start from one value"):
        Tensor.from_numpy(np.zeros(2, np.float32), device, requires_grad=True).backward()


def test_recorded_events_tell_what_ran_and_for_how_long(device: Device) -> None:
    x = Tensor.from_numpy(np.ones((64, 64), np.float32), device)

    with device.record_events() as recorded:
        (x @ x).relu().numpy()
    x.relu()

    assert [entry.name for entry in recorded] == ["matmul", "relu", "download"]
    assert all(entry.elapsed_ns >= 0 for entry in recorded)
    assert sum(entry.elapsed_ns for entry in recorded) > 0


def test_building_kernels_takes_time_once(device: Device) -> None:
    with Device.open(device.cl_device) as fresh:
        assert fresh.compile_ns == 0
        x = Tensor.from_numpy(np.ones(3, np.float32), fresh)
        x.relu().numpy()
        spent = fresh.compile_ns
        x.relu().numpy()

    assert spent > 0
    assert fresh.compile_ns == spent


@pytest.mark.parametrize(
    ("kind", "width", "is_cpu"),
    [(cl.device_type.CPU, 8, True), (cl.device_type.CPU, 1, False), (cl.device_type.GPU, 4, False)],
    ids=["PoCL", "llvmpipe", "a GPU of vectors"],
)
def test_kernels_for_cpus_are_for_those_whose_work_items_have_vectors(
    kind: int, width: int, is_cpu: bool, device: Device
) -> None:
    class Posing:
        type, native_vector_width_float = kind, width

        def __getattr__(self, name: str) -> object:
            return getattr(device.cl_device, name)

    assert Limits.of(Posing()).is_cpu is is_cpu
