# SPDX-License-Identifier: MIT
"""Pages that need nothing else and ask for nothing; every text from outside is escaped."""

from collections.abc import Collection, Iterable, Sequence
from html import escape
from pathlib import Path

from clprobe.model.finding import Source
from clprobe.report.escaping import safe

_STYLE = Path(__file__).with_name("page.css")


def page(title: str, style: str, body: str) -> str:
    """Return the whole page; `style` comes before the style of all pages, `body` is markup."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{style}{_STYLE.read_text('utf-8')}</style></head>\n"
        f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def text(value: str) -> str:
    """Return any text as markup that shows it."""
    return escape(safe(value))


def table(
    label: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str | None]],
    classes: Collection[str] = (),
) -> str:
    """Return a table of texts; a cell that is one of `classes` has that class.

    `label` is what a screen reader calls it.
    """
    head = "".join(f'<th scope="col">{text(heading)}</th>' for heading in headings)
    lines = ("".join(_cell(cell or "", classes) for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    # Who has no mouse scrolls what has the focus.
    return (
        f'<div class="wide" role="group" aria-label="{text(label)}" tabindex="0">'
        f"<table>\n<tr>{head}</tr>\n{body}</table></div>\n"
    )


def _cell(said: str, classes: Collection[str]) -> str:
    kind = f' class="{said}"' if said in classes else ""
    return f"<td{kind}>{text(said)}</td>"


def items(texts: Iterable[str]) -> str:
    """Return texts as items of a list."""
    return "".join(f"<li>{text(one)}</li>" for one in texts)


def source_list(sources: Iterable[Source]) -> str:
    """Return the sources with the day each was checked, as links where they are pages."""
    listed = "".join(
        f'<li><a href="{escape(one.url)}" rel="noreferrer">{text(one.url)}</a> '
        f"({text(one.checked)})</li>"
        if one.url.startswith("https://")
        else f"<li>{text(one.url)} ({text(one.checked)})</li>"
        for one in sources
    )
    return f"<ul>{listed}</ul>" if listed else ""
