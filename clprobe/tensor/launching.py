# SPDX-License-Identifier: MIT
"""Launches whose ND-range follows the work and the limits of device and kernel."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from clprobe.tensor.device import Argument, Device
from clprobe.tensor.limits import Limits
from clprobe.tensor.program import Candidate, Kernel

_GPU_WORK_ITEMS = 256
_NARROW = 16
# A CPU runs one work-item per work-group best: its loops over columns become vectors, and there are
# just enough work-groups to share the work out evenly.
CPU_COLUMNS_PER_ITEM = 4096
_CPU_WORK_GROUPS_PER_COMPUTE_UNIT = 16
# Some devices take no more work-groups than this along the second and third dimension.
_MAX_WORK_GROUPS_ABOVE_FIRST = 32768


def launch_values(  # noqa: PLR0913 - the ND-range and the kernel need a name for each part
    device: Device,
    file: str,
    name: str,
    count: int,
    arguments: Sequence[Argument],
    *,
    defines: Mapping[str, int] | None = None,
) -> None:
    """Launch a kernel whose work-items take COLUMNS_PER_ITEM of `count` values each."""
    per_item = CPU_COLUMNS_PER_ITEM if device.limits.is_cpu else 1
    kernel = device.programs.kernel(file, name, {**(defines or {}), "COLUMNS_PER_ITEM": per_item})
    local = _floor_power_of_two(_work_items(device.limits, kernel))
    device.launch(kernel, (_round_up(-(-count // per_item), local),), (local,), arguments)


def launch_rows(  # noqa: PLR0913, PLR0917 - the ND-range and the kernel need a name for each part
    device: Device,
    file: str,
    name: str,
    columns: int,
    rows: int,
    arguments: Sequence[Argument],
    defines: Mapping[str, int] | None = None,
    cpu_columns: int = CPU_COLUMNS_PER_ITEM,
) -> None:
    """Launch a kernel whose work-items take COLUMNS_PER_ITEM columns of one row after another."""
    per_item = cpu_columns if device.limits.is_cpu else 1
    kernel = device.programs.kernel(file, name, {**(defines or {}), "COLUMNS_PER_ITEM": per_item})
    launch_over_rows(device, kernel, -(-columns // per_item), rows, arguments)


def launch_over_rows(
    device: Device, kernel: Kernel, items: int, rows: int, arguments: Sequence[Argument]
) -> None:
    """Launch a kernel that gives each row so many work-items, and loops over rows."""
    limits, size = device.limits, _work_items(device.limits, kernel)
    # Two widths are enough, and every further local size would be compiled anew by PoCL.
    width = _floor_power_of_two(min(_NARROW if items <= 2 * _NARROW else size, size))
    height = _floor_power_of_two(min(size // width, limits.max_work_item_sizes[1]))
    most = _MAX_WORK_GROUPS_ABOVE_FIRST
    if limits.is_cpu:
        most = max(1, limits.compute_units * _CPU_WORK_GROUPS_PER_COMPUTE_UNIT // items)
    groups = min(-(-rows // height), most)
    ranges = (_round_up(items, width), groups * height), (width, height)
    device.launch(kernel, *ranges, arguments)


def largest_that_fits(  # noqa: PLR0913, PLR0917 - the kernel, and all that decides how it is built
    device: Device,
    file: str,
    name: str,
    most: int,
    defines: Callable[[int], Mapping[str, int]],
    key: Hashable = None,
) -> tuple[Kernel, int]:
    """Return a kernel built for the largest work-group up to `most` that fits, and its size.

    Each work-item takes four bytes of local memory. `defines` says how to build the kernel for a
    size; `key` stands for all else that this depends on, for it is asked only once.

    **Raises** BuildError.
    """

    def choose() -> tuple[Kernel, int]:
        candidates = [
            Candidate(
                file=file, defines=defines(size), work_group_size=size, local_memory_bytes=4 * size
            )
            for size in powers_of_two_down_from(most)
        ]
        kernel, built = device.programs.first_that_fits(name, candidates)
        return kernel, built.work_group_size

    return device.programs.remember((file, name, most, key), choose)


def work_groups_above_first(wanted: int) -> int:
    """Return how many work-groups to launch along a later dimension; the kernel loops over more."""
    return min(wanted, _MAX_WORK_GROUPS_ABOVE_FIRST)


def powers_of_two_down_from(size: int) -> Iterator[int]:
    """Yield the powers of two from the largest one up to `size`, down to 1."""
    size = _floor_power_of_two(size)
    while size:
        yield size
        size //= 2


def _work_items(limits: Limits, kernel: Kernel) -> int:
    preferred = 1 if limits.is_cpu else _GPU_WORK_ITEMS
    return min(preferred, kernel.work_group_limit, limits.max_work_item_sizes[0])


def _round_up(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple


def _floor_power_of_two(size: int) -> int:
    return 1 << (size.bit_length() - 1) if size > 0 else 0
