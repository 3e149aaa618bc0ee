# SPDX-License-Identifier: MIT
"""clinfo's JSON that is not valid, and the clinfo that AMD ships."""

import json

import pytest
from clinfo_corpus import CORPUS, recordings

from clprobe.paste.clinfo.loose_json import Container, LooseReader
from clprobe.paste.clinfo.reader import clinfo_runs

_JSON = (CORPUS / "debian-pocl/3.0.23.01.25.json.txt").read_text(encoding="utf-8")

_AMD = """Number of platforms:\t\t\t\t 1
  Platform Profile:\t\t\t\t FULL_PROFILE
  Platform Version:\t\t\t\t OpenCL 2.1 AMD-APP (3635.0)
  Platform Name:\t\t\t\t AMD Accelerated Parallel Processing
  Platform Vendor:\t\t\t\t Advanced Micro Devices, Inc.
  Platform Extensions:\t\t\t\t cl_khr_icd cl_amd_event_callback


  Platform Name:\t\t\t\t AMD Accelerated Parallel Processing
Number of devices:\t\t\t\t 2
  Device Type:\t\t\t\t\t CL_DEVICE_TYPE_GPU
  Vendor ID:\t\t\t\t\t 1002h
  Board name:\t\t\t\t\t Some Radeon
  Device Topology:\t\t\t\t PCI[ B#-63, D#0, F#1 ]
  Max compute units:\t\t\t\t 36
  Max work items[0]:\t\t\t\t 1024
  Max clock frequency:\t\t\t\t 2575Mhz
  Single precision floating point capability
  Local memory type:\t\t\t\t Scratchpad
  Name:\t\t\t\t\t\t gfx1030
  Version:\t\t\t\t\t OpenCL 2.0
  Extensions:\t\t\t\t\t cl_khr_fp64 cl_amd_device_attribute_query


  Device Type:\t\t\t\t\t CL_DEVICE_TYPE_CPU
  Name:\t\t\t\t\t\t Ryzen
"""


def _run(text):
    (run,) = clinfo_runs(text.split("\n"))
    return run


def _plain(value):
    """Return the reading as Python's own JSON module gives it, numbers still as texts."""
    if isinstance(value, Container):
        if value.is_object:
            return {key: _plain(part) for key, part in value.pairs}
        return [_plain(part) for part in value.items]
    return value


def test_valid_json_is_read_as_by_the_standard_library():
    for recording in recordings():
        if recording.form == "json" and recording.text.startswith("{"):
            reader = LooseReader(recording.text)
            strict = json.loads(
                recording.text,
                parse_int=str,
                object_pairs_hook=lambda pairs: {key.strip(): part for key, part in pairs},
            )
            assert [_plain(part) for part in reader.root.items] == [strict], recording.name
            assert not reader.repairs, recording.name


@pytest.mark.parametrize("part", [0.2, 0.35, 0.5, 0.65, 0.8, 0.95])
def test_json_that_is_cut_gives_what_it_holds(part):
    run = _run(_JSON[: int(len(_JSON) * part)])
    assert run.answer.platforms[0].name == "Portable Computing Language"
    assert any("its end was missing" in remark for remark in run.remarks)


def test_json_without_its_start_still_gives_the_device():
    run = _run(_JSON[_JSON.index('"CL_DEVICE_VENDOR"') :])
    assert run.answer.platforms[0].devices[0].compute_units == 2
    assert "the JSON was cut at its start" in run.remarks


@pytest.mark.parametrize(
    ("text", "platforms"),
    [
        ('{ "platforms" : [ "A", "B" ], "devices" : [ { "online" : [ "X" ] }, '
         '{ "online" : [ ] } ] }',
         [("A", ["X"]), ("B", [])]),
        ('{ "platforms" : [, { "CL_PLATFORM_NAME" : "B" } ], "devices" : [, { "online" : [ ] } ] }',
         [("B", [])]),
        ('{ "platforms" : [ { "CL_PLATFORM_NAME" : "A" } ], "devices" : [ { "online" : [ '
         '{ "CL_DEVICE_NAME" : "X", "CL_DEVICE_P2P_DEVICES_AMD" : 0x1f, "CL_DEVICE_TYPE" : '
         '{ " raw " : 4, "type" : [ "CL_DEVICE_TYPE_GPU" ] } } ] } ] }', [("A", ["X"])]),
    ],
)  # fmt: skip
def test_odd_json_gives_platforms_and_devices(text, platforms):
    shown = [
        (platform.name, [device.name for device in platform.devices])
        for platform in _run(text).answer.platforms
    ]
    assert shown == platforms


def test_a_list_in_json_of_old_versions_gives_the_names_of_devices():
    run = _run('{ "platforms" : [ { }, { } ], "devices" : [ { "online" : [ {0.0: Some CPU\n } ] }, '
               '{ "online" : [ ] } ] }')  # fmt: skip
    assert [device.name for device in run.answer.platforms[0].devices] == ["Some CPU"]
    assert run.answer.platforms[1].devices == ()


def test_text_before_and_inside_json_is_told_and_kept():
    words = "Beignet: self-test failed: (3, 7, 5)"
    both = f"{words}\nsee the manual of Beignet"
    inside = _JSON.replace(' } ], "devices"', f'{both}\n }} ], "devices"')
    run = _run(f"driver: hello {inside}")
    assert run.answer.platforms[0].devices[0].type == "cpu"
    assert run.answer.printed == both
    assert "other text stood before the JSON" in run.remarks


@pytest.mark.parametrize("text", [_AMD, _AMD.expandtabs(8), _AMD.replace("\t", " ")])
def test_the_clinfo_of_amd_is_read(text):
    run = _run(text)
    (platform,) = run.answer.platforms
    gpu, cpu = platform.devices
    assert (run.form, platform.name) == ("amd", "AMD Accelerated Parallel Processing")
    assert (gpu.name, gpu.type, gpu.vendor_id) == ("gfx1030", "gpu", 0x1002)
    assert (gpu.pci_address, gpu.max_clock_mhz, gpu.local_memory_type) == (
        "0000:c1:00.1", 2575, "local",
    )  # fmt: skip
    assert (cpu.name, cpu.type) == ("Ryzen", "cpu")


def test_rocminfo_below_is_not_part_of_the_clinfo_of_amd():
    below = "ROCk module is loaded\n=====================\n  Name:                    gfx900\n"
    run = _run(_AMD + below)
    assert [device.name for device in run.answer.platforms[0].devices] == ["gfx1030", "Ryzen"]
    assert max(run.lines) < len(_AMD.split("\n")) - 1
