# SPDX-License-Identifier: MIT
"""The single things that may be asked of a device: each with its answer and what the device has."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from clprobe.facts.derive_devices import maker_of
from clprobe.facts.facts import DeviceFacts
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_range
from clprobe.model.unknown import Fact, Unknown
from clprobe.needs.features import has_feature
from clprobe.needs.reading import generations_of
from clprobe.needs.sizes import bytes_of, in_words
from clprobe.needs.told import driver_of, opencl_c_of, opencl_of
from clprobe.needs.truth import Truth, every, some
from clprobe.needs.written import DeviceNeed

TYPE = "type"
_MAKERS = re.compile(r"intel|amd|advanced micro|nvidia|\barm\b|qualcomm|broadcom|mesa")
_SPELT = {"advanced micro": "amd"}


class Query(NamedTuple):
    """One thing that is asked: by which key, in words, whether it is so, what there is."""

    key: str
    needs: str
    truth: Truth
    has: str


def queries_of(need: DeviceNeed, device: DeviceFacts, tables: Tables) -> Iterator[Query]:
    """Yield all that a need asks of a device itself, without its all, any and none."""
    yield from _identity(need, device, tables)
    yield from _abilities(need, device)
    yield from _at_least(need, device)
    if need.computes:
        yield Query("computes", "a kernel that comes out right", *_computes(device))


def _identity(need: DeviceNeed, device: DeviceFacts, tables: Tables) -> Iterator[Query]:
    if need.type is not None:
        yield Query(TYPE, need.type, *_of_type(need.type, device))
    if need.vendor is not None:
        yield Query("vendor", f"of {need.vendor}", *_of_vendor(need.vendor, device))
    if names := generations_of(need):
        yield Query("generation", " or ".join(names), *_of_generation(names, device, tables))
    if need.platform is not None:
        asked = f"platform {need.platform}"
        yield Query("platform", asked, *_named(need.platform, device.platform, *device.called))
    if need.name is not None:
        yield Query("name", f"called {need.name}", *_named(need.name, device.name))


def _abilities(need: DeviceNeed, device: DeviceFacts) -> Iterator[Query]:
    for key, label, fact in (
        ("driver", "driver", driver_of(device)),
        ("opencl", "OpenCL", opencl_of(device)),
        ("opencl_c", "OpenCL C", opencl_c_of(device)),
    ):
        if (versions := getattr(need, key)) is not None:
            yield Query(key, f"{label} {versions}", *_in_range(label, fact, versions))
    for extension in need.extensions:
        yield Query("extensions", extension, *_in_list(extension, device.extensions))
    for feature in need.features:
        yield Query("features", feature, *has_feature(feature, device))


def _at_least(need: DeviceNeed, device: DeviceFacts) -> Iterator[Query]:
    for key, label, size in (
        ("global_memory", "memory", device.global_memory_bytes),
        ("largest_buffer", "in one buffer", device.max_allocation_bytes),
        ("local_memory", "local memory", device.local_memory_bytes),
    ):
        if (wanted := getattr(need, key)) is not None:
            least = bytes_of(wanted)
            truth, has = _compared(size, least)
            told = in_words(size) if isinstance(size, int) else has
            yield Query(key, f"{in_words(least)} {label}", truth, told)
    for key, label, number in (
        ("compute_units", "compute units", device.compute_units),
        ("work_group_size", "work-items in a work-group", device.max_work_group_size),
    ):
        if (wanted := getattr(need, key)) is not None:
            yield Query(key, f"{wanted} {label}", *_compared(number, wanted))
    if need.sub_group_size is not None:
        sizes = device.sub_group_sizes
        asked = f"sub-groups of {need.sub_group_size}"
        yield Query("sub_group_size", asked, *_in_list(need.sub_group_size, sizes))


def _of_type(wanted: str, device: DeviceFacts) -> tuple[Truth, str]:
    kind, by_cpu = device.type, some((_truth(device.software), _truth(device.disguised)))
    if isinstance(kind, Unknown):
        return None, kind.unknown
    is_cpu = some((kind == "cpu", by_cpu))
    has = "the CPU, posing as a GPU" if by_cpu and kind != "cpu" else kind
    if wanted == "cpu":
        return is_cpu, has
    return every((kind == wanted, None if by_cpu is None else not by_cpu)), has


def _truth(fact: Fact[bool]) -> Truth:
    return None if isinstance(fact, Unknown) else fact


def _of_vendor(wanted: str, device: DeviceFacts) -> tuple[Truth, str]:
    """Answer by CL_DEVICE_VENDOR; PoCL's vendor id is 0x8086 on CPUs of AMD, too."""
    text = device.vendor
    named = set(_MAKERS.findall(text.casefold())) if isinstance(text, str) else set()
    if len(named) == 1 and isinstance(text, str):
        name = named.pop()
        return _SPELT.get(name, name) == wanted, text
    maker = maker_of(device) if device.type != "cpu" else None
    if maker is not None:
        return maker == wanted, maker
    return (None, text.unknown) if isinstance(text, Unknown) else (False, text or "no name")


def _of_generation(
    names: tuple[str, ...], device: DeviceFacts, tables: Tables
) -> tuple[Truth, str]:
    fact = device.generation
    if device.type != "gpu" and not isinstance(device.type, Unknown):
        return False, device.type
    if isinstance(fact, Unknown):
        return None, fact.unknown
    if fact is None and _of_vendor("intel", device)[0] is not False:
        return None, "its generation is not known"  # pre-production ids, and drivers that tell none
    known = {entry.generation for name in names if (entry := tables.generation(name)) is not None}
    return fact in known, fact or "no GPU of Intel's"


def _named(wanted: str, *names: Fact[str]) -> tuple[Truth, str]:
    told = [name for name in names if isinstance(name, str)]
    if any(wanted.strip().casefold() in name.casefold() for name in told):
        return True, told[0]
    unknown = next((name.unknown for name in names if isinstance(name, Unknown)), None)
    return (None, unknown) if unknown is not None else (False, told[0])


def _in_range(label: str, fact: Fact[str], versions: str) -> tuple[Truth, str]:
    if isinstance(fact, Unknown):
        return None, fact.unknown
    return in_range(fact, versions, "mesa"), f"{label} {fact}"


def _in_list(wanted: str | int, fact: Fact[tuple[str, ...]] | Fact[tuple[int, ...]]) -> tuple[
    Truth, str
]:  # fmt: skip
    if isinstance(fact, Unknown):
        return None, fact.unknown
    numbers = ", ".join(str(one) for one in fact if isinstance(one, int))
    return wanted in fact, f"has {wanted}" if wanted in fact else (numbers or f"no {wanted}")


def _compared(fact: Fact[int], least: int) -> tuple[Truth, str]:
    return (None, fact.unknown) if isinstance(fact, Unknown) else (fact >= least, str(fact))


def _computes(device: DeviceFacts) -> tuple[Truth, str]:
    result = device.kernel_result
    if isinstance(result, Unknown):
        return None, "no kernel was run"
    return result == "right", f"its kernel: {result}"
