# SPDX-License-Identifier: MIT
"""Lets other users into pytest's folders, which are closed to them."""

import os
import tempfile
from pathlib import Path


def let_everybody_in(folder: Path) -> None:
    """Let everybody write to a folder, and pass through those of ours above it."""
    for above in folder.parents:
        if above == Path(tempfile.gettempdir()) or above.stat().st_uid != os.getuid():
            break
        above.chmod(above.stat().st_mode | 0o755)
    folder.chmod(0o777)
