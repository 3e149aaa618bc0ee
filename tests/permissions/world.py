# SPDX-License-Identifier: MIT
# ruff: noqa: PTH101, PTH102, S103, T201 - it makes the file system that it asks, and prints answers
"""Makes one private /dev after another and opens its node as somebody. Run by permission_rows.

`unshare -m python world.py` reads rows as JSON from stdin and prints one JSON line a row: what
root's probe says of the node, what the process of that identity says of itself and of the node,
and the errno of its real open(O_RDWR). Nodes, access lists and user ids are real. User and group
database are files of our own, bound over the real ones in this mount namespace only.
"""

import ctypes
import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from clprobe.model.snapshot import Snapshot
from clprobe.probe.live_host import LiveHost
from clprobe.probe.nodes import probe_nodes
from clprobe.probe.user import probe_gpu_groups, probe_user

USERS = """root:x:0:0::/root:/bin/sh
jellyfin:x:112:118::/nonexistent:/bin/false
alice:x:4001:4001::/nonexistent:/bin/false
bob:x:4002:4002::/nonexistent:/bin/false
nobody:x:65534:65534::/nonexistent:/bin/false
"""
GROUP = """root:x:0:
video:x:44:alice
render:x:109:alice
ssl-cert:x:111:
jellyfin:x:118:
lab:x:4100:alice
alice:x:4001:
bob:x:4002:
nogroup:x:65534:
"""
UNIT = Path("/run/systemd/system/clprobe-test.service")
DEVICE_CGROUPS = Path("/sys/fs/cgroup/devices")
_LIBC = ctypes.CDLL(None, use_errno=True)
_NODEV, _PRIVATE, _BIND, _RECURSIVE, _DETACH = 4, 1 << 18, 4096, 16384, 2
_NEW_USER, _NEW_MOUNTS = 0x10000000, 0x00020000
_NUMBERS = {"dri": 226, "kfd": 510, "nvidia0": 195}


def main() -> None:
    """Answer every row of stdin."""
    _mount("none", "/", "", _PRIVATE | _RECURSIVE)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("passwd", USERS), ("group", GROUP)):
            path = Path(folder, name)
            path.write_text(text)
            _mount(str(path), f"/etc/{name}", "", _BIND)
        _mount("tmpfs", "/run", "tmpfs", 0)
        UNIT.parent.mkdir(parents=True)
        for row in json.load(sys.stdin):
            print(json.dumps(_answer(row)), flush=True)
            _umount("/dev")
        _umount("/run")
        for name in ("passwd", "group"):
            _umount(f"/etc/{name}")


def _answer(row: dict[str, Any]) -> dict[str, Any]:
    if "device_list" in row and not (DEVICE_CGROUPS / "devices.list").exists():
        _mount("tmpfs", "/dev", "tmpfs", 0)
        return {"skipped": "no device cgroup of version 1 here"}
    _make_dev(row)
    UNIT.write_text(row.get("unit", ""))
    as_root = _facts(row["path"])
    answer = {"as_root": as_root, **_in_child(row)}
    if row.get("cli"):
        answer["cli"] = _doctor(row["cli"])
    return answer


def _make_dev(row: dict[str, Any]) -> None:
    _mount("tmpfs", "/dev", "tmpfs", _NODEV if row.get("nodev") else 0)
    os.chmod("/dev", 0o755)
    for name, minor in (("null", 3), ("zero", 5), ("urandom", 9)):
        os.mknod(f"/dev/{name}", stat.S_IFCHR | 0o666, os.makedev(1, minor))
        os.chmod(f"/dev/{name}", 0o666)
    path = row["path"]
    top = path.split("/")[2]
    if top == "dri":
        os.mkdir("/dev/dri")
        os.chmod("/dev/dri", int(row.get("folder", "0755"), 8))
        os.chown("/dev/dri", *row.get("folder_owner", (0, 0)))
    if "mode" not in row:
        return
    os.mknod(path, stat.S_IFCHR, os.makedev(_NUMBERS[top], 128))
    os.chown(path, row.get("owner", 0), row.get("group", 109))
    os.chmod(path, int(row["mode"], 8))
    if row.get("acl"):
        subprocess.run(["setfacl", "--no-mask", "-m", row["acl"], path], check=True)


