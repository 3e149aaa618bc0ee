# SPDX-License-Identifier: MIT
"""Each sentence and line of a post is read as typed statements; what is unsure is left out."""

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from pastes import read

from clprobe.model.statement import KINDS, Statement

SENTENCES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "statements.yaml").read_text("utf-8")
)
MARKER = "6.1.0-18-amd64"
"""Something to read, so that the paste is one."""


def said(text: str) -> tuple[Statement, ...]:
    """Return the statements of a text that stands below a title."""
    return read(f"Nothing but a title\n\n{text}\n\n{MARKER}").statements


@pytest.mark.parametrize("one", SENTENCES, ids=lambda one: one["text"][:60])
def test_a_sentence_says_what_it_says_and_nothing_else(one: dict[str, Any]) -> None:
    told = [statement for statement in said(one["text"]) if statement.line > 2]
    kinds = {expected["what"] for expected in one.get("says", ())}
    of_these = [statement for statement in told if statement.what in kinds]

    assert len(of_these) == len(one.get("says", ())), told
    left = list(of_these)
    for expected in one.get("says", ()):
        found = [
            statement
            for statement in left
            if all(
                msgspec.to_builtins(getattr(statement, name)) in (value, tuple(value))
                if isinstance(value, list)
                else getattr(statement, name) == value
                for name, value in expected.items()
            )
        ]
        assert found, (expected, told)
        left.remove(found[0])
    assert [statement for statement in told if statement.what in one.get("none", ())] == []


def test_every_kind_is_one_that_the_schema_names() -> None:
    texts = "\n\n".join(one["text"] for one in SENTENCES)
    assert {one.what for one in said(texts)} <= set(KINDS)


def test_a_line_that_says_something_is_not_listed_as_unread() -> None:
    snapshot = read(f"Nothing but a title\n\nDarktable freezes since Monday.\nFrob quux.\n{MARKER}")
    assert [one.line for one in snapshot.statements] == [3]
    assert snapshot.unread == ("Nothing but a title", "Frob quux.")


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("Frob quux zonk.", ("Frob quux zonk.",)),
        ("It crashes, I think my quux is zonked.", ("I think my quux is zonked.",)),
        ("I reinstalled mesa. All the same.", ()),
        ("What I tried: mesa 24.1, a reboot.", ()),
    ],
)
def test_what_no_statement_tells_is_listed_as_not_understood(
    text: str, unread: tuple[str, ...]
) -> None:
    listed = read(f"Nothing but a title\n\n{text}\n\n{MARKER}").unread
    assert tuple(one for one in listed if one != "Nothing but a title") == unread


def test_what_a_sentence_says_to_stand_below_is_read_there() -> None:
    told = said("darktable prints this:\n\n    frobnication of the quux impossible")
    assert [(one.line, one.subject, one.says) for one in told][-1] == (
        5,
        "darktable",
        "frobnication of the quux impossible",
    )


def test_typed_commands_are_told() -> None:
    told = said("```\n$ clinfo -l\n$ sudo dmesg\n```")
    assert [(one.what, one.says, one.who) for one in told] == [
        ("did", "clinfo -l", ""),
        ("did", "sudo dmesg", "root"),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_no_order_of_words_breaks_the_reader(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    words = " ".join(one["text"] for one in SENTENCES).split(" ")
    marks = [
        "\n",
        "- ",
        "### ",
        ": ",
        "? ",
        "(",
        ")",
        '"',
        "`",
        "**",
        ", ",
        "=",
        "--",
        "$ ",
        "```\n",
    ]
    for _ in range(60):
        text = "".join(
            chance.choice(words) + chance.choice([" ", *marks]) for _ in range(chance.randrange(80))
        )
        for one in said(text):
            assert one.says or one.version
            assert len(one.says) <= 240


@pytest.mark.parametrize(
    ("title", "what", "says"),
    [
        ("clCreateContext issue", "about", "clCreateContext issue"),
        ("Add support for Intel GPUs", "wants", "Add support for Intel GPUs"),
        ("Is it possible to run on my card", "asks", "Is it possible to run on my card"),
        ("Use of the GPU fails with it", "fails", "Use of the GPU fails with it"),
        ("[snap] frobber does not see OpenCL", "fails", "[snap] frobber does not see OpenCL"),
    ],
)
def test_a_title_says_what_it_is_about_asks_for_or_tells(title: str, what: str, says: str) -> None:
    told = read(f"{title}\n\nFrob quux.\n{MARKER}").statements
    assert [(one.what, one.says) for one in told if one.line == 1] == [(what, says)]


def test_a_title_of_two_parts_is_about_two_programs() -> None:
    title = "frobcli: error CL_PLATFORM_NOT_FOUND_KHR - frobgui: the window freezes when I draw"
    told = read(f"{title}\n\nFrob quux.\n{MARKER}").statements
    assert [(one.what, one.says) for one in told if one.line == 1] == [
        ("error", "frobcli: error CL_PLATFORM_NOT_FOUND_KHR"),
        ("fails", "frobgui: the window freezes when I draw"),
    ]
