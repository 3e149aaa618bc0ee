# SPDX-License-Identifier: MIT
"""`clprobe snapshot --from`: somebody's paste or raw snapshot becomes one that may be posted."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from clprobe.cli.snapshot import command

_PASTE = """\
eve@canary-host:~$ id
uid=1000(eve) gid=1000(eve) groups=1000(eve),44(video)
eve@canary-host:~$ ls -l /dev/dri
crw-rw----+ 1 root render 226, 128 Nov 21 10:43 renderD128
eve@canary-host:~$ uname -a
Linux canary-host 6.8.0-51-generic #52-Ubuntu SMP x86_64 GNU/Linux
eve@canary-host:~$ clinfo
clinfo: /home/eve/lib/libOpenCL.so.1: serial number PF2X4K7Q is odd, says eve at 203.0.113.77
"""


def _run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=given, standalone_mode=False)


def test_a_paste_becomes_a_snapshot_without_its_names() -> None:
    result = _run("--from", "-", given=_PASTE)
    document = json.loads(result.stdout)
    assert document["user"]["name"] == "user"
    assert document["system"]["linux"]["release"] == "6.8.0-51-generic"
    assert not any(word in result.stdout for word in ("eve", "canary", "PF2X4K7Q", "203.0.113"))
    assert "names of people" in result.stderr


def test_a_snapshot_with_names_is_scrubbed_and_a_scrubbed_one_stays(tmp_path: Path) -> None:
    raw, once, twice = (tmp_path / name for name in ("raw.yaml", "once.json", "twice.json"))
    raw.write_text(
        "user: {uid: 1000, name: eve}\nicds: [{path: /home/eve/x.icd}]\n"
        "environment: {SECRET: hidden, LD_LIBRARY_PATH: /home/eve/lib}\n"
    )
    _run("--from", str(raw), "--output", str(once))
    _run("--from", str(once), "--output", str(twice))
    assert once.read_text() == twice.read_text()
    document = json.loads(once.read_text())
    assert document["icds"] == [{"path": "/home/user/x.icd"}]
    assert document["environment"] == {"LD_LIBRARY_PATH": "/home/user/lib"}
    assert document["scrubbed"]["environment-variable"] == 1
