# SPDX-License-Identifier: MIT
"""What surrounds every picture: a caption, what its lines mean, and its figures as a table."""

import re
from collections.abc import Iterable, Sequence

from clprobe.report.bench.page.markup import element, text
from clprobe.report.bench.page.plot import sample

_NUMBER = re.compile(r"([\d.]+(e-?\d+)?%?( to [\d.]+)?)")
_SENTENCE = 32


def figure(picture: str, caption: str, legend: Sequence[str], table: str) -> str:
    """Return the figure; `legend` are items of markup."""
    items = "".join(element("li", item) for item in legend)
    return element(
        "figure",
        element("figcaption", text(caption)),
        picture,
        element("ul", items, class_="legend") if items else "",
        element("details", element("summary", "The figures as a table"), table),
    )


def series(style: int, name: str, *, line: bool = True, mark: bool = True) -> str:
    """Return one series as an item of a legend."""
    return sample(style, line=line, mark=mark) + text(name)


def table(
    name: str, headings: Sequence[str], rows: Iterable[Sequence[str]], *, label: str | None = None
) -> str:
    """Return a table that scrolls inside itself on narrow screens; its first column names rows.

    Columns of numbers stand to the right, columns of sentences get room.
    """
    body = [tuple(row) for row in rows]
    kinds = [_kind([row[column] for row in body]) for column in range(len(headings))]
    head = "".join(
        element("th", text(heading), scope="col", class_=kind)
        for heading, kind in zip(headings, kinds, strict=True)
    )
    lines = "".join(element("tr", *_cells(row, kinds)) + "\n" for row in body)
    whole = element(
        "table",
        element("caption", text(name)),
        element("thead", element("tr", head)),
        "\n",
        element("tbody", lines),
    )
    # Who has no mouse scrolls what has the focus. No landmark: a page has twenty, and those of two
    # devices have one name.
    return element(
        "div", whole, class_="wide", role="group", aria_label=label or name, tabindex="0"
    )


def _kind(cells: Sequence[str]) -> str | None:
    stated = [cell for cell in cells if cell]
    # A word among figures, such as "wrong result", stands where the figure would.
    if sum(_NUMBER.fullmatch(cell) is not None for cell in stated) * 2 > len(stated):
        return "number"
    return "long" if any(len(cell) > _SENTENCE for cell in cells) else None


def _cells(row: Sequence[str], kinds: Sequence[str | None]) -> Iterable[str]:
    yield element("th", text(row[0]), scope="row", class_=kinds[0])
    for cell, kind in zip(row[1:], kinds[1:], strict=True):
        yield element("td", text(cell), class_=kind)
