# SPDX-License-Identifier: MIT
import pytest

from clprobe.facts.inventory import select_devices
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import DeviceReport


def _device(index: int, **facts: object) -> DeviceReport:
    fields: dict[str, object] = {**dict.fromkeys(DeviceReport.__struct_fields__), "called": ()}
    return DeviceReport(**{**fields, "index": index, **facts})


DEVICES = (
    _device(
        0,
        type="cpu",
        platform="Portable Computing Language",
        name="pthread-skylake",
        called=("pocl", "PoCL", "Portable Computing Language"),
    ),
    _device(
        1,
        type="gpu",
        platform="Intel(R) OpenCL Graphics",
        name="Intel(R) Graphics [0x5916]",
        marketing_name="HD Graphics 620",
        pci_id="8086:5916",
        called=("compute-runtime", "Intel Graphics Compute Runtime (NEO)", "NEO", "intel"),
    ),
)


@pytest.mark.parametrize(
    ("selector", "index"),
    [
        ("0", 0),
        ("1", 1),
        ("gpu", 1),
        ("CPU", 0),
        ("8086:5916", 1),
        ("0x8086:0x5916", 1),
        ("portable", 0),
        ("hd graphics 620", 1),
        ("HD 620", 1),
        ("pocl", 0),
        ("PoCL", 0),
        ("neo", 1),
        ("compute runtime", 1),
        ("Intel", 1),
    ],
)
def test_a_device_is_found_the_way_people_name_it(selector: str, index: int) -> None:
    assert [device.index for device in select_devices(DEVICES, [selector])] == [index]


def test_without_selectors_every_device_is_chosen() -> None:
    assert select_devices(DEVICES, []) == DEVICES


def test_several_selectors_keep_the_order_of_the_devices_and_name_none_twice() -> None:
    chosen = select_devices(DEVICES, ["gpu", "0", "intel"])
    assert [device.index for device in chosen] == [0, 1]


def test_a_selector_that_names_nothing_lists_what_there_is() -> None:
    with pytest.raises(ClprobeError, match=r"'tpu'.*0 cpu: Portable.*1 gpu: Intel"):
        select_devices(DEVICES, ["tpu"])


def test_an_index_beyond_all_numbers_names_nothing() -> None:
    with pytest.raises(ClprobeError, match="0 cpu: Portable"):
        select_devices(DEVICES, ["9" * 5000])
