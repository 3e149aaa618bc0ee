# SPDX-License-Identifier: MIT
"""A snapshot, even a damaged one, is not read as a paste, nor a paste as a snapshot."""

import pytest

from clprobe.paste.kind import is_snapshot

SNAPSHOTS = (
    '{"schema": "clprobe.snapshot/1", "gpus": []}',
    '{"schema": "clprobe.snapshot/1", "gpus": [',
    '{"schema": "clprobe.doctor/1"}',
    '{"gpus": [{"pci_id": "8086:5917"',
    '\ufeff{"gpus": []}',
    '{"gpuz": []}',
    "{}",
    "gpus: [{pci_id: 8086:5917}]",
    "# a comment\n---\nschema: clprobe.snapshot/1\nsomething: else\n",
    "system:\n  linux: {release: 6.8}\nviews: [\n",
    "gpus:\n- pci_id: 8086:5917\n  kernel_driver: i915\n",
    "environment:\n  OCL_ICD_VENDORS: /x\n",
    "icds: []\n",
)
PASTES = (
    '{"platforms": [], "devices": [], "icd_loader": {}}',
    "environment:\n  - PUID=1000\n",
    "system: Ubuntu 22.04\n",
    "Number of platforms  0\n",
    "user: alice\ngpus: none\n",
    "services:\n  jellyfin:\n    devices:\n      - /dev/dri\n",
    "gpus:\n- pci_id: 8086:5917\n\nand then I tried clinfo\n",
    "",
)


@pytest.mark.parametrize("text", SNAPSHOTS)
def test_what_is_meant_as_a_snapshot_is_one(text: str) -> None:
    assert is_snapshot(text)


@pytest.mark.parametrize("text", PASTES)
def test_what_people_paste_is_none(text: str) -> None:
    assert not is_snapshot(text)
