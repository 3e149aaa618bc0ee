# SPDX-License-Identifier: MIT
"""Writes elements of HTML and SVG so that no text from outside can end one."""

import re
from collections.abc import Sequence
from html import escape

from clprobe.report.terminal import safe

# XML forbids them even as references.
_NO_XML = re.compile("[\ufffe\uffff]")


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


def _attribute(value: str | float) -> str:
    return text(value) if isinstance(value, str) else number(value)
