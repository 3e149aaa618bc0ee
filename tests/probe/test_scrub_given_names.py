# SPDX-License-Identifier: MIT
"""Ids and given names that only the words beside them tell; versions and PCI ids stay."""

import json

import pytest

from clprobe.model.codec import snapshot_from_text, snapshot_to_json
from clprobe.scrub import scrub

GONE = {
    "SSID in quotes": ('wpa: ssid="canary net" freq=2412', "canary"),
    "SSID to the end of the line": ("ssid=canary home", "canary"),
    "iwconfig": ('wlan0 IEEE 802.11 ESSID:"canary"', "canary"),
    "iw": ("\tSSID: canary", "canary"),
    "associating": ("wlan0: Trying to associate with SSID 'canary'", "canary"),
    "NetworkManager": ("device (wlp2s0): Activation: starting connection 'canary'", "canary"),
    "NetworkManager, security": ("(wifi) connection 'canary' has security", "canary"),
    "NetworkManager, done": ("Connected to wireless network 'canary'", "canary"),
    "nmcli device": ("wlp2s0 wifi connected canary home", "canary"),
    "nmcli": ("wlp2s0: connected to canary", "canary"),
    "nmcli connection": ("canary 9b2d5f0e-2f0c-4a6f-9c3b-7a3d5e1f2b4c wifi wlp2s0", "canary"),
    "lsusb": ("iSerial 3 CANARY0001", "CANARY"),
    "lsblk": ("sda 8:0 0 465.8G 0 disk S3Z9NB0CANARY12", "CANARY"),
    "lsblk, WWN": ("sda 0x5002538d40c0ffee", "c0ffee"),
    "disk by id": ("ata-Samsung_SSD_860_EVO_S3Z9CANARY0K -> ../../sda", "CANARY"),
    "AMD's unique id": ("7c2bca9a17ee0003", "7c2bca9a"),
    "AMD's unique id with 0x": ("0x7c2bca9a17ee0003", "7c2bca9a"),
    "a regular machine id": ("aabbaabbccaabbaabbccaabbaabbccaa", "aabbaabb"),
    "a remote by SSH": ("origin git@github.com:canary-corp/secret-app.git (fetch)", "secret-app"),
    "a remote by https": ("origin https://git.x.org/canary-corp/secret-app (push)", "secret-app"),
    "a clone": ("git clone https://gitlab.com/canary-corp/secret-app", "canary-corp"),
    "an image": ("registry.x.org/canary/app latest 0123456789ab 2 weeks ago 1.2GB", "canary"),
    "AMD's UUID": ("GPU-7c2bca9a17ee0003", "7c2bca9a"),
}
KEPT = (
    "https://github.com/intel/compute-runtime/issues/710",
    "git clone https://github.com/intel/compute-runtime.git",
    "intel/oneapi-basekit latest 0123456789ab 2 weeks ago 1.2GB",
    "ubuntu 22.04 0123456789ab 2 weeks ago 77.9MB",
    "00:02.0 VGA compatible controller [0300]: Intel Corporation UHD Graphics 620 [8086:5917]",
    "ii  intel-opencl-icd 24.35.30872.22-1 amd64 Intel graphics compute runtime for OpenCL",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "BUG: unable to handle page fault for address: 0xffffffff81234567",
    "i915 0000:00:02.0: [drm] GuC firmware i915/adlp_guc_70.bin version 70.5.1",
    "iSerial 0",
    "Maximum memory allocation: 0x0000000100000000",
    "sda 8:0 0 465.8G 0 disk",
    "starting connection to X server",
)


def _scrubbed(line: str) -> str:
    text = json.dumps({"unread": [line], "messages": [line]})
    return snapshot_to_json(scrub(snapshot_from_text(text, name="x")))


@pytest.mark.parametrize("case", GONE.values(), ids=GONE)
def test_it_is_replaced_in_what_nobody_understood(case: tuple[str, str]) -> None:
    line, secret = case
    assert secret in line
    assert secret not in _scrubbed(line)


@pytest.mark.parametrize("line", KEPT)
def test_what_diagnosis_may_need_stays(line: str) -> None:
    assert json.loads(_scrubbed(line))["unread"] == [line]


@pytest.mark.parametrize(
    "name",
    [
        "ROCR_VISIBLE_DEVICES",
        "HIP_VISIBLE_DEVICES",
        "CUDA_VISIBLE_DEVICES",
        "GPU_DEVICE_ORDINAL",
        "NVIDIA_VISIBLE_DEVICES",
    ],
)
def test_the_ids_of_gpus_in_variables_go_and_equal_ones_stay_equal(name: str) -> None:
    value = "GPU-7c2bca9a17ee0003,GPU-7c2bca9a17ee0004,GPU-7c2bca9a17ee0003"
    text = json.dumps({"environment": {name: value}})
    told = json.loads(snapshot_to_json(scrub(snapshot_from_text(text, name="x"))))
    first, second, third = told["environment"][name].split(",")
    assert first == third != second
    assert "7c2bca9a" not in json.dumps(told)
    assert all(one.startswith("GPU-") for one in (first, second))


def test_scrubbing_again_changes_nothing() -> None:
    lines = [line for line, _ in GONE.values()]
    text = json.dumps({"unread": lines})
    once = scrub(snapshot_from_text(text, name="x"))
    assert scrub(once) == once
