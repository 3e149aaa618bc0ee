# SPDX-License-Identifier: MIT
"""Which settings in a program's own files switch OpenCL or a device off, by the table of programs.

Nothing else of these files is kept.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from clprobe.knowledge.program_table import Program as TableProgram
from clprobe.knowledge.program_table import Setting
from clprobe.model.program import OffSetting
from clprobe.plain_file import read_plain
from clprobe.watch.places import placed

_MOST_BYTES = 4 << 20
_MOST = 4
_LONGEST = 120


def off_settings(
    row: TableProgram | None,
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    printed: str,
    folder: str,
) -> tuple[OffSetting, ...]:
    """Return them; `folder` is the program's working folder, `printed` what it printed."""
    found = (
        one
        for setting in (() if row is None else row.settings)
        if not setting.shows or re.search(setting.shows, printed)
        for one in _in_file(setting, argv, environment, folder)
    )
    return tuple(dict.fromkeys(found))[:_MOST]


def _in_file(
    setting: Setting, argv: Sequence[str], environment: Mapping[str, str], folder: str
) -> Iterator[OffSetting]:
    for named in setting.files:
        path = placed(named, argv, environment, folder)
        text = None if path is None else _text(path)
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


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:
        return True
