# SPDX-License-Identifier: MIT
"""Records this machine as a host for tests: `python tests/hosts/record.py NAME HOW`.

Read the file before you commit it. Changed on the way: the host name, the boot parameters, who
built Linux, the control group, where Debian comes from, and the folder of the Python environment,
which becomes /opt/venv.
"""

import platform
import re
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from recording import RecordingHost

from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost

_BUILDER = re.compile(r"(Linux version \S+ )\(\S+@\S+\) ")
_CONTROL_GROUP = re.compile(r"/[\w/.-]*/[0-9a-f]{32,}")
_MIRROR = re.compile(r"(URIs: https?://)[\w.-]+(?=/debian)")
_FOLDER = Path(__file__).parent


def main(name: str, how: str, folder: Path = _FOLDER) -> None:
    """Write NAME.yaml beside this file."""
    recording = RecordingHost(LiveHost())
    collect(recording.as_host())
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "host.yaml")
        recording.save(
            path,
            machine=f"{platform.machine()}, Linux {platform.release()}",
            recorded=datetime.now(timezone.utc).date().isoformat(),
            how=how,
            scrubbed="host name, boot parameters, who built Linux, control group, Debian's mirror, "
            "Python's folder",
        )
        text = path.read_text()
    release = platform.release()
    text = text.replace(sys.prefix, "/opt/venv").replace(release, release.partition("-")[0])
    text = text.replace(f"node_name: {platform.node()}\n", "node_name: host\n")
    text = _BUILDER.sub(r"\1", text)
    text = _MIRROR.sub(r"\1mirror.debian.org", text)
    for group in set(_CONTROL_GROUP.findall(Path("/proc/self/cgroup").read_text())):
        text = text.replace(group, "/slice/container")
        text = text.replace(f"{group.rpartition('/')[0]}/", "/slice/")
    text = _with_answer(text, "/proc/cmdline", "quiet")
    text = _with_answer(text, "/proc/version", "Linux version")
    (folder / f"{name}.yaml").write_text(text)


def _with_answer(text: str, file: str, answer: str) -> str:
    """Replace the recorded text of a file, which YAML may have broken over several lines."""
    start = text.index(f"    {file}:\n")
    end = re.compile(r"\n {0,4}\S").search(text, start).start()
    return f"{text[:start]}    {file}:\n      answer: {answer}{text[end:]}"


if __name__ == "__main__":
    main(*sys.argv[1:3])