def _facts(path: str) -> dict[str, Any]:
    """Return what a probe says here and now, as this user."""
    host = LiveHost()
    nodes = probe_nodes(host)
    found = [node for node in nodes if node.path == path] if isinstance(nodes, tuple) else []
    user = probe_user(host)
    snapshot = Snapshot(device_nodes=tuple(found), user=user)
    facts: dict[str, Any] = msgspec.to_builtins(snapshot)
    facts["gpu_groups"] = msgspec.to_builtins(probe_gpu_groups(host))
    return facts


def _in_child(row: dict[str, Any]) -> dict[str, Any]:
    """Return facts and errno as the row's identity, in a user namespace if it wants one."""
    answered, answering = os.pipe()
    ready, readying = os.pipe()
    mapped, mapping = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(answering, json.dumps(_as_identity(row, readying, mapped)).encode())
        finally:
            os._exit(0)
    os.close(answering)
    if "namespace" in row:
        os.read(ready, 1)
        for name in ("uid", "gid"):
            lines = "".join(" ".join(map(str, line)) + "\n" for line in row["namespace"][name])
            if lines:
                Path(f"/proc/{pid}/{name}_map").write_text(lines)
        os.write(mapping, b".")
    with os.fdopen(answered, "rb") as pipe:
        answer: dict[str, Any] = json.loads(pipe.read())
    os.waitpid(pid, 0)
    _leave_device_cgroup(pid)
    for descriptor in (ready, readying, mapped, mapping):
        os.close(descriptor)
    return answer


def _as_identity(row: dict[str, Any], readying: int, mapped: int) -> dict[str, Any]:
    groups = row.get("groups", [])
    if "device_list" in row:
        _join_device_cgroup(row["device_list"])
    if row.get("private_devices"):
        _hide_dri()
    if "namespace" in row and row["namespace"].get("keep_groups"):
        os.setgroups(groups)
    if "namespace" in row:
        if _LIBC.unshare(_NEW_USER):
            raise OSError(ctypes.get_errno(), "unshare")
        os.write(readying, b".")
        os.read(mapped, 1)
    if not row.get("namespace", {}).get("keep_groups"):
        os.setgroups(groups)
    if row.get("without_capabilities"):
        _drop_bounding_set()
    gid, uid = row.get("gid", row["uid"]), row["uid"]
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    # A process that changed its ids may not look at itself in /proc until it is dumpable again.
    _LIBC.prctl(4, 1, 0, 0, 0)
    if row.get("without_capabilities"):
        _clear_capabilities()
    facts = _facts(row["path"])
    return {"own": facts, "errno": _open(row["path"]), "namespace": _is_mapped()}


def _join_device_cgroup(allowed: list[str]) -> None:
    """Do what a container engine or systemd's DevicePolicy= does: only these, and /dev/null."""
    group = DEVICE_CGROUPS / f"clprobe-test-{os.getpid()}"
    group.mkdir()
    (group / "devices.deny").write_text("a")
    for line in ("c 1:* rwm", *allowed):
        (group / "devices.allow").write_text(line)
    (group / "cgroup.procs").write_text(str(os.getpid()))


def _leave_device_cgroup(pid: int) -> None:
    group = DEVICE_CGROUPS / f"clprobe-test-{pid}"
    if group.exists():
        group.rmdir()


def _hide_dri() -> None:
    """Do what PrivateDevices= does: a /dev of its own, without hardware."""
    if _LIBC.unshare(_NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "unshare")
    _mount("tmpfs", "/dev/dri", "tmpfs", 0)


def _is_mapped() -> bool:
    return Path("/proc/self/uid_map").read_text().split() != ["0", "0", "4294967295"]


def _open(path: str) -> str | None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return None


def _drop_bounding_set() -> None:
    for capability in range(64):
        _LIBC.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def _clear_capabilities() -> None:
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if _LIBC.capset(header, (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capset")


def _doctor(arguments: list[str]) -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor", "--json", "--timeout", "5", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "OCL_ICD_VENDORS": "/nonexistent"},
    )
    document: dict[str, Any] = json.loads(result.stdout) if result.stdout else {}
    return {"status": result.returncode, "document": document, "stderr": result.stderr}


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    if _LIBC.mount(source.encode(), target.encode(), kind.encode(), flags, None):
        raise OSError(ctypes.get_errno(), f"mount {target}")


def _umount(target: str) -> None:
    if _LIBC.umount2(target.encode(), _DETACH):
        raise OSError(ctypes.get_errno(), f"umount {target}")


if __name__ == "__main__":
    main()
