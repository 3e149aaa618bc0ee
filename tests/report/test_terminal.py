# SPDX-License-Identifier: MIT
import pytest

from clprobe.report.terminal import in_ascii, make_console, safe


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("red \x1b[31mtext\x1b[0m", "red \\x1b[31mtext\\x1b[0m"),
        ("bell\x07", "bell\\x07"),
        ("over\rwritten", "over\\x0dwritten"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("turned \u202e round", "turned \\u202e round"),
        ("bad \udcff byte", "bad \\xff byte"),
        ("lone \ud800", "lone \\ud800"),
        ("two\nlines", "two\nlines"),
        ("Grüße 日本", "Grüße 日本"),
        ("[bold]markup[/bold]", "[bold]markup[/bold]"),
    ],
)
def test_text_from_outside_cannot_steer_the_terminal(raw: str, shown: str) -> None:
    assert safe(raw) == shown
    safe(raw).encode("utf-8")


def test_ascii_terminals_get_ascii_only() -> None:
    assert in_ascii("a → b … Grüße").isascii()


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "[/nonsense]", "a:smile:b"])
def test_markup_in_names_is_printed_as_it_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    make_console("never").print(name)
    assert capsys.readouterr().out == f"{name}\n"


def test_a_pipe_gets_no_colour_and_a_fixed_width(capsys: pytest.CaptureFixture[str]) -> None:
    console = make_console("auto")
    console.print("x", style="error")
    assert (capsys.readouterr().out, console.width) == ("x\n", 80)


def test_colour_can_be_forced_into_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    make_console("always").print("x", style="error")
    assert "\x1b[" in capsys.readouterr().out
