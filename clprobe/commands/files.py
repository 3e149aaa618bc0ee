# SPDX-License-Identifier: MIT
"""Files and folders of the system."""

import json

from clprobe.commands.lines import (
    Commands,
    commands_of,
    holds_line,
    in_shell,
    is_of_system,
    shell,
    typed,
)
from clprobe.model import action as actions
from clprobe.model.mending import Argv
from clprobe.model.shell_words import shell_word

_HOLDS_KEY = (
    "import subprocess, sys, tempfile; file, *wanted = sys.argv[1:]; "
    "home = tempfile.mkdtemp(); "
    "said = subprocess.run(['gpg', '--homedir', home, '--batch', '--with-colons', "
    "'--show-keys', file], capture_output=True, text=True, check=True).stdout; "
    "lines = [line.split(':') for line in said.splitlines()]; "
    "keys = [after[9] for line, after in zip(lines, lines[1:]) if line[0] == 'pub']; "
    "sys.exit(0 if keys == wanted else f'{file} holds {keys}, and not {wanted} alone')"
)
# Their fingerprints, in one line.
_PRIMARY_KEYS = (
    '$1 == "pub" {primary = 1} '
    '$1 == "fpr" && primary {printf "%s%s", gap, $10; gap = " "; primary = 0}'
)
_THERE = ("/etc/apt/sources.list.d", "/etc/profile.d")
"""Folders that every system has on which something is to be written there."""
# Constant programs that take names as arguments: in sed's language a path would be code.
_KEEP_AND_WRITE = 'cp -p -- "$1" "$1.before" && printf "%s\\n" "$2" > "$1"'
_WRITE_LINE = 'printf "%s\\n" "$2" > "$1"'
_IS_ASIDE = 'test ! -e "$1" && test ! -L "$1" && { test -e "$2" || test -L "$2"; }'
_LEADS_TO = 'test "$(readlink "$1")" = "$2"'
_HAS_BITS = (
    "import os, sys; path, bits = sys.argv[1], int(sys.argv[2], 8); "
    "sys.exit(os.stat(path).st_mode & bits != bits)"
)
_HOLDS_ONE_NAME = (
    "import pathlib, sys; text = pathlib.Path(sys.argv[1]).read_text('utf-8'); "
    "line = text.removesuffix('\\n'); "
    "sys.exit(not line or line != line.strip() or line[0] in '#\\ufeff' or '\\n' in line)"
)
_EDITS = (r"1s/^\xEF\xBB\xBF//", r"s/^[[:space:]]*//", r"s/[[:space:]]*$//", "/^#/d", "/^$/d")
_CLEANING = tuple(part for edit in _EDITS for part in ("-e", edit))


def check_key(path: str, *fingerprints: str) -> Argv:
    """Return the command that fails unless the file holds the keys of those fingerprints alone."""
    return ("python3", "-c", _HOLDS_KEY, path, *fingerprints)


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
        verify=check_key(action.path, *action.fingerprints),
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
    wanted = shell_word(" ".join(action.fingerprints))
    return (
        f"{sudo}curl -fsSL -o {path} {url}"
        # Without its key, the repository is not taken.
        f' && test "$({keys})" = {wanted} || {sudo}rm -f {path}'
    )


@in_shell.register
def _(action: actions.WriteFile, sudo: str) -> str:
    lines = " ".join(shell_word(line) for line in action.text.splitlines())
    path, folder = shell_word(action.path), action.path.rpartition("/")[0]
    made = "" if folder in _THERE else f"{sudo}mkdir -p {shell_word(folder)} && "
    return f"{made}printf '%s\\n' {lines} | {sudo}tee {path}"


_HAVE_HASHES = (
    "import hashlib, pathlib, sys; words = sys.argv[1:]; "
    "digest = lambda file: hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest(); "
    "wrong = [file for file, one in zip(words[::2], words[1::2]) if digest(file) != one]; "
    "sys.exit(f'other files than those meant: {wrong}' if wrong else 0)"
)


@commands_of.register
def _(action: actions.CheckHashes) -> Commands:
    words = (word for pair in action.files for word in pair)
    return Commands(argv=("python3", "-c", _HAVE_HASHES, *words))


@in_shell.register
def _(action: actions.CheckHashes, sudo: str) -> str:
    del sudo
    words = " ".join(f"{digest} {shell_word(file)}" for file, digest in action.files)
    return f"printf '%s  %s\\n' {words} | sha256sum --check"


