# SPDX-License-Identifier: MIT
"""Whom a plan is carried out for: real names for its placeholders, and who runs its commands."""

import os
import pwd
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from clprobe.model.action import Action, JoinGroup
from clprobe.model.errors import ClprobeError
from clprobe.model.placeholders import HOME, USER

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What a command may get from our environment: ways to the network, the person, places for files.
_KEPT = (
    *("HOME", "USER", "LOGNAME", "SUDO_USER", "SUDO_UID", "SUDO_GID", "TERM", "TMPDIR"),
    *("http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "all_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "XDG_CACHE_HOME"),
)


class Person(msgspec.Struct, frozen=True):
    """An account of this system."""

    name: str
    uid: int
    gid: int
    home: str

    def named_in(self, action: Action) -> Action:
        """Return the action with name and home folder in place of the stand-ins."""
        changes: dict[str, Any] = {
            field: self._at_home(getattr(action, field)) for field in action.__struct_fields__
        }
        if isinstance(action, JoinGroup) and action.user == USER:
            changes["user"] = self.name
        return replace(action, **changes)

    def options(self, *, as_root: bool) -> dict[str, Any]:
        """Return what makes subprocess run a command as this person, or as whom we are."""
        ours = environment(os.environ)
        if os.geteuid() != 0 or self.uid == 0:
            return {"env": ours}
        if as_root:
            return {"env": _of_root(ours)}
        named = {"HOME": self.home, "USER": self.name, "LOGNAME": self.name}
        groups = os.getgrouplist(self.name, self.gid)
        ids = {"user": self.uid, "group": self.gid, "extra_groups": groups}
        return {"env": {**ours, **named}, **ids}

    def _at_home(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._at_home, value))
        if isinstance(value, str) and (value == HOME or value.startswith(f"{HOME}/")):
            return self.home + value[len(HOME) :]
        return value


def find_person() -> Person:
    """Return the account of whoever ran clprobe, behind sudo too.

    Raises: ClprobeError if there is no such account; a name is never taken on trust.
    """
    stated = os.environ.get("SUDO_USER") or os.environ.get("DOAS_USER") or ""
    try:
        behind_sudo = os.geteuid() == 0 and stated
        found = pwd.getpwnam(stated) if behind_sudo else pwd.getpwuid(os.getuid())
    except KeyError as error:
        who = f"{stated!r}, as SUDO_USER says," if stated else f"user id {os.getuid()}"
        raise ClprobeError(
            reference="no-such-account",
            message=f"You are {who} but there is no such account.",
            hint="Run it as a user whom the account database knows, with sudo called afresh.",
        ) from error
    return Person(found.pw_name, found.pw_uid, found.pw_gid, found.pw_dir)


def _of_root(ours: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without what sudo may have kept of the person's own settings.

    pip and curl read files of HOME and, pip, PIP_*: with them the person would choose what root
    gets, and from where; in a TMPDIR of theirs, what pip is about to run could be replaced. Root's
    own files and those of the system count.
    """
    own = ("PIP_NO_INPUT", "PIP_DISABLE_PIP_VERSION_CHECK")
    kept = {
        name: value
        for name, value in ours.items()
        if (name[:4] != "PIP_" or name in own) and name not in ("XDG_CACHE_HOME", "TMPDIR")
    }
    root = pwd.getpwuid(0)
    return {**kept, "HOME": root.pw_dir, "USER": root.pw_name, "LOGNAME": root.pw_name}


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for commands: English, and nothing that loads code of our caller."""
    kept = {name: value for name, value in ours.items() if name in _KEPT or name[:4] == "PIP_"}
    return {
        **kept,
        "PATH": _PATH,
        "LC_ALL": "C.UTF-8",
        "LANGUAGE": "C",
        "DEBIAN_FRONTEND": "noninteractive",
        "PYTHONSAFEPATH": "1",
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
