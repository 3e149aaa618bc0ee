# SPDX-License-Identifier: MIT
"""Files and folders of the system."""

import json

from clprobe.commands.lines import Commands, commands_of, in_shell, is_of_system
from clprobe.model import action as actions
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


@commands_of.register
def _(action: actions.MakeFolder) -> Commands:
    return Commands(
        argv=("install", "-d", "-m", "0755", action.path),
        needs_root=True,
        verify=("test", "-d", action.path),
    )


@commands_of.register
def _(action: actions.FetchKey) -> Commands:
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


@commands_of.register
def _(action: actions.WriteFile) -> Commands:
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


@in_shell.register
def _(action: actions.FetchKey, sudo: str) -> str:
    path, url = shell_word(action.path), shell_word(action.url)
    keys = f"gpg --show-keys --with-colons {path} | awk -F: {shell_word(_PRIMARY_KEYS)}"
    return (
        f"{sudo}curl -fsSL -o {path} {url}"
        # Without its key, the repository is not taken.
        f' && test "$({keys})" = {action.fingerprint} || {sudo}rm -f {path}'
    )


@in_shell.register
def _(action: actions.WriteFile, sudo: str) -> str:
    lines = " ".join(shell_word(line) for line in action.text.splitlines())
    path, folder = shell_word(action.path), action.path.rpartition("/")[0]
    made = "" if folder in _THERE else f"{sudo}mkdir -p {shell_word(folder)} && "
    return f"{made}printf '%s\\n' {lines} | {sudo}tee {path}"


@commands_of.register
def _(action: actions.PutAside) -> Commands:
    aside = f"{action.path}.disabled"
    return Commands(
        argv=("mv", action.path, aside),
        needs_root=is_of_system(action.path),
        undo=("mv", aside, action.path),
    )


_PERMITS = {"read": "a+r", "pass": "a+x", "list": "a+rx", "use": "a+rw", "own": "ug+rw"}


@commands_of.register
def _(action: actions.Permit) -> Commands:
    return Commands(
        argv=("chmod", _PERMITS[action.what], action.path),
        needs_root=is_of_system(action.path),
        undo=None if action.mode is None else ("chmod", action.mode, action.path),
    )


@commands_of.register
def _(action: actions.CleanIcdFile) -> Commands:
    edits = (r"1s/^\xEF\xBB\xBF//", r"s/^[[:space:]]*//", r"s/[[:space:]]*$//", "/^#/d", "/^$/d")
    flags = tuple(part for edit in edits for part in ("-e", edit))
    return Commands(
        argv=("sed", "-i.before", *flags, action.path),
        needs_root=is_of_system(action.path),
        undo=("mv", f"{action.path}.before", action.path),
    )


@commands_of.register
def _(action: actions.PointIcdAt) -> Commands:
    return Commands(
        argv=("sh", "-c", _WRITE_LINE, "sh", action.path, action.library),
        needs_root=is_of_system(action.path),
        undo=("mv", f"{action.path}.before", action.path),
    )


@commands_of.register
def _(action: actions.LinkFile) -> Commands:
    return Commands(
        argv=("ln", "-s", action.target, action.link),
        needs_root=is_of_system(action.link),
        undo=("rm", action.link),
    )
