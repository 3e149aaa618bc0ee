# SPDX-License-Identifier: MIT
"""`doctor --as` as programs call it: on a snapshot, and with users that do not exist."""

import json
import subprocess
import sys
from typing import Any

import pytest

NODE = {"path": "/dev/dri/renderD128", "kind": "render", "uid": 0, "gid": 109, "group": "render",
        "mode": "0660", "acl": [], "open_error": None}  # fmt: skip
SEEN = {"viewer": "clinfo", "answer": {"platforms": [{"devices": [{"type": "gpu"}]}]}}
ROOTS = {"user": {"uid": 0, "name": "root", "groups": [{"gid": 0, "name": "root"}]},
         "device_nodes": [NODE], "views": [SEEN]}  # fmt: skip


def _doctor(*argv: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor", *argv],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("asked", "status", "root_cause", "errno", "asked_as"),
    [
        ("1000:1000", 1, "render-node-not-accessible", "EACCES", "user 1000"),
        ("1000:1000,109", 0, None, None, "user 1000"),
        ("root", 0, None, None, None),
    ],
)
def test_a_snapshot_is_judged_for_the_user_who_is_asked_about(
    asked: str, status: int, root_cause: str | None, errno: str | None, asked_as: str | None
) -> None:
    result = _doctor("--from", "-", "--as", asked, "--json", given=json.dumps(ROOTS))
    document: dict[str, Any] = json.loads(result.stdout)
    assert (result.returncode, document["root_cause"]) == (status, root_cause)
    assert document["nodes"][0]["errno"] == errno
    assert document["asked_as"] == asked_as


@pytest.mark.parametrize(
    ("argv", "given", "reference"),
    [
        (("--from", "-", "--as", "bob"), json.dumps(ROOTS), "user-not-in-snapshot"),
        (("--as", "nobdoy"), None, "no-such-user"),
        (("--as", "0:no-such-group-here"), None, "no-such-group"),
        (("--as", "no-such-unit.service"), None, "no-such-service"),
        (("--as", "\x1b[2J"), None, "no-such-user"),
    ],
)
def test_an_unknown_user_is_a_usage_error_with_a_hint(
    argv: tuple[str, ...], given: str | None, reference: str
) -> None:
    result = _doctor(*argv, given=given)
    assert (result.returncode, result.stdout) == (2, "")
    assert reference in result.stderr
    assert "\x1b" not in result.stderr
    assert "  fix: " in result.stderr


def test_the_screen_says_for_whom_it_answers() -> None:
    screen = _doctor("--from", "-", "--as", "1000:1000", given=json.dumps(ROOTS)).stdout
    assert "Asked for user 1000" in screen
    assert "User 1000 cannot open /dev/dri/renderD128" in screen
