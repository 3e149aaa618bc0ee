# SPDX-License-Identifier: MIT
"""A private host full of names and secrets, in namespaces of its own. Needs root.

/etc, /home, /dev and /var/log are replaced by temporary ones; nothing stays behind.
"""

import os
import subprocess
from pathlib import Path

from asking import environment
from everyones_python import everyones_python
from faults import SOURCE, compile_driver

UID, OTHER_UID, GROUP = 1001, 1002, 2109
TEXT = (
    "mallory said: serial number PF2X4K7Q, 52:54:00:ab:cd:ef, 2001:db8::4242, 203.0.113.77, "
    "6a3f9d2e-1c4b-4d8a-9e7f-0b1c2d3e4f50, kanary@mail.example.org, token=hunter2hunter2, "
    "ghp_0123456789abcdefABCDEF0123456789abcd, 0123456789abcdef0123456789abcdef, "
    "/data/quentin/lib, quentin@canarybird, Kanarienvogel, "
    "https://mallory:pazzword@repo.example.org/"
)
# How each occurs in what the probe reads; in lower case, for documents may change that.
CANARIES = (
    "mallory", "kanarienvogel", "quentin", "tarantula", "canarybird", "pf2x4k7q",
    "52:54:00:ab:cd:ef", "2001:db8::4242", "203.0.113.77", "6a3f9d2e-1c4b", "kanary@mail",
    "hunter2", "ghp_0123456789", "0123456789abcdef0123456789abcdef", "pazzword", "s3cr3tvalue",
)  # fmt: skip

_SECRETS = {"AWS_SECRET_ACCESS_KEY": "s3cr3tvalue", "OCL_ICD_TOKEN": "hunter2hunter2"}
_TALK = f"""
#include <stdio.h>
__attribute__((constructor)) static void talk(void) {{ fputs("{TEXT}\\n", stderr); }}
"""
_PYOPENCL = f"raise ImportError({TEXT!r})\n"
# $1 is the folder of our files, $2 the group of the node, the rest is the command.
_PREPARE = """
set -eu
mount --make-rprivate / 2>/dev/null || true
files="$1"; group="$2"; shift 2
hostname canarybird.corp.example.net
become() { mount -t tmpfs tmpfs /mnt; }
become; cp -a /etc/. /mnt/; cp -r "$files/etc/." /mnt/
# Whoever has our numbers on this machine would be named in place of our people.
for base in passwd group; do
  grep -vE '^[^:]*:[^:]*:(1001|1002|2109):' /etc/$base | cat - "$files/$base" > /mnt/$base
done
mount --move /mnt /etc
become; cp -r "$files/home/." /mnt/; chown -R 1001:1001 /mnt/mallory; mount --move /mnt /home
become; cp "$files/kern.log" /mnt/; mount --move /mnt /var/log
become
for device in null zero full random urandom tty; do cp -a /dev/$device /mnt/; done
mkdir /mnt/shm /mnt/dri; chmod 1777 /mnt/shm; ln -s /proc/self/fd /mnt/fd
mknod /mnt/dri/renderD128 c 226 128; chown "1002:$group" /mnt/dri/renderD128
chmod 0660 /mnt/dri/renderD128
"$PYTHON" -c "import os
os.setxattr('/mnt/dri/renderD128', 'system.posix_acl_access', bytes.fromhex('$ACL'))"
mount --move /mnt /dev
mount --bind "$files/cmdline" /proc/cmdline
[ -z "${AS_ROOT:-}" ] || exec sh -c "$@"
exec setpriv --reuid=1001 --regid=1001 --groups="$group" sh -c "$@"
"""


def prepare(folder: Path, acl: str) -> dict[str, str]:
    """Write all files below `folder`; return the environment for `run_there`."""
    folder.chmod(0o755)
    home = folder / "home/mallory"
    for name in ("lib", "vendors", "venv/site-packages/pyopencl"):
        (home / name).mkdir(parents=True)
    talk = folder / "talk.c"
    talk.write_text(_TALK)
    options = (str(talk), f"-DBUILD_LOG={_quoted(TEXT)}", '-DNAME="mallory at canarybird"')
    library = compile_driver(home / "lib", "build_fail", *options, source=SOURCE)
    (home / "vendors/talk.icd").write_text(f"/home/mallory/lib/{library.name}\n")
    (home / "vendors/gone.icd").write_text("/data/quentin/lib/libgone.so\n# " + TEXT)
    (home / "venv/site-packages/pyopencl/__init__.py").write_text(_PYOPENCL)
    etc = folder / "etc"
    (etc / "apt/sources.list.d").mkdir(parents=True)
    source = "deb https://mallory:pazzword@repo.canarybird.corp.example.net/intel jammy main\n"
    (etc / "apt/sources.list.d/planted.list").write_text(source)
    (etc / "hostname").write_text("canarybird.corp.example.net\n")
    (etc / "machine-id").write_text("0123456789abcdef0123456789abcdef\n")
    (folder / "passwd").write_text(
        f"mallory:x:{UID}:{UID}:Mallory Kanarienvogel,,,:/home/mallory:/bin/sh\n"
        f"quentin:x:{OTHER_UID}:{OTHER_UID}:Quentin Tarantula:/data/quentin:/bin/sh\n"
    )
    (folder / "group").write_text(
        f"mallory:x:{UID}:\nquentin:x:{OTHER_UID}:\ngpu-users:x:{GROUP}:mallory\n"
    )
    release = os.uname().release
    (folder / "kern.log").write_text(
        f"Nov 21 10:00:00 canarybird kernel: [    0.0] Linux version {release} (m@canarybird)\n"
        f"Nov 21 10:00:00 canarybird kernel: [    0.1] i915 0000:00:02.0: [drm] {TEXT}\n"
    )
    (folder / "cmdline").write_text(
        "root=UUID=6a3f9d2e-1c4b-4d8a-9e7f-0b1c2d3e4f50 ip=203.0.113.77 i915.enable_guc=2 "
        "password=hunter2 -- s3cr3tvalue\n"
    )
    return environment(
        PYTHON=everyones_python() or "", ACL=acl, PYTHONPATH="/home/mallory/venv/site-packages",
        HOME="/home/mallory", USER="mallory", OCL_ICD_VENDORS="/home/mallory/vendors/",
        LD_LIBRARY_PATH="/home/mallory/lib:/data/quentin/lib", POCL_CACHE_DIR=f"/data/{TEXT}",
        SSH_CONNECTION="203.0.113.77 22 203.0.113.77 22",
        CONDA_PREFIX="/data/quentin/conda", **_SECRETS,
    )  # fmt: skip


def run_there(folder: Path, variables: dict[str, str], command: str) -> str:
    """Return what a shell prints that runs `command` on the private host as mallory.

    With AS_ROOT among the variables it is root, as sudo makes it.
    """
    result = subprocess.run(
        ["unshare", "-m", "-u", "sh", "-c", _PREPARE, "sh", str(folder), str(GROUP), command],
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def _quoted(text: str) -> str:
    return f'"{text}"'
