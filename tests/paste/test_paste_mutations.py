# SPDX-License-Identifier: MIT
"""Ten thousand seeded cuts, mutations, shuffles and concatenations of what people paste."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest
import yaml
from pastes import TEXTS, read

from clprobe.cli.sources import _LARGEST_PASTE, _MOST_LINES
from clprobe.model.codec import snapshot_from_text, snapshot_to_json
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot

ROUNDS, EACH = 20, 500
CORPUS = [
    *(one["text"] for one in yaml.safe_load((TEXTS.parent / "evidence.yaml").read_text("utf-8"))),
    *(path.read_text("utf-8") for path in sorted(TEXTS.glob("*.txt"))),
]
EVIL = "\x00\x07\x08\x1b\x7f\x9b\u202e\u2028\ufeff\ud800\r\n\t '\"`\\()[]{}<>=:;,|#$>-*0aZ"
UNPRINTABLE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ufeff\ud800-\udfff]"
)
LIMIT_S = 240
"""Only so that a hanging run ends."""


def _mutated(random: Random, text: str) -> str:
    return random.choice(MUTATIONS)(random, text)


def _cut(random: Random, text: str) -> str:
    start, end = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return text[start:end]


def _shuffled(random: Random, text: str) -> str:
    lines = text.split("\n")
    random.shuffle(lines)
    return "\n".join(lines)


def _struck(random: Random, text: str) -> str:
    letters = list(text)
    for _ in range(random.randrange(1, 40) if letters else 0):
        letters[random.randrange(len(letters))] = random.choice(EVIL)
    return "".join(letters)


def _narrowed(random: Random, text: str) -> str:
    return "\r\n".join(line[: random.randrange(1, 200)] for line in text.split("\n"))


MUTATIONS: tuple[Callable[[Random, str], str], ...] = (
    _cut,
    _shuffled,
    _struck,
    _narrowed,
    lambda _, text: "\n".join(f"> {line}" for line in text.split("\n")),
    lambda _, text: "\n".join(line.strip() for line in text.split("\n")),
    lambda _, text: "\n".join(f"    {line}" for line in text.split("\n")),
    lambda _, text: text.encode().decode("latin-1"),
    lambda random, text: f"{text}\n{random.choice(CORPUS)}",
)


def _texts_of(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.items() for one in part for text in _texts_of(one)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _texts_of(part)]
    return [value] if isinstance(value, str) else []


def _understood(text: str) -> Snapshot:
    try:
        return read(text)
    except ClprobeError as error:
        if error.reference != "nothing-understood":
            raise
        return Snapshot()


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_no_damage_crashes_the_reader_or_reaches_the_terminal(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - repeatable, not secret
    for _ in range(EACH):
        text = random.choice(CORPUS)[:20_000]
        for _ in range(random.randrange(1, 4)):
            text = _mutated(random, text.encode("utf-8", "replace").decode())
        snapshot = _understood(text)
        texts = _texts_of(msgspec.to_builtins(snapshot))
        assert [one for one in texts if UNPRINTABLE.search(one)] == []
        assert snapshot_from_text(snapshot_to_json(snapshot), name="again") == snapshot


@pytest.mark.slow
def test_the_longest_text_that_is_taken_comes_to_an_end(tmp_path: Path) -> None:
    text = "\n\n".join(CORPUS)
    path = tmp_path / "long.txt"
    times = min(_LARGEST_PASTE // len(text), _MOST_LINES // text.count("\n")) - 1
    path.write_text(text * times, "utf-8")
    argv = [sys.executable, "-m", "clprobe", "info", "--from", str(path), "--json"]
    result = subprocess.run(argv, capture_output=True, timeout=LIMIT_S, check=False)
    assert result.returncode == 0, result.stderr