_ADD_SOURCES = """\
import subprocess, sys
path, codename, suite, *wanted = sys.argv[1:]
suite = "" if suite == "-" else suite
form = "$(COMPONENT) $(CODENAME) $(RELEASE) $(REPO_URI) $(SOURCESENTRY)"
asked = ["apt-get", "indextargets", "--format", form, "Created-By: Packages"]
said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
rows = sorted({tuple(line.split()[:5]) for line in said.splitlines() if len(line.split()) > 4})
ours = [r for r in rows if r[0] == "main" and r[1].startswith(codename)]
text = ""
for _, name, release, uri, entry in ours:
    if suite and name != codename:
        continue
    have = {r[0] for r in rows if r[2:4] == ((suite or release), uri)}
    lacking = [one for one in wanted if one not in have]
    if not lacking:
        continue
    file = entry.rpartition(":")[0]
    key = next((l for l in open(file) if l.startswith("Signed-By: /")), "")
    text += f"Types: deb\\nURIs: {uri}\\nSuites: {suite or release}\\n"
    text += f"Components: {' '.join(lacking)}\\n{key}\\n"
if not ours:
    sys.exit(f"apt has no sources of {codename}")
open(path, "w").write(text or "# Everything was switched on already.\\n")
"""
"""A constant program: archive and key are those of the sources that apt has already."""


@commands_of.register
def _(action: actions.AddSources) -> Commands:
    told = (action.path, action.codename, action.suite or "-", *action.components)
    return Commands(
        argv=("python3", "-c", _ADD_SOURCES, *told),
        needs_root=True,
        undo=("rm", "-f", action.path),
        verify=("test", "-s", action.path),
    )


@typed.register
def _(action: actions.AddSources) -> Commands:
    """Return the edit that people make: one-line sources and deb822 ones alike."""
    name, suite, more = action.codename, action.suite, " ".join(action.components)
    edit = f"/^(deb |Components:)/ s/ main( |$)/ main {more}\\1/"
    if suite is not None:
        one_line = f"/^deb .* {name} main/ {{p; s/ {name} main/ {suite} {more}/}}"
        # Once alone, where another step switches a further component of the suite on.
        edit = f"/^Suites: {name}( |$)/ {{/ {suite}/! s/$/ {suite}/}}; {one_line}"
        if more != "main":
            edit += f"; /^Components:/ s/ main( |$)/ main {more}\\1/"
    names = ("(", "-name", "sources.list", "-o", "-name", "debian.sources", ")")
    return Commands(
        argv=("find", "/etc/apt", *names, "-exec", "sed", "-i.before", "-E", edit, "{}", "+"),
        needs_root=True,
    )


@commands_of.register
def _(action: actions.PutAside) -> Commands:
    aside = f"{action.path}.disabled"
    return Commands(
        argv=("mv", action.path, aside),
        needs_root=is_of_system(action.path),
        undo=("mv", aside, action.path),
        verify=shell(_IS_ASIDE, action.path, aside),
    )


_PERMITS = {
    "read": ("a+r", "0444"),
    "pass": ("a+x", "0111"),
    "list": ("a+rx", "0555"),
    "use": ("a+rw", "0666"),
    "own": ("ug+rw", "0660"),
}
"""As chmod calls it, and the bits that are then set."""


@commands_of.register
def _(action: actions.Permit) -> Commands:
    mode, bits = _PERMITS[action.what]
    return Commands(
        argv=("chmod", mode, action.path),
        needs_root=is_of_system(action.path),
        undo=None if action.mode is None else ("chmod", action.mode, action.path),
        verify=("python3", "-c", _HAS_BITS, action.path, bits),
    )


@commands_of.register
def _(action: actions.CleanIcdFile) -> Commands:
    return Commands(
        argv=("sed", "-i", *_CLEANING, action.path),
        needs_root=is_of_system(action.path),
        verify=("python3", "-c", _HOLDS_ONE_NAME, action.path),
    )


@typed.register
def _(action: actions.CleanIcdFile) -> Commands:
    return _with_backup(action.path, ("sed", "-i.before", *_CLEANING, action.path))


@commands_of.register
def _(action: actions.PointIcdAt) -> Commands:
    return Commands(
        argv=shell(_WRITE_LINE, action.path, action.library),
        needs_root=is_of_system(action.path),
        verify=holds_line(action.path, action.library),
    )


@typed.register
def _(action: actions.PointIcdAt) -> Commands:
    return _with_backup(action.path, shell(_KEEP_AND_WRITE, action.path, action.library))


def _with_backup(path: str, argv: Argv) -> Commands:
    """Return the commands of one who keeps no journal: the file as it was stays beside it."""
    return Commands(argv=argv, needs_root=is_of_system(path), undo=("mv", f"{path}.before", path))


@commands_of.register
def _(action: actions.LinkFile) -> Commands:
    return Commands(
        argv=("ln", "-s", action.target, action.link),
        needs_root=is_of_system(action.link),
        undo=("rm", action.link),
        verify=shell(_LEADS_TO, action.link, action.target),
    )
