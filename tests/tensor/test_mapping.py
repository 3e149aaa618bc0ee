# SPDX-License-Identifier: MIT
"""Values that the host sees where they lie: nothing is copied, nothing dangles."""

import gc
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from implementations import INTEL_CPU, POCL
from mapping_child import in_place
from on_implementation import only_or_skip, run_there

from clprobe.tensor import Array, Device, DeviceError, Tensor
from clprobe.tensor.capture import capture
from clprobe.tensor.mapping import is_mapped
from clprobe.tensor.ops.elementwise import apply

COUNT = 1 << 18
CHILD = Path(__file__).with_name("mapping_child.py")


@pytest.fixture
def array(device: Device) -> Array:
    if not device.limits.host_unified:
        pytest.skip("this device shares no memory with the host")
    return Array.from_numpy(np.arange(COUNT, dtype=np.float32), device)


def test_a_map_copies_nothing_here(array: Array) -> None:
    assert in_place(array.device) == []


@pytest.mark.parametrize(
    ("library", "platform"), [(POCL, "Portable Computing Language"), (INTEL_CPU, "Intel")]
)
def test_a_map_copies_nothing_there(tmp_path: Path, library: Path, platform: str) -> None:
    result = run_there(CHILD, platform, only_or_skip(library, tmp_path), limit_s=60)

    assert result.returncode == 0, result.stdout + result.stderr[-2000:]


def test_a_view_shows_values_and_cannot_be_written(array: Array) -> None:
    view = array.host_view()

    assert view[5:8].tolist() == [5, 6, 7]
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1


def test_memory_that_a_view_shows_is_given_to_no_other_array(array: Array) -> None:
    device, values = array.device, array.numpy()
    own = Array.from_numpy(values, device)
    slice_of_view = own.host_view()[1000:]
    del own
    gc.collect()

    others = [Array.full(device, (COUNT,), -1.0) for _ in range(3)]
    for each in others:
        assert each.buffer
    device.finish()

    assert (slice_of_view == values[1000:]).all()
    live = device.memory.live_bytes
    del slice_of_view
    assert device.memory.live_bytes == live - 4 * COUNT


def test_a_view_outlives_its_device(array: Array) -> None:
    own = Device.open(array.device.cl_device)
    view = Array.from_numpy(array.numpy(), own).host_view()
    own.close()
    del own
    gc.collect()

    assert view[-1] == COUNT - 1


def test_nothing_changes_while_it_is_seen(array: Array) -> None:
    view = array.host_view()

    for change in (array.filling().__enter__, lambda: array.assign(np.zeros(COUNT, np.float32))):
        with pytest.raises(DeviceError, match="while the host sees them"):
            change()

    assert view[3] == 3
    del view
    array.assign(np.zeros(COUNT, np.float32))
    assert not array.numpy().any()


def test_a_step_is_not_replayed_while_its_arrays_are_seen(array: Array) -> None:
    with capture(array.device) as step:
        doubled = apply("add", array, array)
        assert doubled.buffer
    step.replay()
    view = doubled.host_view()

    with pytest.raises(DeviceError, match="while the host sees them"):
        step.replay()

    assert view[3] == 6
    del view
    step.replay()
    assert doubled.numpy()[3] == 6


def test_the_host_sees_what_was_enqueued_before_and_the_device_what_it_wrote(array: Array) -> None:
    reader = apply("add", array, array)
    with array.filling() as values:
        values[...] = 1
    later = apply("add", array, array)

    assert reader.host_view()[7] == 14
    assert (later.host_view() == 2).all()


def test_what_was_filled_may_be_kept(array: Array) -> None:
    device = array.device
    own = Array.empty(device, array.shape)
    with own.filling() as values:
        values[...] = 2
    del own
    other = Array.full(device, (COUNT,), -1.0).numpy()

    assert (values == 2).all()
    assert (other == -1).all()


def test_a_step_does_not_look_at_values(array: Array) -> None:
    with pytest.raises(DeviceError, match="cannot repeat"), capture(array.device):
        array.host_view()


@pytest.mark.parametrize("shape", [(), (0,), (3, 5)], ids=str)
def test_few_values_are_copied(array: Array, shape: tuple[int, ...]) -> None:
    values = np.full(shape, 3, np.float32)
    tensor = Tensor.from_numpy(values, array.device)
    with tensor.array.filling() as written:
        written[...] = 4

    assert not is_mapped(array.device, values.nbytes)
    assert (tensor.host_view() == 4).all()
    assert not array.device.mapped


def test_a_device_with_memory_of_its_own_copies(array: Array) -> None:
    own = replace(array.device.limits, host_unified=False)
    with Device.open(array.device.cl_device, limits=own) as device:
        other = Array.from_numpy(np.ones(COUNT, np.float32), device)
        with device.record_events() as recorded:
            view = other.host_view()
            with other.filling() as values:
                values[...] = 2

        assert other.buffer.flags & cl.mem_flags.ALLOC_HOST_PTR == 0
        assert [each.name for each in recorded] == ["download", "upload"]
        assert (view == 1).all()
        assert (other.numpy() == 2).all()


def test_a_copy_takes_longer_the_more_there_is(array: Array) -> None:
    """Or the proof that a map's time does not grow would prove nothing."""

    def seconds(count: int) -> float:
        values = Array.full(array.device, (count,), 1.0)
        assert values.buffer
        times = []
        for _ in range(5):
            started = time.perf_counter()
            values.numpy()
            times.append(time.perf_counter() - started)
        return min(times)

    assert seconds(1 << 24) > 4 * seconds(1 << 18)
