# SPDX-License-Identifier: MIT
"""Which files of a Python script's own folder stand before modules that it stumbled over.

Python looks into the folder of the script first, then into those of PYTHONPATH, and takes a file
there for a module of its standard library or of a package that is installed.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from clprobe.knowledge.printed import Forms

_FORMS = Forms("watched")
_SAFE_OPTION = re.compile(r"-[A-Za-z]*[IP][A-Za-z]*")
_TAKES_WORD = ("-W", "-X", "--check-hash-based-pycs")
_MOST_NAMES = 16


def shadowing_files(
    argv: Sequence[str], environment: Mapping[str, str], printed: str
) -> tuple[str, ...]:
    """Return the paths, as far as `printed` speaks of their modules as lacking something.

    `argv` are the words of a Python; relative folders are taken from our own working folder.
    """
    names = tuple(dict.fromkeys(_stumbled_over(printed)))[:_MOST_NAMES]
    folders = _folders(argv, environment) if names else ()
    found = (place for folder in folders for name in names for place in _places(folder, name))
    return tuple(dict.fromkeys(str(place) for place in found))


def _stumbled_over(printed: str) -> Iterator[str]:
    for found in _FORMS.stumbled_over.finditer(printed):
        name = next(text for text in found.groups() if text).partition(".")[0]
        if name in sys.stdlib_module_names or _FORMS.often_installed.search(name):
            yield name


def _folders(argv: Sequence[str], environment: Mapping[str, str]) -> tuple[Path, ...]:
    more = [Path(one) for one in environment.get("PYTHONPATH", "").split(":") if one]
    if environment.get("PYTHONSAFEPATH"):
        return tuple(more)
    words = iter(argv[1:])
    for word in words:
        if word in _TAKES_WORD:
            next(words, None)
        elif word in ("-c", "-m"):
            return (Path(), *more)
        elif not word.startswith("-"):
            return (Path(word).resolve().parent, *more)
        elif _SAFE_OPTION.fullmatch(word):
            return ()
    return tuple(more)


def _places(folder: Path, name: str) -> Iterator[Path]:
    """Yield the module's file in the folder; a package that is installed there is none."""
    if folder.name in ("site-packages", "dist-packages"):
        return
    try:
        if (folder / f"{name}.py").is_file():
            yield folder / f"{name}.py"
        elif (folder / name).is_dir():
            yield folder / name
    except OSError:
        return
