# SPDX-License-Identifier: MIT
"""The rows of the truth table: a node, an identity, the errno, and the word for the reason."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

NODE = "/dev/dri/renderD128"
ALICE, BOB, JELLYFIN, NOBODY = 4001, 4002, 112, 65534
RENDER, VIDEO, SSL_CERT, LAB = 109, 44, 111, 4100
SERVICE = "clprobe-test.service"
_ALL_IDS = [[0, 0, 4294967295]]


def _row(name: str, **facts: Any) -> dict[str, Any]:
    return {"name": name, "path": NODE, "mode": "0660", "uid": BOB, **facts}


def _unit(*lines: str) -> str:
    return "\n".join(("[Unit]", "User=bob", "[Service]", "ExecStart=/bin/true", *lines, ""))


def _rootless(uid: int, **more: Any) -> dict[str, Any]:
    """Return the namespace of a rootless container: root inside is `uid` outside."""
    return {"uid": [[0, uid, 1]], "gid": [[0, uid, 1]], **more}


# undecided: the namespace shows every unmapped group as the same number.
# ENXIO: the permissions let the process pass, and no driver answers behind our nodes.
ROWS = [
    _row("not in the group", errno="EACCES", reason="not-in-group", cli=["--as", "bob"]),
    _row("in the group", uid=ALICE, groups=[RENDER], errno="ENXIO", cli=["--as", "alice"]),
    _row("the group is the primary one", gid=RENDER, errno="ENXIO", cli=["--as", "4002:109"]),
    _row("added to the group after log-in", uid=ALICE, errno="EACCES", reason="old-session"),
    _row("access list admits the user", acl="u:4002:rw,m::rw", errno="ENXIO",
         cli=["--as", "bob"]),
    _row("access list admits another user", acl="u:4001:rw,m::rw", errno="EACCES",
         reason="not-in-group", cli=["--as", "bob"]),
    _row("access list denies a member of the group", uid=ALICE, groups=[RENDER],
         acl="u:4001:r,m::rw", errno="EACCES", reason="access-list", cli=["--as", "alice"]),
    _row("access list admits a named group", uid=ALICE, groups=[LAB], acl="g:4100:rw,m::rw",
         errno="ENXIO"),
    _row("one of two named groups admits", uid=ALICE, groups=[LAB, VIDEO],
         acl="g:4100:r,g:44:rw,m::rw", errno="ENXIO"),
    _row("a named group without rights shuts out", mode="0666", uid=ALICE, groups=[LAB],
         acl="g:4100:r,m::rw", errno="EACCES", reason="access-list"),
    _row("the mask cuts a named user", acl="u:4002:rw,m::r", errno="EACCES",
         reason="access-list", cli=["--as", "bob"]),
    _row("the mask cuts a named group", uid=ALICE, groups=[LAB], acl="g:4100:rw,m::r",
         errno="EACCES", reason="access-list"),
    _row("the mask cuts the owning group", uid=ALICE, groups=[RENDER], acl="u:4002:rw,m::r",
         errno="EACCES", reason="access-list"),
    _row("the mask does not cut the owner", owner=BOB, acl="u:4001:rw,m::r", errno="ENXIO"),
    _row("the mask does not cut others", mode="0666", acl="u:4001:rw,m::r", errno="ENXIO"),
    _row("an empty mask switches the list off", mode="0606", acl="u:4002:rw,m::-",
         errno="ENXIO"),
    _row("the list takes rights from the owning group", uid=ALICE, groups=[RENDER],
         acl="u:4002:rw,g::r,m::rw", errno="EACCES", reason="access-list"),
    _row("the group's number has no name", group=1234, errno="EACCES",
         reason="group-without-name", cli=["--as", "bob"]),
    _row("the nameless number is a group of the process", group=1234, groups=[1234],
         errno="ENXIO", cli=["--as", "4002:4002,1234"]),
    _row("the group's number means another group here", uid=ALICE, groups=[RENDER],
         group=SSL_CERT, errno="EACCES", reason="foreign-group", cli=["--as", "alice"]),
    _row("wrong group", group=VIDEO, errno="EACCES", reason="not-in-group"),
    _row("owner and group are root's", mode="0660", group=0, uid=ALICE, groups=[RENDER],
         errno="EACCES", reason="root-only"),
    _row("udev did not run", mode="0600", uid=ALICE, groups=[RENDER], errno="EACCES",
         reason="root-only", cli=["--as", "alice"]),
    _row("the group may only read", mode="0640", uid=ALICE, groups=[RENDER], errno="EACCES",
         reason="root-only"),
    _row("the owner may", mode="0600", owner=BOB, errno="ENXIO", cli=["--as", "bob"]),
    _row("the owner has no rights, the others have", mode="0066", owner=BOB, errno="EACCES",
         reason="owner-denied", cli=["--as", "4002"]),
    _row("the owner is in the group that has rights", mode="0060", owner=ALICE, uid=ALICE,
         groups=[RENDER], errno="EACCES", reason="owner-denied"),
    _row("the group has no rights, the others have", mode="0606", uid=ALICE, groups=[RENDER],
         errno="EACCES", reason="group-denied", cli=["--as", "alice"]),
    _row("the group has no rights and we are not in it", mode="0606", errno="ENXIO"),
    _row("open to everybody", mode="0666", uid=NOBODY, errno="ENXIO", cli=["--as", "nobody"]),
    _row("nobody", uid=NOBODY, errno="EACCES", reason="not-in-group", cli=["--as", "nobody"]),
    _row("an id without an account", uid=54321, errno="EACCES", reason="not-in-group",
         cli=["--as", "54321:54321"]),
    _row("a service account in the group", uid=JELLYFIN, gid=118, groups=[RENDER],
         errno="ENXIO", cli=["--as", "jellyfin:jellyfin,render"]),
    _row("there is no node", mode=None, errno="ENOENT"),
    _row("there is no node behind a closed folder", mode=None, folder="0700", errno="EACCES",
         reason="folder-closed"),
    _row("the folder is closed", mode="0666", folder="0700", errno="EACCES",
         reason="folder-closed", cli=["--as", "bob"]),
    _row("the folder can be listed, not searched", mode="0666", folder="0744", errno="EACCES",
         reason="folder-closed", cli=["--as", "bob"]),
    _row("the folder can be searched, not listed", mode="0666", folder="0711", errno="ENXIO",
         cli=["--as", "bob"]),
    _row("the folder is open to a group", mode="0666", folder="0750", folder_owner=[0, VIDEO],
         uid=ALICE, groups=[VIDEO], errno="ENXIO", cli=["--as", "alice"]),
    _row("mounted with nodev", mode="0666", nodev=True, errno="EACCES", reason="nodev-mount",
         cli=["--as", "bob"]),
    _row("root on a file system with nodev", uid=0, nodev=True, errno="EACCES",
         reason="nodev-mount"),
    _row("root", uid=0, mode="0000", errno="ENXIO", cli=["--as", "root"]),
    _row("root behind a closed folder", uid=0, mode="0000", folder="0000", errno="ENXIO"),
    _row("root without capabilities", uid=0, mode="0060", without_capabilities=True,
         errno="EACCES", reason="owner-denied"),
    _row("root of a rootless container", uid=0, namespace=_rootless(BOB), errno="EACCES",
         reason="user-namespace"),
    _row("root of a rootless container, node open to all", uid=0, mode="0666",
         namespace=_rootless(BOB), errno="ENXIO"),
    _row("rootless container that keeps its groups", uid=0, groups=[RENDER],
         namespace=_rootless(BOB, keep_groups=True), errno="ENXIO", undecided=True),
    _row("root of a namespace that maps everything", uid=0, mode="0000",
         namespace={"uid": _ALL_IDS, "gid": _ALL_IDS}, errno="ENXIO"),
    _row("root of a namespace that maps the node's ids", uid=0, mode="0600", owner=100000,
         group=100044, namespace={"uid": [[0, 100000, 65536]], "gid": [[0, 100000, 65536]]},
         errno="ENXIO"),
    _row("user of a container with the node's group mapped", uid=1000, gid=1000, groups=[44],
         owner=0, group=100044,
         namespace={"uid": [[0, 100000, 65536]], "gid": [[0, 100000, 65536]]}, errno="ENXIO"),
    _row("user of a container whose node came with the host's ids", uid=1000, gid=1000,
         groups=[44, 109], namespace={"uid": [[0, 100000, 65536]], "gid": [[0, 100000, 65536]]},
         errno="EACCES", reason="user-namespace"),
    _row("a device list without the node", uid=ALICE, groups=[VIDEO, RENDER], device_list=[],
         unit=_unit("User=alice", "DevicePolicy=closed"), errno="EPERM", reason="sandbox",
         cli=["--as", SERVICE]),
    _row("a device list that lets us read", uid=ALICE, groups=[VIDEO, RENDER],
         device_list=["c 226:* r"], unit=_unit("User=alice", "DeviceAllow=char-drm r"),
         errno="EPERM", reason="sandbox", cli=["--as", SERVICE]),
    _row("a device list with the node", uid=ALICE, groups=[VIDEO, RENDER],
         device_list=["c 226:128 rw"],
         unit=_unit("User=alice", f"DeviceAllow={NODE} rw"), errno="ENXIO",
         cli=["--as", SERVICE]),
    _row("a device list shuts root out", uid=0, device_list=[], unit=_unit("DevicePolicy=strict"),
         errno="EPERM", reason="sandbox", cli=["--as", SERVICE]),
    _row("permissions come before the device list", device_list=[],
         unit=_unit("User=bob", "DevicePolicy=closed"), errno="EACCES", reason="not-in-group",
         cli=["--as", SERVICE]),
    _row("a service with groups of its unit", uid=JELLYFIN, gid=118, groups=[RENDER],
         unit=_unit("User=jellyfin", "SupplementaryGroups=video", "SupplementaryGroups=",
                    "SupplementaryGroups=render"), errno="ENXIO", cli=["--as", SERVICE]),
    _row("a service in no group of the node", uid=JELLYFIN, gid=118, groups=[VIDEO],
         unit=_unit("User=jellyfin", "Group=jellyfin", "SupplementaryGroups=video"),
         errno="EACCES", reason="not-in-group", cli=["--as", SERVICE]),
    _row("a service with private devices", uid=ALICE, groups=[VIDEO, RENDER],
         private_devices=True, unit=_unit("User=alice", "PrivateDevices=true"), errno="ENOENT",
         reason="private-devices", cli=["--as", SERVICE]),
    _row("/dev/kfd, not in the group", path="/dev/kfd", errno="EACCES", reason="not-in-group",
         cli=["--as", "bob"]),
    _row("/dev/kfd with mode 0600", path="/dev/kfd", mode="0600", group=0, uid=ALICE,
         groups=[RENDER, VIDEO], errno="EACCES", reason="root-only"),
    _row("/dev/nvidia0 for everybody", path="/dev/nvidia0", mode="0666", group=0,
         errno="ENXIO", cli=["--as", "bob"]),
    _row("/dev/nvidia0 with ModifyDeviceFiles", path="/dev/nvidia0", mode="0660", group=VIDEO,
         uid=ALICE, groups=[VIDEO], errno="ENXIO"),
    _row("/dev/nvidia0 for root alone", path="/dev/nvidia0", mode="0600", group=0,
         errno="EACCES", reason="root-only"),
]  # fmt: skip
for _each in ROWS:
    if _each["mode"] is None:
        del _each["mode"]


def answers() -> dict[str, dict[str, Any]]:
    """Return what the world says to each row, by the row's name. Needs root."""
    world = Path(__file__).with_name("world.py")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(
        ["unshare", "-m", sys.executable, world],
        input=json.dumps(ROWS),
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return {row["name"]: answer for row, answer in zip(ROWS, lines, strict=True)}
