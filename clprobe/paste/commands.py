# SPDX-License-Identifier: MIT
"""Recognises command lines: prompts, sudo, docker exec, and commands that stand alone on a line."""

import re
from functools import lru_cache

import msgspec

from clprobe.knowledge.printed import Forms

_FORMS = Forms("commands")


class CommandLine(msgspec.Struct, frozen=True):
    """A command that somebody ran; `prompted` tells that a prompt stood before it.

    `typed` is the whole line behind the prompt, with sudo, variables and docker.
    """

    command: str
    who: str = ""
    where: str = ""
    prompted: bool = False
    typed: str = ""


@lru_cache(maxsize=4096)
def command_line(line: str) -> CommandLine | None:
    """Return the command on this line; None if it is output or prose."""
    text = _FORMS.right_prompt.sub("", line.strip().strip("`").strip())
    if len(text) > 1000 or not text:
        return None
    return _with_user_prompt(text) or _with_plain_prompt(text) or _bare(text)


def _with_user_prompt(text: str) -> CommandLine | None:
    found = _FORMS.user_prompt.match(text)
    if found is None:
        return None
    is_root = found["user"] == "root" or found["mark"] == "#"
    # Docker names a container by the first twelve digits of its id.
    where = "container" if re.fullmatch(r"[0-9a-f]{12}", found["host"]) else ""
    return _inner(found["rest"], "root" if is_root else "user", where, prompted=True)


def _with_plain_prompt(text: str) -> CommandLine | None:
    found = _FORMS.drawn_prompt.match(text)
    if found is not None:
        return _inner(found["rest"], "root" if found["mark"] == "#" else "", "", prompted=True)
    found = _FORMS.plain_prompt.match(text) or _FORMS.shell_prompt.match(text)
    if found is not None:
        return _inner(found["rest"], "", "", prompted=True)
    found = _FORMS.path_prompt.match(text)
    if found is not None:
        who = "root" if found["user"] == "root" or found["mark"] == "#" else "user"
        return _inner(found["rest"], who, "", prompted=True)
    found = _FORMS.root_prompt.match(text)
    # A comment or a heading, too, starts with a hash: only a known command makes it a prompt.
    if found is not None and (
        _looks_like_command(found["rest"]) or _FORMS.managed.match(found["rest"])
    ):
        return _inner(found["rest"], "root", "", prompted=True)
    return None


def _bare(text: str) -> CommandLine | None:
    # One word may be output: systemd-detect-virt answers "docker".
    if " " not in text and text not in _FORMS.words["alone"]:
        return None
    return _inner(text, "", "", prompted=False) if _looks_like_command(text) else None


def _looks_like_command(text: str) -> bool:
    if text.endswith((":", "?", "!")):
        return False
    words = _FORMS.variables.sub("", text).split()
    if not words or words[0].rpartition("/")[2] not in _FORMS.words["known"]:
        return False
    # "clinfo shows nothing" starts with a command's name, too; after a pipe nobody writes prose.
    own = words[1 : words.index("|")] if "|" in words else words[1:8]
    return all(_FORMS.argument.match(word) or word in _FORMS.words["known"] for word in own)


def _inner(text: str, who: str, where: str, *, prompted: bool) -> CommandLine:
    """Return the command inside sudo, variables and docker exec."""
    rest = text.strip()
    for _ in range(4):
        rest = _FORMS.variables.sub("", rest)
        sudo = _FORMS.sudo.match(rest)
        contained = _FORMS.container.match(rest)
        switched = _FORMS.switch.match(rest)
        if sudo is not None:
            named = (sudo["as"] or "root").strip("\"'")
            who, rest = ("root" if named in ("root", "#0", "0") else "user"), sudo["rest"]
        elif contained is not None and (inside := _run_inside(contained["rest"])):
            # Inside a container one is root unless the image or an option says otherwise.
            who = "user" if re.search(r"(?:-u|--user)[ =]", contained["rest"]) else ""
            where, rest = "container", inside
        elif switched is not None:
            is_su = rest.startswith("su ")
            named = [word for word in switched["options"].split() if word[0] != "-"]
            who = "root" if is_su and named in ([], ["root"]) else "user" if is_su else who
            rest = switched["rest"]
        else:
            break
    first, blank, arguments = rest.partition(" ")
    command = f"{first.rpartition('/')[2]}{blank}{arguments}"
    return CommandLine(command, who, where, prompted, text.strip())


def _run_inside(arguments: str) -> str:
    words = arguments.split()
    for index, word in enumerate(words):
        if (
            word.rpartition("/")[2] in _FORMS.words["known"]
            and index > 0
            and not word.startswith("-")
        ):
            return " ".join(words[index:]).strip("\"'")
    return ""
