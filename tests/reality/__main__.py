# SPDX-License-Identifier: MIT
"""Lists what to look at for a refresh of the tables: `python -m tests.reality`."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # the checks are modules beside this one

from debian_archive import Archive, SuiteUnreachableError, UbuntuArchive
from freshness import behind_lists, behind_pip, read_before

from clprobe.knowledge.tables import Tables
from clprobe.resources import rules_path


def main() -> int:
    """Print each list as it is made; return 1 if there is anything to look at."""
    parser = argparse.ArgumentParser(prog="python -m tests.reality", description=__doc__)
    parser.add_argument(
        "--days", type=int, default=90, help="older looks are listed; by default %(default)s days"
    )
    options = parser.parse_args()
    tables = Tables.load()
    oldest = datetime.now(tz=timezone.utc).date() - timedelta(days=options.days)
    with tempfile.TemporaryDirectory(prefix="clprobe-freshness-") as folder:
        debian = Archive(Path(folder))
        lists: dict[str, Callable[[], Iterator[str]]] = {
            "Debian's signed lists": lambda: behind_lists("debian", tables, debian),
            "Ubuntu's signed lists": lambda: behind_lists("ubuntu", tables, UbuntuArchive(debian)),
            "pip's index": lambda: behind_pip(tables),
            f"Looked at before {oldest}": lambda: read_before(oldest, rules_path() / "tables"),
        }
        return int(sum(_told(title, make) for title, make in lists.items()) > 0)


def _told(title: str, make: Callable[[], Iterator[str]]) -> int:
    """Print one list, and return how long it was."""
    print(title, flush=True)  # noqa: T201 - what a reader wants
    count = 0
    try:
        for line in make():
            print(f"  {line}", flush=True)  # noqa: T201
            count += 1
    except SuiteUnreachableError as error:
        print(f"  out of reach: {error}")  # noqa: T201
    print(f"  {count} to look at" if count else "  nothing")  # noqa: T201
    return count


if __name__ == "__main__":
    sys.exit(main())
