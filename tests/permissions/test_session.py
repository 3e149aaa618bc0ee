# SPDX-License-Identifier: MIT
"""Which session a process belongs to, by logind's files and the shell's variables."""

from pathlib import Path
from typing import Any

import pytest
from invented import invented_host

from clprobe.model.system import Session
from clprobe.probe.user import probe_session

SCOPE = "0::/user.slice/user-1000.slice/session-3.scope\n"
MANAGER = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-term.scope\n"
SERVICE = "0::/system.slice/jellyfin.service\n"
AT_DESK = "UID=1000\nREMOTE=0\nSEAT=seat0\nACTIVE=1\nTYPE=wayland\nCLASS=user\n"
OVER_SSH = "# private\nUID=1000\nREMOTE=1\nACTIVE=1\nTYPE=tty\nCLASS=user\n"
OF_CRON = "UID=1000\nREMOTE=0\nACTIVE=0\nTYPE=unspecified\nCLASS=background\n"
SESSION = "/run/systemd/sessions/3"


def _session(folder: Path, files: dict[str, str], **answers: Any) -> Session:
    asked = {"environment": {"": {}}, "ancestors": {"": []}, "read": files, **answers}
    return probe_session(invented_host(folder, asked), 1000, "alice")


@pytest.mark.parametrize(
    ("cgroup", "session", "variables", "expected"),
    [
        (SCOPE, AT_DESK, {}, ("local", "seat0", True)),
        (SCOPE, AT_DESK.replace("ACTIVE=1", "ACTIVE=0"), {}, ("local", "seat0", False)),
        (SCOPE, OVER_SSH, {}, ("remote", None, True)),
        (SCOPE, OF_CRON, {}, ("service", None, False)),
        (MANAGER, AT_DESK, {"XDG_SESSION_ID": "3"}, ("local", "seat0", True)),
        (MANAGER, OVER_SSH, {"XDG_SESSION_ID": "3", "SSH_CONNECTION": "set"},
         ("remote", None, True)),
        (SERVICE, AT_DESK, {}, ("service", None, False)),
        (SERVICE, AT_DESK, {"SSH_CONNECTION": "set"}, ("remote", None, False)),
        ("0::/\n", AT_DESK, {}, (None, None, False)),
    ],
    ids=["desk", "in the background", "ssh", "cron", "desktop program", "ssh user manager",
         "service", "sshd without logind", "container"],
)  # fmt: skip
def test_the_session_is_the_one_of_the_process(
    tmp_path: Path,
    cgroup: str,
    session: str,
    variables: dict[str, str],
    expected: tuple[object, ...],
) -> None:
    files = {"/proc/self/cgroup": cgroup, SESSION: session}
    found = _session(tmp_path, files, environment={"": variables})
    assert (found.kind, found.seat, found.active) == expected


def test_a_desktop_without_variable_is_found_by_the_users_display_session(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": MANAGER,
        "/run/systemd/users/1000": "NAME=alice\nDISPLAY=3\n",
        SESSION: AT_DESK,
    }
    assert _session(tmp_path, files).seat == "seat0"


@pytest.mark.parametrize(
    ("answers", "kept_by"),
    [
        ({"ancestors": {"": [{"name": "tmux: server", "uid": 1000, "groups": [1000]}]}}, "tmux"),
        ({"ancestors": {"": [{"name": "tmux: server", "uid": 0, "groups": [0]}]}}, None),
        ({"environment": {"": {"VSCODE_AGENT_FOLDER": "x"}}}, "an editor's server"),
        ({"link_status": {"/var/lib/systemd/linger/alice": {"kind": "file", "mode": 420}}},
         "user-manager"),
        ({}, None),
    ],
    ids=["tmux", "another's tmux", "editor", "lingering", "nothing"],
)  # fmt: skip
def test_what_keeps_old_groups_alive_is_named(
    tmp_path: Path, answers: dict[str, Any], kept_by: str | None
) -> None:
    files = {"/proc/self/cgroup": SCOPE, SESSION: AT_DESK}
    assert _session(tmp_path, files, **answers).kept_by == kept_by
