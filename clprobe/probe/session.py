# SPDX-License-Identifier: MIT
"""The log-in session: at the desk, remote, or none at all; read from logind's own files."""

import re

from clprobe.model.system import Session
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, ask_text
from clprobe.probe.host import Host
from clprobe.probe.linux.control_groups import SYSTEM_SERVICE

_SESSIONS = "/run/systemd/sessions"
_SESSION_SCOPE = re.compile(r"/session-([\w-]+)\.scope")
_USER_MANAGER = re.compile(r"/user@\d+\.service(/|$)")
# Log-in programs whose processes stand in their own service where no session was opened.
_REMOTE_SIGNS = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")
_EDITOR_SIGNS = ("VSCODE_IPC_HOOK_CLI", "VSCODE_AGENT_FOLDER", "REMOTE_CONTAINERS")
_KEEPERS = {"tmux: server": "tmux", "tmux": "tmux", "screen": "screen", "SCREEN": "screen"}


def probe_session(host: Host, uid: int, name: str | Unknown | None) -> Session:
    """Return what session this process belongs to, as far as logind and the shell tell."""
    identifier = _identifier(host, uid)
    kept_by = _kept_by(host, uid, name)
    if isinstance(identifier, Unknown):
        return Session(kind=identifier, seat=identifier, active=identifier, kept_by=kept_by)
    fields = None if identifier is None else _fields(host, f"{_SESSIONS}/{identifier}")
    if fields is None or isinstance(fields, Unknown):
        kind = _kind_without_session(host)
        return Session(kind=kind, seat=None, active=False, kept_by=kept_by)
    seat = fields.get("SEAT") or None
    return Session(
        kind=_kind(fields, seat, host),
        seat=seat,
        active=fields.get("ACTIVE") == "1",
        kept_by=kept_by,
    )


def _identifier(host: Host, uid: int) -> str | Unknown | None:
    """Return the session's name; None if the process belongs to none."""
    groups = ask_text(host.read, "/proc/self/cgroup")
    if isinstance(groups, Unknown):
        return groups
    if found := _SESSION_SCOPE.search(groups):
        return found[1]
    environment = host.environment()
    if _USER_MANAGER.search(groups):
        # Desktops start programs below the user's manager; the display session is theirs.
        state = _fields(host, f"/run/systemd/users/{uid}")
        display = state.get("DISPLAY") if isinstance(state, dict) else None
        return environment.get("XDG_SESSION_ID") or display
    return None if SYSTEM_SERVICE.search(groups) else environment.get("XDG_SESSION_ID")


def _kind(fields: dict[str, str], seat: str | None, host: Host) -> str:
    if fields.get("REMOTE") == "1" or _is_remote(host):
        return "remote"
    if fields.get("CLASS", "user").startswith(("background", "manager")):
        return "service"  # cron and the like
    return "local" if seat or fields.get("TYPE") == "tty" else "service"


def _kind_without_session(host: Host) -> str | None:
    if _is_remote(host):
        return "remote"
    groups = ask_text(host.read, "/proc/self/cgroup")
    is_service = isinstance(groups, str) and SYSTEM_SERVICE.search(groups)
    return "service" if is_service else None


def _is_remote(host: Host) -> bool:
    environment = host.environment()
    return any(name in environment for name in _REMOTE_SIGNS)


def _fields(host: Host, path: str) -> dict[str, str] | Unknown:
    text = ask_text(host.read, path)
    if isinstance(text, Unknown):
        return text
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, _, value in pairs}


def _kept_by(host: Host, uid: int, name: str | Unknown | None) -> str | Unknown | None:
    """Return what lets processes of this user outlive a log-out, with their old groups."""
    ancestors = ask(host.ancestors)
    if isinstance(ancestors, Unknown):
        return ancestors
    own = [process.name for process in ancestors if process.uid == uid]
    if keeper := next((_KEEPERS[comm] for comm in own if comm in _KEEPERS), None):
        return keeper
    environment = host.environment()
    if any(sign in environment for sign in _EDITOR_SIGNS):
        return "an editor's server"
    if not isinstance(name, str):
        return None
    try:
        host.link_status(f"/var/lib/systemd/linger/{name}")
    except OSError as error:
        return None if error.errno in ABSENT else Unknown(str(error.strerror))
    return "user-manager"
