# SPDX-License-Identifier: MIT
"""What a snapshot's messages tell counts as facts, and what it states itself stands."""

from pathlib import Path

from clprobe.cli.sources import read_snapshot

LISTING = "crw-rw---- 1 root render 226, 128 Nov 21 06:38 /dev/dri/renderD128"


def _read(tmp_path: Path, text: str):  # type: ignore[no-untyped-def]
    path = tmp_path / "report.yaml"
    path.write_text(text)
    return read_snapshot(str(path))


def test_a_message_that_is_a_listing_becomes_a_node(tmp_path: Path) -> None:
    snapshot = _read(tmp_path, f"gpus: [{{name: Intel UHD 620}}]\nmessages: ['{LISTING}']\n")
    assert [(node.path, node.mode) for node in snapshot.device_nodes] == [
        ("/dev/dri/renderD128", "0660")
    ]
    assert "device_nodes" in snapshot.excerpts
    assert snapshot.messages == (LISTING,)


def test_a_list_that_is_stated_is_not_added_to(tmp_path: Path) -> None:
    snapshot = _read(tmp_path, f"device_nodes: []\nmessages: ['{LISTING}']\n")
    assert snapshot.device_nodes == ()


def test_messages_that_nobody_knows_change_nothing(tmp_path: Path) -> None:
    snapshot = _read(tmp_path, "messages: ['it does not work']\nuser: {uid: 1000}\n")
    assert snapshot.messages == ("it does not work",)
    assert snapshot.user.uid == 1000
