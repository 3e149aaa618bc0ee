# SPDX-License-Identifier: MIT
"""Damages rules and tables at random, in their text and in what they hold.

`python tests/cli/mutated_data.py COUNT [SEED]` reads as many of each; the suite reads few.
"""

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import yaml
from mutated_files import change, with_bytes_changed

from clprobe.knowledge.tables import KINDS, read_table
from clprobe.model.errors import ClprobeError
from clprobe.resources import rules_path
from clprobe.ruleset.load import load_rule, rule_files

_LONGEST = 60_000
_TABLES = {
    path: kind
    for folder, kind in KINDS.items()
    for path in sorted((rules_path() / "tables" / folder).glob("*.yaml"))
    if path.stat().st_size < _LONGEST
}
READERS: dict[str, tuple[tuple[Path, ...], Callable[[Path, Path], object]]] = {
    "rules": (tuple(rule_files(rules_path())), lambda damaged, _: load_rule(damaged)),
    "tables": (tuple(_TABLES), lambda damaged, sound: read_table(damaged, _TABLES[sound])),
}


def read_damaged(what: str, count: int, seed: int) -> Counter[str]:
    """Read `count` damaged files and return how many were fine all the same, and how many refused.

    Raises: AssertionError for any other error, with the file as it was.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    files, reader = READERS[what]
    came: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            sound = chance.choice(files)
            data = _damaged(chance, sound)
            # A rule is called like its file.
            file = Path(folder, sound.name)
            file.write_bytes(data)
            try:
                reader(file, sound)
                came["fine"] += 1
            except ClprobeError as error:
                came["refused" if str(file) in error.message else "refused, unnamed"] += 1
            except Exception as error:
                raise AssertionError(f"{sound}: {error!r} for {data[:3000]!r}") from error
    return came


@cache
def _parsed(sound: Path) -> str:
    return sound.read_text("utf-8")


def _damaged(chance: random.Random, sound: Path) -> bytes:
    text = _parsed(sound)
    if chance.random() < 0.6:
        document = yaml.safe_load(text)
        for _ in range(chance.randrange(1, 3)):
            change(chance, document)
        return yaml.safe_dump(document, allow_unicode=True).encode("utf-8", "replace")
    data = text.encode()
    for _ in range(chance.randrange(1, 4)):
        data = with_bytes_changed(chance, data)
    return data


if __name__ == "__main__":
    for wanted in READERS:
        seed = int(sys.argv[2]) if len(sys.argv) > 2 else 14
        print(wanted, dict(read_damaged(wanted, int(sys.argv[1]), seed)))  # noqa: T201 - a tool
