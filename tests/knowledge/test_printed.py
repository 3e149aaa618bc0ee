# SPDX-License-Identifier: MIT
"""What readers ask of rules/tables/printed is there and nothing else; mistakes in it are named."""

import re
import shutil
from pathlib import Path

import pytest

import clprobe
from clprobe.knowledge.printed import Forms, read_printed
from clprobe.resources import rules_path
from clprobe.validation.checks.printed import printed
from clprobe.validation.validate import validate

READERS = Path(clprobe.__file__).parent
FILES = sorted((rules_path() / "tables" / "printed").glob("*.yaml"))


def _asked(name: str) -> set[str]:
    """Return what readers ask of a file: forms, and words, tables and meanings by their kind."""
    asked = set()
    for path in READERS.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for held_as in re.findall(rf'(_[A-Z]+) = Forms\("{name}"\)', text):
            asked |= {
                f"{kind} {key}" if key else kind
                for kind, key in re.findall(rf"\b{held_as}\s*\.(\w+)(?:[\[(]\"(\w+)\")?", text)
            }
    return asked


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_readers_ask_for_every_form_of_a_file_and_for_no_other(path: Path) -> None:
    file = read_printed(path)
    there = {f"words {key}" for key in file.words} | {f"tables {key}" for key in file.tables}
    asked = {re.sub(r"^(first|patterns|often) ", "meaning ", one) for one in _asked(path.stem)}
    there |= {f"meaning {key}" for key in file.meanings} | set(file.forms)
    assert asked == there


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_part_is_named_by_a_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [name for name in read_printed(path).parts if "{{" + name + "}}" not in text] == []


def test_a_form_is_its_pieces_with_alternatives_and_parts() -> None:
    assert Forms("lspci").detail.match("Kernel driver in use: i915")
    assert Forms("linking").needed.match("libigc.so.1 => not found")
    assert Forms("distribution_names").meaning("distributions", "Pop!_OS 22.04") == "pop"
    with pytest.raises(AttributeError, match=r"printed/lspci\.yaml has no form colour"):
        _ = Forms("lspci").colour


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0300: 8086:0412", "0300; 8086:0412", "forms.numeric.examples.0300; 8086:0412 (rev 06)"),
        ("(?P<id>", "(?P<id", "its pieces are no regular expression"),
        ("['0300: 8086:0412 (rev 06)']", "[]", "it has no example"),
    ],
)
def test_what_is_wrong_with_a_form_is_named(old: str, new: str, said: str, tmp_path: Path) -> None:
    file = _with_mistake(tmp_path, old, new)
    mistakes = list(printed({file: read_printed(file)}))
    assert len(mistakes) == 1
    assert re.search(r"lspci\.yaml:\d+: ", mistakes[0].message)
    assert said in mistakes[0].message


def test_validate_reads_the_forms(tmp_path: Path) -> None:
    shutil.copytree(rules_path() / "tables" / "printed", tmp_path / "tables" / "printed")
    _with_mistake(tmp_path / "tables" / "printed", "    examples", "    exmaples")
    (mistake,) = validate(tmp_path).mistakes
    assert "printed/lspci.yaml" in mistake.message
    assert "Did you mean examples" in mistake.hint


def _with_mistake(folder: Path, old: str, new: str) -> Path:
    text = (rules_path() / "tables" / "printed" / "lspci.yaml").read_text(encoding="utf-8")
    file = folder / "lspci.yaml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return file
