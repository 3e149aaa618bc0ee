# SPDX-License-Identifier: MIT
"""What is looked for first in long texts is never missing where a form is found."""

import re
import sys

import pytest

from clprobe.knowledge import line_words
from clprobe.knowledge.line_words import LineWords
from clprobe.knowledge.literals import is_met, need_of, small
from clprobe.knowledge.often import Often
from clprobe.knowledge.printed import read_printed
from clprobe.resources import rules_path

_FILES = sorted((rules_path() / "tables" / "printed").glob("*.yaml"))


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_every_example_of_a_form_holds_what_the_form_needs(path):
    file = read_printed(path)
    forms = [
        *file.forms.values(),
        *(one for table in file.meanings.values() for one in table.values()),
    ]
    for form in forms:
        need = need_of(form.pattern(file.parts))
        missed = [one for one in form.examples if need is not None and not is_met(need, small(one))]
        assert missed == []


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("(?i)no (?:suitable )?device", "No Device", "no driver"),
        ("errors?: (?:fatal|-\\d+)", "errors: -1001", "warning: -5"),
        ("(?:lib)?(?:cl|pocl)\\.so", "pocl.so", "pocl.dll"),
        ("\\bkernel (?=panic)", "kernel panic", "colonel panic"),
        ("(?:ab|cd){2}x?", "abcd", "acbd"),
        ("fail(?!s)", "fail", "fall"),
    ],
)
def test_a_need_tells_texts_with_a_form_from_most_others(pattern, fitting, other):
    need = need_of(re.compile(pattern))
    assert need is not None
    assert is_met(need, small(fitting))
    assert not is_met(need, small(other))


@pytest.mark.parametrize(
    "pattern", ["\\d+", "a|b.*", "(?:word)?", "(?:word|\\d)", "(?!word)x", "."]
)
def test_a_form_that_needs_no_letters_has_no_need(pattern):
    assert need_of(re.compile(pattern)) is None


@pytest.mark.parametrize("letter", "abcdefghijklmnopqrstuvwxyz")
def test_every_letter_that_an_expression_takes_for_one_of_ascii_is_one_in_a_small_text(letter):
    form = re.compile(letter, re.IGNORECASE)
    every = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    assert {letter} == {small(found[0])[0] for found in form.finditer(every)}


def test_of_a_long_text_only_the_lines_with_the_letters_may_hold_a_form():
    lines = ["the driver", "nothing", "a DR\u0130VER", "device"] * line_words._FEW_LINES
    words = LineWords(lines)
    assert sorted(words.may_hold(re.compile("(?i)driver")))[:3] == [0, 2, 4]
    assert sorted(words.may_hold(re.compile("(?i)driver"), re.compile("device")))[:3] == [0, 2, 3]
    assert len(words.may_hold(re.compile(r"\d"))) == len(lines)
    assert sorted(words.may_hold_text("e dri"))[:3] == [0, 2, 4]


def test_of_a_short_text_any_line_may_hold_a_form():
    assert list(LineWords(["a", "b"]).may_hold(re.compile("driver"))) == [0, 1]


def test_a_form_that_is_looked_for_often_is_found_where_it_stands():
    often = Often(re.compile("(?i)no device"))
    texts = ["nothing", "No device here", "no driver"] * 200
    assert [often.search(text) is not None for text in texts] == [False, True, False] * 200
    assert [len(list(often.finditer(text))) for text in texts[:3]] == [0, 1, 0]
