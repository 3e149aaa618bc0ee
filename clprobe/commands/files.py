# SPDX-License-Identifier: MIT
"""Files and folders of the system."""

import json
from collections.abc import Callable
from typing import Any

from clprobe.commands.lines import Commands, is_of_system
from clprobe.model.action import (
    CleanIcdFile,
    FetchKey,
    LinkFile,
    MakeFolder,
    Permit,
    PointIcdAt,
    PutAside,
    WriteFile,
)
from clprobe.model.mending import Argv
from clprobe.model.shell_words import shell_word

_HOLDS_KEY = (
    "import subprocess, sys, tempfile; file, wanted = sys.argv[1:]; "
    "home = tempfile.mkdtemp(); "
    "said = subprocess.run(['gpg', '--homedir', home, '--batch', '--with-colons', "
    "'--show-keys', file], capture_output=True, text=True, check=True).stdout; "
    "lines = [line.split(':') for line in said.splitlines()]; "
    "keys = [after[9] for line, after in zip(lines, lines[1:]) if line[0] == 'pub']; "
    "sys.exit(0 if keys == [wanted] else f'{file} holds {keys}, and not {wanted} alone')"
)
_PRIMARY_KEYS = '$1 == "pub" {primary = 1} $1 == "fpr" && primary {print $10; primary = 0}'
_THERE = ("/etc/apt/sources.list.d", "/etc/profile.d")
"""Folders that every system has on which something is to be written there."""
# A constant program that takes both names as arguments: in sed's language a path would be code.
_WRITE_LINE = 'cp -p -- "$1" "$1.before" && printf "%s\\n" "$2" > "$1"'


def check_key(path: str, fingerprint: str) -> Argv:
    """Return the command that fails unless the file holds the one key with that fingerprint."""
    return ("python3", "-c", _HOLDS_KEY, path, fingerprint)


def _make_folder(action: MakeFolder) -> Commands:
    return Commands(
        argv=("install", "-d", "-m", "0755", action.path),
        needs_root=True,
        verify=("test", "-d", action.path),
    )


def _fetch_key(action: FetchKey) -> Commands:
    return Commands(
        argv=(
            # The first option: what root's own folder says must not steer it.
            *("curl", "--disable", "--fail", "--silent", "--show-error", "--location"),
            *("--proto", "=https", "--tlsv1.2", "--output", action.path, action.url),
        ),
        needs_root=True,
        undo=("rm", "-f", action.path),
        verify=check_key(action.path, action.fingerprint),
    )


def _write(action: WriteFile) -> Commands:
    # JSON's strings are Python's too, and their double quotes stay readable inside a shell's.
    path, text = json.dumps(action.path), json.dumps(action.text)
    code = (
        f"import pathlib; path = pathlib.Path({path}); "
        f"path.parent.mkdir(parents=True, exist_ok=True); path.write_text({text})"
    )
    return Commands(
        argv=("python3", "-c", code),
        needs_root=True,
        undo=("rm", "-f", action.path),
        verify=("test", "-s", action.path),
    )


def _pasted_key(action: FetchKey, sudo: str) -> str:
    path, url = shell_word(action.path), shell_word(action.url)
    keys = f"gpg --show-keys --with-colons {path} | awk -F: {shell_word(_PRIMARY_KEYS)}"
    return (
        f"{sudo}curl -fsSL -o {path} {url}"
        # Without its key, the repository is not taken.
        f' && test "$({keys})" = {action.fingerprint} || {sudo}rm -f {path}'
    )


def _pasted_text(action: WriteFile, sudo: str) -> str:
    lines = " ".join(shell_word(line) for line in action.text.splitlines())
    path, folder = shell_word(action.path), action.path.rpartition("/")[0]
    made = "" if folder in _THERE else f"{sudo}mkdir -p {shell_word(folder)} && "
    return f"{made}printf '%s\\n' {lines} | {sudo}tee {path}"


def _put_aside(action: PutAside) -> Commands:
    aside = f"{action.path}.disabled"
    return Commands(
        argv=("mv", action.path, aside),
        needs_root=is_of_system(action.path),
        undo=("mv", aside, action.path),
    )


_PERMITS = {"read": "a+r", "pass": "a+x", "list": "a+rx", "use": "a+rw", "own": "ug+rw"}


def _permit(action: Permit) -> Commands:
    return Commands(
        argv=("chmod", _PERMITS[action.what], action.path),
        needs_root=is_of_system(action.path),
        undo=None if action.mode is None else ("chmod", action.mode, action.path),
    )


def _clean(action: CleanIcdFile) -> Commands:
    edits = (r"1s/^\xEF\xBB\xBF//", r"s/^[[:space:]]*//", r"s/[[:space:]]*$//", "/^#/d", "/^$/d")
    flags = tuple(part for edit in edits for part in ("-e", edit))
    return Commands(
        argv=("sed", "-i.before", *flags, action.path),
        needs_root=is_of_system(action.path),
        undo=("mv", f"{action.path}.before", action.path),
    )


def _point(action: PointIcdAt) -> Commands:
    return Commands(
        argv=("sh", "-c", _WRITE_LINE, "sh", action.path, action.library),
        needs_root=is_of_system(action.path),
        undo=("mv", f"{action.path}.before", action.path),
    )


def _link(action: LinkFile) -> Commands:
    return Commands(
        argv=("ln", "-s", action.target, action.link),
        needs_root=is_of_system(action.link),
        undo=("rm", action.link),
    )


BUILDERS: dict[type, Callable[[Any], Commands]] = {
    MakeFolder: _make_folder,
    FetchKey: _fetch_key,
    WriteFile: _write,
    PutAside: _put_aside,
    Permit: _permit,
    CleanIcdFile: _clean,
    PointIcdAt: _point,
    LinkFile: _link,
}
PASTED: dict[type, Callable[[Any, str], str]] = {FetchKey: _pasted_key, WriteFile: _pasted_text}
"""Lines for a shell in place of a command; the second argument is "sudo " or nothing."""
