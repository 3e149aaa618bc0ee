# SPDX-License-Identifier: MIT
"""What is wrong with a program's file is named with file and line."""

import re
from pathlib import Path

import pytest

from clprobe.knowledge.program_table import Program
from clprobe.knowledge.tables import read_table
from clprobe.resources import rules_path
from clprobe.validation.checks.programs import programs

FILE = rules_path() / "tables" / "programs" / "katago.yaml"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(?P<code>", "(?P<code", "it is no regular expression"),
        ("(?P<device>", "(?P<gadget>", "there is no fact for a group gadget"),
        ("mark: 'Found OpenCL Platform'", "mark: 'Found a Platform'", "lacks the mark"),
        ("'Found OpenCL Platform 0: NVIDIA", "'Found OpenCL Platform zero: NVIDIA", "is not found"),
        ("program: katago", "program: catago", "the file is called katago"),
        ("    mark: 'OpenCL error at '", "    if_named: true", "it has no mark"),
        ("examples: ['No OpenCL devices were found on your system. If", "examples: [] # ", ""),
    ],
)
def test_what_is_wrong_with_a_line_is_named(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / FILE.name
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    mistakes = list(programs({file: read_table(file, Program)}))
    assert mistakes
    assert re.search(r"katago\.yaml:\d+: ", mistakes[0].message)
    assert said in mistakes[0].message


def test_the_file_as_it_is_has_no_mistake() -> None:
    assert list(programs({FILE: read_table(FILE, Program)})) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"{--configdir}/darktablerc", ', '"/etc/darktablerc", ', "begins with no place"),
        ("'^opencl=(?i:false|0)$'", "'^opencl=(?i:no)$'", "is not found in 'opencl=FALSE'"),
        ("'^opencl=(?i:false|0)$'", "'^opencl=(?i:false'", "it is no regular expression"),
        ("(?P<setting>", "(?P<line>", "there is no group line"),
        ("kind: option, does", "kind: option, names: file, does", "only what a variable names"),
    ],
)
def test_what_is_wrong_with_a_setting_is_named(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    source = FILE.with_name("darktable.yaml")
    text = source.read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / source.name
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    found = [mistake.message for mistake in programs({file: read_table(file, Program)})]
    assert any(said in message for message in found), found
