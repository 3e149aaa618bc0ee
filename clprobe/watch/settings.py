# SPDX-License-Identifier: MIT
"""Which settings in a program's own files switch OpenCL or a device off, by the table of programs.

Nothing else of these files is kept.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from clprobe.knowledge.program_table import Program as TableProgram
from clprobe.knowledge.program_table import Setting
from clprobe.model.program import OffSetting
from clprobe.plain_file import read_plain
from clprobe.watch.places import placed

_MOST_BYTES = 4 << 20
_MOST = 4
_LONGEST = 120


class Earlier(NamedTuple):
    """What stood in files of settings before a program ran, which may write them itself.

    `texts` are those that were read then, None: there was no such file; of others only those count
    that were not written since `at_s`, in seconds of the clock.
    """

    texts: Mapping[Path, str | None]
    at_s: float

    def text(self, path: Path) -> str | None:
        """Return what stood in a file; None: nothing, or nobody can tell."""
        if path in self.texts:
            return self.texts[path]
        return _text(path) if _changed_s(path) < self.at_s else None


def read_earlier(
    rows: Iterable[TableProgram],
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    folder: str,
) -> Earlier:
    """Return what stands in the settings of these programs, where one is about to be started."""
    named = (name for row in rows for setting in row.settings for name in setting.files)
    paths = (placed(name, argv, environment, folder) for name in dict.fromkeys(named))
    return Earlier({path: _text(path) for path in paths if path is not None}, time.time())


def off_settings(  # noqa: PLR0913 - all by which its files are found and read
    row: TableProgram | None,
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    printed: str,
    folder: str,
    earlier: Earlier | None = None,
) -> tuple[OffSetting, ...]:
    """Return them; `folder` is the program's working folder, `printed` what it printed.

    `earlier` is what stood in files before it ran; None: it ran already, and they count as they
    are.
    """
    read = _text if earlier is None else earlier.text
    found = (
        one
        for setting in (() if row is None else row.settings)
        if not setting.shows or re.search(setting.shows, printed)
        for one in _in_file(
            setting, (placed(file, argv, environment, folder) for file in setting.files), read
        )
    )
    return tuple(dict.fromkeys(found))[:_MOST]


def _in_file(
    setting: Setting, paths: Iterable[Path | None], read: Callable[[Path], str | None]
) -> Iterator[OffSetting]:
    for path in paths:
        text = None if path is None else read(path)
        if text is None:
            continue
        for line in setting.pattern().finditer(text):
            groups = line.groupdict()
            if "path" in groups and _is_there(groups["path"]):
                continue
            written = " ".join((groups.get("setting") or line[0]).split())
            yield OffSetting(
                setting=written[:_LONGEST],
                file=str(path),
                does=setting.does,
                instead=setting.instead,
            )
        return


def _text(path: Path) -> str | None:
    try:
        return read_plain(path, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def _changed_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:
        return True
