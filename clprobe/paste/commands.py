# SPDX-License-Identifier: MIT
"""Recognises command lines: prompts, sudo, docker exec, and commands that stand alone on a line."""

import re

import msgspec

from clprobe.paste.reading import words

_KNOWN = words(
    """
apk apt apt-cache apt-get blender cat clinfo clpeak conda darktable darktable-cltest darktable-cli
dkms dmesg dnf docker docker-compose dpkg dpkg-query emerge env export ffmpeg file find flatpak
getent getfacl glxinfo grep groups hashcat head hostnamectl id inxi intel_gpu_top journalctl
kubectl ldconfig ldd less ls lsb_release lscpu lsgpu lshw lsmod lspci lspcu ltrace lxc modinfo
modprobe mount neofetch nix nix-env nix-shell nvidia-smi pacman pct pip pip3 podman printenv
python python2 python3 readelf readlink rocm-smi rocminfo rpm screenfetch snap stat strace sudo su
sycl-ls systemctl systemd-detect-virt tail test tree udevadm ulimit uname usermod vainfo vdpauinfo
vulkaninfo wsl wsl.exe xpu-smi zypper yum newgrp ll realpath nvcc hipinfo luajit xmr-stak john
fastfetch strings timeout gdb lscl benchmark_app
"""
)
_ALONE = words(
    "clinfo lspci lsmod dmesg groups id nvidia-smi rocminfo vainfo neofetch env "
    "hostnamectl sycl-ls "
    "clpeak lscpu fastfetch rocm-smi darktable-cltest lsgpu printenv inxi vulkaninfo"
)
_VARIABLE = r"(?:[A-Za-z_][A-Za-z0-9_]{0,60}=\S{0,200} +){0,6}"
_USER_PROMPT = re.compile(
    r"(?:\([\w./-]{1,60}\) ?){0,3}"  # virtual environments
    r"\[?(?P<user>[a-z_][\w.-]{0,60}|I have no name!)@(?P<host>[\w.-]{1,80})(?:\]|[: "
    r"][^\s$#%]{0,200}(?: "
    r"[^\s$#%]{0,80})?)?\]?"
    r" ?(?P<mark>[$#%\u276f\u279c>]) ?(?P<rest>.*)$"
)
_PLAIN_PROMPT = re.compile(
    r"(?:\([\w./-]{1,60}\) ?){0,3}(?:[~/][\w./-]{0,80} ?)?"
    r"(?P<mark>[$%\u276f\u279c]|\+\+?) (?P<rest>.*)$"
)
_ROOT_PROMPT = re.compile(
    r"(?:bash-[\d.]{1,8}|sh-[\d.]{1,8}|(?:[\w.-]{1,60}:)?[~/][\w./-]{0,80} ?)?# ?(?P<rest>\S.*)$"
)
_DRAWN_PROMPT = re.compile(
    # The second line of prompts of two lines, PowerShell's, and the arrow with folder and branch.
    r"(?:[\u2514\u2570][\u2500-\u257f>]{0,4} ?(?P<mark>[$#%\u276f]) ?|PS [A-Z]:[^<>]{0,200}> ?"
    r"|\u279c +\S{1,80} (?:git:\(\S{1,80}\) (?:\u2717 )?)?)(?P<rest>\S.*)$"
)
_SHELL_PROMPT = re.compile(r"(?:bash|sh|zsh)-[\d.]{1,8}\$ ?(?P<rest>.*)$")
_SUDO = re.compile(
    r"(?:sudo|doas|pkexec)(?: +-[EHnSiks]+| +--?preserve-env\S*)*(?: +-u +(?P<as>\S+))? "
    r"+(?P<rest>\S.*)$"
)
_SWITCH = re.compile(
    r"(?:su|runuser|setpriv)\b(?P<options>[^\n]{0,200}?) -c +[\"']?(?P<rest>[^\"']{1,400})[\"']?$"
)
_CONTAINER = re.compile(
    r"(?:docker|podman|nerdctl|kubectl|lxc|pct|distrobox|toolbox|flatpak)(?:[ -]compose)? "
    r"+(?P<verb>exec|run|enter)\b(?P<rest>.*)$"
)
_ARGUMENT = re.compile(
    r"(?:-{1,2}[\w=.,:/*-]*|[./~$*][\w./~*{},$-]*|\||\|\||&&?|;|2?>&?\d?\S*|<\S*|\w+=\S*"
    r"|[a-z0-9][\w.+*:{}-]*/\S*"
    r"|[\"'].{0,200}[\"']|\d+|OpenCL|opencl|[\w.-]*[iI]ntel[\w.*-]*|\*?\w*icd\w*|VGA|vga"
    r"|3[dD]|Display|display"
    r"|i915|xe|amdgpu|nvidia|drm|render|video|fences|grep|egrep|head|tail|less|sort|tee"
    r"|wc|cat|awk|sed|exec|run"
    r"|list|show|policy|installed|freeze|passwd|group|clinfo|lspci|uname|id|groups|ls"
    r"|dmesg|python3?|compose|ps|status)$"
)


