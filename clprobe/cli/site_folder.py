# SPDX-License-Identifier: MIT
"""Writes the static site into a folder, and into no folder that holds anything else."""

from collections.abc import Mapping
from pathlib import Path

from clprobe.model.errors import ClprobeError

_MARK = "search-index.js"


def write_site(files: Mapping[str, str], folder: Path) -> None:
    """Write every file below `folder`; pages of a former run that are gone now are removed.

    Raises: ClprobeError if the folder holds something else, or cannot be written.
    """
    try:
        if folder.exists() and any(folder.iterdir()) and not (folder / _MARK).is_file():
            raise ClprobeError(
                reference="site-folder-in-use",
                message=f"{folder} holds files that are no pages of this site.",
                hint="Name an empty or a new folder.",
            )
        for page in folder.glob("*/*.html"):
            if str(page.relative_to(folder)) not in files:
                page.unlink()
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ClprobeError(
            reference="site-not-written", message=str(error), hint="Name a folder of your own."
        ) from error
