# SPDX-License-Identifier: MIT
"""Writes what the rules database in a folder's clprobe parses to, for the single file.

    python -I .ci/single_file/parse_rules.py FOLDER

Run as a program of its own, so that it is that clprobe and its dependencies that parse.
"""

import contextlib
import sys

with contextlib.suppress(ImportError):
    # With its library, which the folder has not, it takes a tenth of the time.
    import yaml  # noqa: F401


def main() -> None:
    """Parse all that the commands for users read; cases are for those who write rules."""
    sys.path.insert(0, sys.argv[1])
    sys.dont_write_bytecode = True
    from clprobe.knowledge.checked_yaml import parse  # noqa: PLC0415 - of that folder
    from clprobe.parsed_files import ship  # noqa: PLC0415
    from clprobe.resources import rules_path  # noqa: PLC0415

    files = rules_path().rglob("*.yaml")
    ship([path for path in files if not path.name.endswith(".cases.yaml")], parse)


if __name__ == "__main__":
    main()