class CommandLine(msgspec.Struct, frozen=True):
    """A command that somebody ran; `prompted` tells that a prompt stood before it."""

    command: str
    who: str = ""
    where: str = ""
    prompted: bool = False


def command_line(line: str) -> CommandLine | None:
    """Return the command on this line; None if it is output or prose."""
    text = line.strip().strip("`").strip()
    if len(text) > 1000 or not text:
        return None
    return _with_user_prompt(text) or _with_plain_prompt(text) or _bare(text)


def _with_user_prompt(text: str) -> CommandLine | None:
    found = _USER_PROMPT.match(text)
    if found is None:
        return None
    is_root = found["user"] == "root" or found["mark"] == "#"
    # Docker names a container by the first twelve digits of its id.
    where = "container" if re.fullmatch(r"[0-9a-f]{12}", found["host"]) else ""
    return _inner(found["rest"], "root" if is_root else "user", where, prompted=True)


def _with_plain_prompt(text: str) -> CommandLine | None:
    found = _DRAWN_PROMPT.match(text)
    if found is not None:
        return _inner(found["rest"], "root" if found["mark"] == "#" else "", "", prompted=True)
    found = _PLAIN_PROMPT.match(text) or _SHELL_PROMPT.match(text)
    if found is not None:
        return _inner(found["rest"], "", "", prompted=True)
    found = _ROOT_PROMPT.match(text)
    # A comment or a heading, too, starts with a hash: only a known command makes it a prompt.
    if found is not None and _looks_like_command(found["rest"]):
        return _inner(found["rest"], "root", "", prompted=True)
    return None


def _bare(text: str) -> CommandLine | None:
    # One word may be output: systemd-detect-virt answers "docker".
    if " " not in text and text not in _ALONE:
        return None
    return _inner(text, "", "", prompted=False) if _looks_like_command(text) else None


def _looks_like_command(text: str) -> bool:
    if text.endswith((":", "?", "!")):
        return False
    words = re.sub(f"^{_VARIABLE}", "", text).split()
    if not words or words[0].rpartition("/")[2] not in _KNOWN:
        return False
    # "clinfo shows nothing" starts with a command's name, too; after a pipe nobody writes prose.
    own = words[1 : words.index("|")] if "|" in words else words[1:8]
    return all(_ARGUMENT.match(word) or word in _KNOWN for word in own)


def _inner(text: str, who: str, where: str, *, prompted: bool) -> CommandLine:
    """Return the command inside sudo, variables and docker exec."""
    rest = text.strip()
    for _ in range(4):
        rest = re.sub(f"^{_VARIABLE}", "", rest)
        sudo = _SUDO.match(rest)
        contained = _CONTAINER.match(rest)
        switched = _SWITCH.match(rest)
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
    return CommandLine(f"{first.rpartition('/')[2]}{blank}{arguments}", who, where, prompted)


def _run_inside(arguments: str) -> str:
    words = arguments.split()
    for index, word in enumerate(words):
        if word.rpartition("/")[2] in _KNOWN and index > 0 and not word.startswith("-"):
            return " ".join(words[index:]).strip("\"'")
    return ""
