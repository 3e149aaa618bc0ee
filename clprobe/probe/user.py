# SPDX-License-Identifier: MIT
"""Who runs this: the groups of the process, those of the database, and the log-in session."""

import re

from msgspec.structs import replace

from clprobe.model.placeholders import SUDO_CALLER, is_person
from clprobe.model.snapshot import Perspective, Snapshot
from clprobe.model.system import Group, Session, User
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, ask_text
from clprobe.probe.host import Account, Host
from clprobe.probe.linux.limits import SYSTEM_SERVICE

GPU_GROUPS = ("render", "video")
_CAP_DAC_OVERRIDE = 1


def probe_user(host: Host) -> User:
    """Return the effective user; after `usermod` the two lists of groups differ until log-in."""
    identity = ask(host.identity)
    if isinstance(identity, Unknown):
        return User(uid=identity, name=identity, groups=identity, database_groups=identity)
    name = ask(host.user_name, identity.uid)
    gids = tuple(dict.fromkeys((identity.gid, *identity.groups)))
    capabilities = ask(host.capabilities)
    return User(
        uid=identity.uid,
        name=name,
        groups=named_groups(host, gids),
        database_groups=_database_groups(host, name, identity.gid),
        overrides_permissions=capabilities
        if isinstance(capabilities, Unknown)
        else bool(capabilities >> _CAP_DAC_OVERRIDE & 1),
        session=probe_session(host, identity.uid, name),
    )


def probe_sudo_caller(host: Host) -> tuple[Perspective, ...]:
    """Return, for root by sudo, the user behind it with the groups of the database; no name."""
    uid = host.environment().get("SUDO_UID", "")
    identity = ask(host.identity)
    if isinstance(identity, Unknown) or identity.uid != 0 or not uid.isdecimal() or uid == "0":
        return ()
    groups = _database_groups(host, ask(host.user_name, int(uid)), int(uid))
    if not isinstance(groups, Unknown):
        # A person's own group has the person's name.
        groups = tuple(
            replace(group, name=None) if is_person(group.gid) else group for group in groups
        )
    user = User(uid=int(uid), groups=groups, database_groups=groups)
    return (Perspective(who=SUDO_CALLER, facts=Snapshot(user=user)),)


def probe_gpu_groups(host: Host) -> tuple[Group, ...] | Unknown:
    """Return the groups that udev rules give GPU nodes to, with their numbers here."""
    found = []
    for name in GPU_GROUPS:
        gid = ask(host.group_id, name)
        if isinstance(gid, Unknown):
            return gid
        if gid is not None:
            found.append(Group(gid=gid, name=name))
    return tuple(found)


def named_groups(host: Host, gids: tuple[int, ...]) -> tuple[Group, ...]:
    """Return the groups with their names, where they have any."""
    return tuple(Group(gid=gid, name=ask(host.group_name, gid)) for gid in gids)


def _database_groups(
    host: Host, name: str | Unknown | None, gid: int
) -> tuple[Group, ...] | Unknown:
    if isinstance(name, Unknown):
        return name
    if name is None:
        return Unknown("the user id has no name, so the group database cannot be asked")
    account = ask(host.account, name)
    # The account's own group, not that of this process: newgrp and sg change the latter.
    own = account.gid if isinstance(account, Account) else gid
    gids = ask(host.database_groups, name, own)
    return gids if isinstance(gids, Unknown) else named_groups(host, gids)


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
