# SPDX-License-Identifier: MIT
"""Each kind of mistake in the rules database is named with its file and line."""

import shutil
from pathlib import Path

import msgspec
import pytest

from clprobe.resources import rules_path
from clprobe.validation.validate import validate


class Mistake(msgspec.Struct, frozen=True):
    """In `file`, the first `old` becomes `new`; the message names that line and holds `says`."""

    name: str
    file: str
    old: str
    new: str
    says: str


PLANTED = msgspec.yaml.decode(
    Path(__file__).with_name("planted_mistakes.yaml").read_bytes(), type=list[Mistake]
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("database") / "rules"
    shutil.copytree(rules_path(), root)
    return root


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.name)
def test_a_planted_mistake_is_named_with_file_and_line(mistake: Mistake, database: Path) -> None:
    file = database / mistake.file
    text = file.read_text("utf-8")
    assert mistake.old in text, f"{mistake.file} no longer holds {mistake.old!r}"
    line = text[: text.index(mistake.old)].count("\n") + 1
    file.write_text(text.replace(mistake.old, mistake.new, 1), "utf-8")
    try:
        messages = [one.message for one in validate(database).mistakes]
    finally:
        file.write_text(text, "utf-8")
    assert any(_names(message, file, line) and mistake.says in message for message in messages), (
        f"line {line}: {messages}"
    )


def test_the_database_itself_is_sound(database: Path) -> None:
    assert validate(database).mistakes == []


def test_several_mistakes_are_all_named(database: Path, tmp_path: Path) -> None:
    root = tmp_path / "rules"
    shutil.copytree(database, root)
    for mistake in PLANTED:
        if mistake.name not in ("an unknown field", "a misspelt link"):
            continue
        file = root / mistake.file
        file.write_text(file.read_text("utf-8").replace(mistake.old, mistake.new, 1), "utf-8")
    messages = [one.message for one in validate(root).mistakes]
    assert [Path(message.split(":")[0]).name for message in messages] == [
        "device-computes-wrong.yaml", "intel-gen7.5.yaml",
    ]  # fmt: skip


def _names(message: str, file: Path, line: int) -> bool:
    """Whether the message starts with the file and the mistake's line; a list starts one later."""
    return message.startswith((f"{file}:{line}:", f"{file}:{line + 1}:"))
