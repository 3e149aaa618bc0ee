# SPDX-License-Identifier: MIT
"""needs.yaml: what a program asks of a host and of its OpenCL devices."""

from typing import Annotated, Literal

import msgspec

from clprobe.model.fact import described

SCHEMA = "clprobe.needs/1"
Vendor = Literal["intel", "amd", "nvidia", "arm", "qualcomm", "broadcom", "mesa"]
Feature = Literal["fp16", "fp64", "subgroups", "images"]
Size = int | str
Least = Annotated[int, msgspec.Meta(ge=1)]


class DeviceNeed(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What one device must have: all that is written here."""

    type: Annotated[
        Literal["gpu", "cpu", "accelerator"] | None,
        described("gpu: no CPU that poses as one; cpu: whatever computes on the CPU"),
    ] = None
    vendor: Annotated[Vendor | None, described("whose device it is")] = None
    generation: Annotated[
        str | tuple[str, ...] | None, described("of Intel's GPUs: Gen9, Xe-LP; a list: one of them")
    ] = None
    platform: Annotated[
        str | None, described("part of its platform's name, or the driver as people call it: pocl")
    ] = None
    name: Annotated[str | None, described("part of the device's name")] = None
    driver: Annotated[
        str | None, described('range of CL_DRIVER_VERSION, such as ">=24.35, <26"')
    ] = None
    opencl: Annotated[str | None, described('range of its OpenCL version: ">=3.0"')] = None
    opencl_c: Annotated[
        str | None, described('range of the newest OpenCL C that it compiles: ">=1.2"')
    ] = None
    extensions: Annotated[
        tuple[str, ...], described("names such as cl_khr_fp16, each of them")
    ] = ()
    features: Annotated[tuple[Feature, ...], described("what kernels may use, each of it")] = ()
    global_memory: Annotated[Size | None, described("at least; bytes, or such as 2 GiB")] = None
    largest_buffer: Annotated[Size | None, described("at least; bytes, or such as 1 GiB")] = None
    local_memory: Annotated[Size | None, described("at least; bytes, or such as 32 KiB")] = None
    compute_units: Annotated[Least | None, described("at least")] = None
    work_group_size: Annotated[Least | None, described("work-items in a work-group, at least")] = (
        None
    )
    sub_group_size: Annotated[Least | None, described("one of its sizes of sub-groups")] = None
    computes: Annotated[
        bool | None,
        msgspec.Meta(
            description="a kernel with a known answer builds, runs, is right; a live host runs it",
            extra_json_schema={"enum": [True]},
        ),
    ] = None
    all: Annotated["tuple[DeviceNeed, ...]", described("each of these holds")] = ()
    any: Annotated["tuple[DeviceNeed, ...]", described("one of these holds")] = ()
    none: Annotated["tuple[DeviceNeed, ...]", described("none of these holds")] = ()


class HostNeed(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What a host must have: enough devices of a kind, and what `all`, `any` and `none` ask."""

    label: Annotated[
        str | None, described("what answers and exports call it: letters, digits, - _ .")
    ] = None
    device: Annotated[DeviceNeed | None, described("what a device must have to count")] = None
    count: Annotated[Least | None, described("devices that fulfil `device`, at least; 1")] = None
    all: Annotated["tuple[HostNeed, ...]", described("each of these holds")] = ()
    any: Annotated["tuple[HostNeed, ...]", described("one of these holds")] = ()
    none: Annotated["tuple[HostNeed, ...]", described("none of these holds")] = ()

    @property
    def asks_devices(self) -> bool:
        """Whether it counts devices itself."""
        return self.device is not None or self.count is not None


class Needs(HostNeed, frozen=True, kw_only=True):
    """A whole file of needs."""

    schema: Annotated[Literal["clprobe.needs/1"], described("version of this format")] = (
        "clprobe.needs/1"
    )
    description: Annotated[str | None, described("for whom they are")] = None


def asks_to_compute(need: HostNeed) -> bool:
    """Whether a part of it can be answered only by running a kernel."""
    of_device = need.device is not None and _computes(need.device)
    return of_device or any(map(asks_to_compute, (*need.all, *need.any, *need.none)))


def _computes(need: DeviceNeed) -> bool:
    return bool(need.computes) or any(map(_computes, (*need.all, *need.any, *need.none)))
