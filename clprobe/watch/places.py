# SPDX-License-Identifier: MIT
"""Where a program looks for its own files, from paths of the tables with places in braces."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

_PLACE = re.compile(r"\{(?P<name>[^{}]+)\}")
_ADDRESS = "file://"
_XDG = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
    "cache": ("XDG_CACHE_HOME", ".cache"),
}
"""https://specifications.freedesktop.org/basedir-spec/latest/"""


def placed(
    named: str, argv: Sequence[str], environment: Mapping[str, str], folder: str
) -> Path | None:
    """Return the path that a table names for this program; None: a part of it is not known."""
    values = {
        place["name"]: _value(place["name"], argv, environment, folder)
        for place in _PLACE.finditer(named)
    }
    if not all(values.values()):
        return None
    return Path(folder, _PLACE.sub(lambda place: values[place["name"]] or "", named))


def _value(
    name: str, argv: Sequence[str], environment: Mapping[str, str], folder: str
) -> str | None:
    if name == "cwd":
        return folder
    if name.startswith("$"):
        return environment.get(name[1:])
    if name.startswith("-"):
        return _option(name, argv)
    home = environment.get("HOME")
    if name == "home" or not home:
        return home
    variable, usual = _XDG[name]
    return environment.get(variable) or f"{home}/{usual}"


def _option(name: str, argv: Sequence[str]) -> str | None:
    """Return the value of an option, behind = or as the next word; of an address its path."""
    for at, word in enumerate(argv):
        option, is_joined, value = word.partition("=")
        if option == name:
            value = value if is_joined else "".join(argv[at + 1 : at + 2])
            return value.removeprefix(_ADDRESS) or None
    return None
