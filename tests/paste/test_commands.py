# SPDX-License-Identifier: MIT
"""Prompts of many shells, and sentences that only begin like a command."""

import pytest

from clprobe.paste.commands import command_line

PROMPTS = {
    "$ clinfo -l": ("clinfo -l", "", ""),
    "alice@box:~$ clinfo": ("clinfo", "user", ""),
    "(venv) alice@box:~/x$ python3 x.py": ("python3 x.py", "user", ""),
    "[alice@box ~]$ clinfo": ("clinfo", "user", ""),
    "[root@box ~]# clinfo": ("clinfo", "root", ""),
    "root@box:/# clinfo": ("clinfo", "root", ""),
    "root@0123456789ab:/app# clinfo": ("clinfo", "root", "container"),
    "I have no name!@0123456789ab:/$ id": ("id", "user", "container"),
    "alice@box:~> clinfo": ("clinfo", "user", ""),
    "box:~ # clinfo": ("clinfo", "root", ""),
    "bash-5.1$ clinfo": ("clinfo", "", ""),
    "sh-5.1# clinfo": ("clinfo", "root", ""),
    "# ls -l /dev/dri": ("ls -l /dev/dri", "root", ""),
    "\u2514\u2500$ clinfo": ("clinfo", "", ""),
    "\u279c  ~ clinfo": ("clinfo", "", ""),
    "PS C:\\Users\\x> wsl --version": ("wsl --version", "", ""),
    "$ sudo -E OCL_ICD_VENDORS=/x clinfo": ("clinfo", "root", ""),
    "$ sudo -u alice clinfo": ("clinfo", "user", ""),
    "$ su -c 'clinfo -l'": ("clinfo -l", "root", ""),
    "$ su alice -c clinfo": ("clinfo", "user", ""),
    "$ docker exec -it jellyfin clinfo": ("clinfo", "", "container"),
    "$ docker run --rm --device /dev/dri x/y clinfo -l": ("clinfo -l", "", "container"),
    "clinfo | grep Name": ("clinfo | grep Name", "", ""),
    "/usr/bin/clinfo --raw": ("clinfo --raw", "", ""),
    "`lspci -nn`": ("lspci -nn", "", ""),
}
NONE = (
    "clinfo shows nothing",
    "Number of platforms 0",
    "# Steps to reproduce",
    "id of the card:",
    "find out what is wrong",
    "docker",
    "more details below",
    "Output of clinfo:",
    "00:02.0 VGA compatible controller",
    "",
)


@pytest.mark.parametrize("line", PROMPTS)
def test_a_command_is_found_behind_its_prompt(line: str) -> None:
    found = command_line(line)
    assert found is not None
    assert (found.command, found.who, found.where) == PROMPTS[line]


@pytest.mark.parametrize("line", NONE)
def test_what_only_begins_like_a_command_is_none(line: str) -> None:
    assert command_line(line) is None
