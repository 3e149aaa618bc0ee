# SPDX-License-Identifier: MIT
"""The kernel's uevent files tell the GPUs with their ids, places and drivers, and set nothing."""

from pastes import facts, read

TEXT = """A laptop with two GPUs, clinfo lists one.

```
$ head /sys/class/drm/card*/device/uevent
==> /sys/class/drm/card0/device/uevent <==
DRIVER=i915
PCI_CLASS=30000
PCI_ID=8086:9BF6
PCI_SUBSYS_ID=1028:09C3
PCI_SLOT_NAME=0000:00:02.0
MODALIAS=pci:v00008086d00009BF6sv00001028sd000009C3bc03sc00i00

==> /sys/class/drm/card1/device/uevent <==
DRIVER=nvidia
PCI_CLASS=30000
PCI_ID=10DE:1EB5
PCI_SLOT_NAME=0000:01:00.0
```
"""


def test_each_block_is_a_gpu() -> None:
    told = facts(TEXT)["gpus"]
    assert [(gpu["pci_id"], gpu["pci_address"], gpu["kernel_driver"]) for gpu in told] == [
        ("8086:9bf6", "0000:00:02.0", "i915"),
        ("10de:1eb5", "0000:01:00.0", "nvidia"),
    ]


def test_nobody_sets_what_the_kernel_tells() -> None:
    snapshot = read(TEXT)
    assert [one.what for one in snapshot.statements if one.what == "sets"] == []
    assert snapshot.unread == ()


def test_a_class_that_is_no_number_and_a_device_that_is_no_gpu_tell_none() -> None:
    odd = TEXT.replace("PCI_CLASS=30000", "PCI_CLASS=zz").replace("PCI_ID=8086:9BF6", "PCI_ID=x")
    assert [gpu["pci_id"] for gpu in facts(odd)["gpus"]] == ["10de:1eb5"]
    sound = TEXT.replace("PCI_CLASS=30000", "PCI_CLASS=40300")
    assert "gpus" not in facts(sound)
