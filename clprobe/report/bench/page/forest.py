# SPDX-License-Identifier: MIT
"""Factors with their intervals below each other, around a line at 1."""

from collections.abc import Sequence
from dataclasses import dataclass

from clprobe.report.bench.page.plot import WIDTH, marker, picture
from clprobe.report.bench.page.scale import Scale, log_scale, tick_label
from clprobe.report.bench.page.svg import element, number, text
from clprobe.report.bench.page.words import significant

_ROW = 34
_EDGE = 12
_LONGEST = 30


@dataclass(frozen=True, slots=True)
class Factor:
    """One row; all numbers are above 0."""

    name: str
    ratio: float
    ci95: tuple[float, float]
    style: int

    @property
    def told(self) -> str:
        """Return the figures in words."""
        low, high = map(significant, self.ci95)
        return f"{self.name}: {significant(self.ratio)}, between {low} and {high}"


def forest(name: str, title: str, factors: Sequence[Factor]) -> str:
    """Return the picture; `name` is its own on the page."""
    ends = [1.0, *(end for one in factors for end in one.ci95)]
    scale = log_scale(ends, _EDGE, WIDTH - _EDGE)
    bottom = len(factors) * _ROW + 4
    marks = _axis(scale, bottom)
    for place, one in enumerate(factors):
        marks += _line(one, scale, place * _ROW)
    described = " ".join(f"{one.told}." for one in factors)
    return picture(name, title, described, marks, bottom + 34)


def style_sample(style: int) -> str:
    """Return the sign of a style for a legend."""
    mark = marker(17, 8, style)
    return element("svg", mark, viewBox="0 0 34 16", class_="sample", aria_hidden="true")


def _axis(scale: Scale, bottom: float) -> list[str]:
    parts = []
    for value in scale.ticks(5):
        here = scale.at(value)
        parts += [
            element("path", d=f"M{number(here)},0V{number(bottom)}", class_="grid"),
            element(
                "text", text(f"{tick_label(value)}×"), x=here, y=bottom + 15, text_anchor="middle"
            ),
        ]
    one = number(scale.at(1))
    return [*parts, element("path", d=f"M{one},0V{number(bottom)}", class_="guide")]


def _line(one: Factor, scale: Scale, top: float) -> list[str]:
    height = top + 24
    cut = one.name if len(one.name) <= _LONGEST else f"{one.name[: _LONGEST - 1]}…"
    low, high = map(scale.at, one.ci95)
    whisker = f"M{number(low)},{number(height)}H{number(high)}"
    ends = "".join(f"M{number(end)},{number(height - 4)}v8" for end in (low, high))
    shown = f"{significant(one.ratio)}×"
    return [
        element("text", text(cut), x=2, y=top + 13),
        element("text", text(shown), x=WIDTH - 2, y=top + 13, text_anchor="end"),
        element("path", d=whisker + ends, class_=f"line s{one.style}"),
        marker(scale.at(one.ratio), height, one.style, one.told),
    ]
