# SPDX-License-Identifier: MIT
"""The start of clprobe.pyz: unpacks it once into a private cache folder, and runs it there.

Python compiles this at each start, and imports count. What is unpacked is believed if its folder
is this user's alone, as those of clprobe's other caches are, and no file in it was changed since.
Where there can be no such folder, a temporary one serves, which goes when clprobe ends.
"""

import os
import sys

if sys.version_info < (3, 10):  # noqa: UP036 - any Python may be asked to run this very file
    sys.stderr.write("clprobe needs Python 3.10 or newer; this is %s.\n" % sys.version.split()[0])  # noqa: UP031
    sys.exit(3)

from pathlib import Path

# From the single file itself.
from private_folders import make_private_folder, open_private_folder
from signatures import is_whole, note_use

CONTENT = "@CONTENT@"
"""The SHA-256 of all that is unpacked."""
_FILE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - it is in that file
_NAME = f"single-file-{CONTENT[:16]}-{sys.implementation.cache_tag}"
_MAY_MAKE = 2  # ~/.cache, and clprobe in it


def main() -> None:
    """Run clprobe; does not return."""
    sys.path[0] = f"{_unpacked()}/modules"
    # All that is there is compiled, and what else Python wrote would only be in the way.
    sys.dont_write_bytecode = True
    from clprobe.cli.exit.ending import run  # noqa: PLC0415 - from that folder

    run()


def _unpacked() -> Path:
    """Return the folder where all is unpacked, which may be now; exits where it cannot be."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    base = stated if stated.startswith("/") else os.path.expanduser("~/.cache")  # noqa: PTH111
    # As private_files.cache_folder() names it, where no account has a home either.
    cache = Path(base if base.startswith("/") else "/nonexistent/.cache", "clprobe")
    if _is_believed(cache / _NAME):
        return cache / _NAME
    import unpacking  # noqa: PLC0415 - once only

    try:
        try:
            make_private_folder(cache, _MAY_MAKE)
            os.close(open_private_folder(cache))
            return unpacking.into_cache(_FILE, cache / _NAME, _is_believed)
        except OSError as error:
            return unpacking.into_temporary(_FILE, because=f"{cache}: {error.strerror or error}")
    except unpacking.UnfitError as error:
        sys.stderr.write(f"clprobe: {error}\n")
    except KeyboardInterrupt:
        sys.stderr.write("clprobe: interrupted\n")
    sys.exit(3)


def _is_believed(folder: Path) -> bool:
    try:
        os.close(open_private_folder(folder))
        if not is_whole(str(folder)):
            return False
    except OSError:
        return False
    note_use(str(folder))
    return True


main()
