# SPDX-License-Identifier: MIT
"""Which texts may stand in a command, by what they are the name of.

Quoting keeps the shell out, and nothing else: a program takes "-x" for an option, apt takes
"NAME-" for a removal. So what a snapshot says must look like the thing that it names.
"""

import re

from clprobe.model.placeholders import USER

_PACKAGES = {
    "dpkg": re.compile(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.](?::[a-z0-9][a-z0-9-]*[a-z0-9])?"),
    "rpm": re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"),
    "pacman": re.compile(r"[a-z0-9@_+][a-z0-9@._+-]*"),
    "apk": re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*"),
    "portage": re.compile(
        r"(?:[A-Za-z0-9_][A-Za-z0-9_.+-]*/)?[A-Za-z0-9_][A-Za-z0-9_+-]*(?::[A-Za-z0-9_][A-Za-z0-9_.+/-]*)?"
    ),
    "xbps": re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"),
    "pkgtools": re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"),
    "pip": re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"),
    "conda": re.compile(r"[a-z0-9_][a-z0-9_.-]*"),
}
"""How each package manager writes names.

Source: Debian Policy 5.6.1 and 5.6.7 (less a "-" at the end, which apt takes for "remove"),
rpm-spec(5), PKGBUILD(5), APKBUILD(5), the Package Manager Specification 3.1, xbps-src's manual,
PEP 508, conda's MatchSpec.
"""
_LONGEST = 4095

# By the name of the argument; what is missing here holds text of rules or of tables alone.
_WORDS = {
    "user": re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.@+-]*\$?"),
    "group": re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.@+-]*\$?(?:,[A-Za-z0-9_.][A-Za-z0-9_.@+-]*)*"),
    "gid": re.compile(r"[0-9]{1,10}"),
    "mode": re.compile(r"[0-7]{3,4}"),
    "name": re.compile(r"[A-Za-z_][A-Za-z0-9_-]*"),
    "module": re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*"),
    "former": re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.@+-]*\$?"),
    "unit": re.compile(r"[A-Za-z0-9_.:@\\][A-Za-z0-9_.:@\\-]*"),
    "settings": re.compile(r"[A-Za-z]+=[A-Za-z0-9_/.:-]+(?: rw)?"),
    "parameter": re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,:=@/+-]*"),
}
_FILES = ("path", "target", "link", "library", "only", "without")
_WORDS_OF_RULES = ("argv", "options")
"""Arguments whose options the rule itself wrote; what begins with a fact must be no further one."""


def is_package(name: str, manager: str) -> bool:
    """Whether the package manager could have a package of that name."""
    pattern = _PACKAGES.get(manager)
    return pattern is not None and len(name) < 256 and pattern.fullmatch(name) is not None


def may_stand(argument: str, text: str, written: str) -> bool:
    """Whether the text is what the argument of that name takes, and no option of a program.

    `written` is the rule's text before its facts were filled in.
    """
    if argument in _FILES or (argument in _WORDS_OF_RULES and written.startswith("{")):
        return is_file_name(text)
    if argument == "settings" and "{" not in written:
        return True
    pattern = _WORDS.get(argument)
    return pattern is None or text == USER or pattern.fullmatch(text) is not None


def is_file_name(text: str) -> bool:
    """Whether it is a path that no program takes for an option."""
    return 0 < len(text) <= _LONGEST and not text.startswith("-") and text == text.strip()
