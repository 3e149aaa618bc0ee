# SPDX-License-Identifier: MIT
"""Collects with a made-up /dev/dri, as some user, in a private mount namespace. Needs root.

No driver answers behind the nodes: opening one gives ENXIO where the permissions allow it, and
EACCES where they do not, which is what the tests tell apart. Nothing stays behind.
"""

import struct
import subprocess
from dataclasses import dataclass

from asking import environment
from everyones_python import everyones_python

from clprobe.model.codec import snapshot_from_text
from clprobe.model.snapshot import Snapshot

_COLLECT = """
from clprobe.model.codec import snapshot_to_json
from clprobe.probe.collect import collect
print(snapshot_to_json(collect(timeout_s=8)))
"""

# $1 is the list of nodes, the rest is the command. The new /dev is a tmpfs with the few devices
# that every program needs.
_MOUNT = """
set -eu
mount --make-rprivate / 2>/dev/null || true
mount -t tmpfs tmpfs /mnt
for device in null zero full random urandom tty; do cp -a /dev/$device /mnt/; done
mkdir /mnt/shm; chmod 1777 /mnt/shm; ln -s /proc/self/fd /mnt/fd
nodes="$1"; shift
[ -z "$nodes" ] || mkdir /mnt/dri
printf '%s' "$nodes" | while read -r name mode uid gid acl; do
    mknod "/mnt/dri/$name" c 226 "${name#renderD}"
    chown "$uid:$gid" "/mnt/dri/$name"; chmod "$mode" "/mnt/dri/$name"
    [ -z "$acl" ] || "$PYTHON" -c "import os, sys
os.setxattr(sys.argv[1], 'system.posix_acl_access', bytes.fromhex(sys.argv[2]))" \
        "/mnt/dri/$name" "$acl"
done
mount --move /mnt /dev
exec "$@"
"""


@dataclass(frozen=True)
class Node:
    """A render node; `acl_user` gets read and write access beyond the mode."""

    mode: str
    uid: int = 0
    gid: int = 109
    acl_user: int | None = None

    def line(self) -> str:
        """Return the node as the script above reads it."""
        acl = "" if self.acl_user is None else acl_text(self.acl_user)
        return f"renderD128 {self.mode} {self.uid} {self.gid} {acl}\n"


def acl_text(uid: int) -> str:
    """Return the attribute of an access list that gives this user read and write access, in hex."""
    nobody = 0xFFFFFFFF
    entries = ((1, 6, nobody), (2, 6, uid), (4, 6, nobody), (16, 6, nobody), (32, 0, nobody))
    parts = (struct.pack("<HHI", *entry) for entry in entries)
    return (struct.pack("<I", 2) + b"".join(parts)).hex()


def collect_as(node: Node | None, *, uid: int = 0, groups: tuple[int, ...] = ()) -> Snapshot:
    """Return the snapshot that the user takes beside the node."""
    become: list[str] = []
    if uid:
        names = f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups"
        become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", names]
    python = everyones_python()
    assert python is not None
    mount = ["unshare", "-m", "sh", "-c", _MOUNT, "sh", node.line() if node else ""]
    result = subprocess.run(
        [*mount, *become, python, "-c", _COLLECT],
        env=environment(PYTHON=python, HOME="/dev"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return snapshot_from_text(result.stdout, name="stdout")


def is_possible() -> bool:
    """Tell whether we may make mount namespaces, and others may run some Python of ours."""
    if everyones_python() is None:
        return False
    return (
        subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
    )
