# SPDX-License-Identifier: MIT
"""Writes HTML and SVG so that no text from outside can end an element.

Nothing in a page asks the network for anything.
"""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from clprobe.report.terminal import safe

# XML forbids them even as references.
_NO_XML = re.compile("[\ufffe\uffff]")
_STYLE = Path(__file__).with_name("page.css")


def element(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return the element; `children` are markup, attributes are texts and numbers.

    `class_` and `stroke_width` become class and stroke-width; what is None is left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>"


def text(value: str) -> str:
    """Return any text as markup that shows it."""
    return escape(_NO_XML.sub("�", safe(value)))


def number(value: float) -> str:
    """Return a coordinate, which needs no more than a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def path(points: Sequence[tuple[float, float]]) -> str:
    """Return the `d` of a line through the points."""
    return "M" + "L".join(f"{number(x)},{number(y)}" for x, y in points)


def page(title: str, main: str) -> str:
    """Return the whole page; `main` is markup."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{_STYLE.read_text('utf-8')}</style></head>\n"
        f"<body>\n<main>\n{main}</main>\n</body>\n</html>\n"
    )


def sentences(said: list[tuple[str, str]]) -> str:
    """Return a list of sentences, each behind its sign."""
    items = "".join(
        element("li", element("span", text(sign), class_="sign"), element("span", text(sentence)))
        for sign, sentence in said
    )
    return element("ul", items, class_="says") + "\n" if items else ""


def warnings(said: list[str]) -> str:
    """Return what speaks against the figures, set apart; nothing if nothing does."""
    if not said:
        return ""
    lines = "".join(element("p", text(one)) for one in said)
    return element("div", lines, class_="warnings", role="note") + "\n"


def _attribute(value: str | float) -> str:
    return text(value) if isinstance(value, str) else number(value)
