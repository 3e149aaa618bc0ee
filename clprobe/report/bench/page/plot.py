# SPDX-License-Identifier: MIT
"""A picture with two axes, where values stand on them, and everything that can be drawn into it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from clprobe.report.bench.page.markup import element, number, path, text

WIDTH, HEIGHT = 360, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 350, 12, 216
"""The frame inside the picture; a phone shows it pixel by pixel, so letters stay readable."""
STYLES = 6
_DASHES = (None, "7 3", "2 3", "9 3 2 3", "4 2", "12 4")
_SIZE = 4.0
_LONGEST = 30
_NICE = (1, 2, 5, 10)
_SHORT = ((1e9, "G"), (1e6, "M"), (1e3, "k"))

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps `low`..`high` to `start`..`end`; values outside land on the nearer end.

    `base` is that of a logarithmic scale, None for a linear one.
    """

    low: float
    high: float
    start: float
    end: float
    base: int | None = None

    def at(self, value: float) -> float:
        """Return the place of a value."""
        bounded = min(max(value, self.low), self.high)
        low, high, here = (self._steps(one) for one in (self.low, self.high, bounded))
        return self.start + (self.end - self.start) * (here - low) / (high - low)

    def ticks(self, most: int = 6) -> list[float]:
        """Return at most so many round values between the ends."""
        return _powers(self, self.base, most) if self.base else _round_steps(self, most)

    def _steps(self, value: float) -> float:
        return math.log(value) if self.base else value


@dataclass(slots=True)
class Plot:
    """Two scales and the marks on them; `style` is a series' number, never its colour alone."""

    x: Scale
    y: Scale
    x_label: str
    y_label: str
    _marks: list[str] = field(default_factory=list)

    def line(self, points: Sequence[Point], style: int, *, class_: str = "line") -> None:
        """Draw a line whose dashes tell it apart without its colour."""
        self._marks.append(
            element(
                "path",
                d=path([self._at(point) for point in points]),
                class_=f"{class_} s{style % STYLES}",
                stroke_dasharray=_DASHES[style % STYLES],
            )
        )

    def marker(self, point: Point, style: int, told: str) -> None:
        """Draw a sign of the series' own form; `told` shows where a pointer rests on it."""
        self._marks.append(marker(*self._at(point), style, told))

    def interval(self, x: float, ends: tuple[float, float], style: int) -> None:
        """Draw from the lower to the upper end of an interval, with a bar across each."""
        here, low, high = self.x.at(x), self.y.at(ends[0]), self.y.at(ends[1])
        bars = f"M{number(here - 3)},{number(low)}h6M{number(here - 3)},{number(high)}h6"
        upright = f"M{number(here)},{number(low)}V{number(high)}"
        self._marks.append(element("path", d=upright + bars, class_=f"line s{style % STYLES}"))

    def upright(self, x: float, said: str) -> None:
        """Draw a line across at `x` with a few words at its top."""
        here = self.x.at(x)
        is_left = here < (LEFT + RIGHT) / 2
        self._marks += [
            element("path", d=f"M{number(here)},{TOP}V{BOTTOM}", class_="guide"),
            words(said, here + (4 if is_left else -4), TOP + 10, "start" if is_left else "end"),
        ]

    def drawn(self, name: str, title: str, description: str) -> str:
        """Return the picture; `name` is its own on the page."""
        return picture(name, title, description, [*self._axes(), *self._marks], HEIGHT)

    def _at(self, point: Point) -> Point:
        return self.x.at(point[0]), self.y.at(point[1])

    def _axes(self) -> list[str]:
        parts = []
        for value in self.x.ticks():
            here = self.x.at(value)
            parts += [
                element("path", d=f"M{number(here)},{TOP}V{BOTTOM}", class_="grid"),
                words(tick_label(value), here, BOTTOM + 15, "middle"),
            ]
        for value in self.y.ticks():
            here = self.y.at(value)
            parts += [
                element("path", d=f"M{LEFT},{number(here)}H{RIGHT}", class_="grid"),
                words(tick_label(value), LEFT - 5, here + 4, "end"),
            ]
        return [
            *parts,
            element("path", d=f"M{LEFT},{TOP}V{BOTTOM}H{RIGHT}", class_="axis"),
            words(self.x_label, (LEFT + RIGHT) / 2, BOTTOM + 34, "middle"),
            element(
                "text",
                text(self.y_label),
                transform=f"translate(11 {(TOP + BOTTOM) / 2:.0f}) rotate(-90)",
                text_anchor="middle",
            ),
        ]


def marker(x: float, y: float, style: int, told: str = "") -> str:
    """Return a circle, square, triangle, diamond, cross or plus around the place."""
    r, kind = _SIZE, style % STYLES
    forms = (
        f"M{number(x - r)},{number(y)}a{r},{r} 0 1 0 {2 * r},0a{r},{r} 0 1 0 {-2 * r},0Z",
        f"M{number(x - r)},{number(y - r)}h{2 * r}v{2 * r}h{-2 * r}Z",
        f"M{number(x)},{number(y - r - 1)}l{r + 1},{2 * r}h{-2 * r - 2}Z",
        f"M{number(x)},{number(y - r - 1)}l{r + 1},{r + 1}l{-r - 1},{r + 1}l{-r - 1},{-r - 1}Z",
        f"M{number(x - r)},{number(y - r)}l{2 * r},{2 * r}m0,{-2 * r}l{-2 * r},{2 * r}",
        f"M{number(x - r - 1)},{number(y)}h{2 * r + 2}m{-r - 1},{-r - 1}v{2 * r + 2}",
    )
    title = [element("title", text(told))] if told else []
    return element(
        "path", *title, d=forms[kind], class_=f"{'mark' if kind < 4 else 'line'} s{kind}"
    )


def sample(style: int, *, line: bool, mark: bool) -> str:
    """Return a small picture of a series for a legend."""
    parts = []
    if line:
        dashes = _DASHES[style % STYLES]
        kind = f"line s{style % STYLES}"
        parts.append(element("path", d="M1,8H33", class_=kind, stroke_dasharray=dashes))
    if mark:
        parts.append(marker(17, 8, style))
    return element("svg", *parts, viewBox="0 0 34 16", class_="sample", aria_hidden="true")


def picture(name: str, title: str, description: str, marks: Sequence[str], height: float) -> str:
    """Return an SVG with the words that stand for it where it cannot be seen."""
    return element(
        "svg",
        element("title", text(title), id=f"{name}-title"),
        element("desc", text(description), id=f"{name}-desc"),
        *marks,
        viewBox=f"0 0 {WIDTH} {number(height)}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        class_="picture",
    )


def words(said: str, x: float, y: float, anchor: str | None = None) -> str:
    """Return a line of text whose start, middle or end is at the place."""
    return element("text", text(said), x=x, y=y, text_anchor=anchor)


def log_scale(values: Sequence[float], start: float, end: float, base: int = 10) -> Scale:
    """Return a scale with room around the values, which are above 0."""
    low, high = min(values), max(values)
    room = max((high / low) ** 0.06, 1.15)
    return Scale(low / room, high * room, start, end, base)


def linear_scale(low: float, high: float, start: float, end: float) -> Scale:
    """Return a scale from `low` to `high`, which may be one value."""
    return Scale(low, high if high > low else low + 1, start, end)


def tick_label(value: float) -> str:
    """Return a number as it stands at an axis: 0.5, 20, 5k."""
    for unit, sign in _SHORT:
        # 1024 is a round number to those who choose batch sizes.
        if value >= unit and value % (unit / 10) == 0:
            return f"{value / unit:g}{sign}"
    return f"{value:g}"


def _powers(scale: Scale, base: int, most: int) -> list[float]:
    first = math.ceil(math.log(scale.low, base) - 1e-9)
    last = math.floor(math.log(scale.high, base) + 1e-9)
    powers = [float(base) ** exponent for exponent in range(first, last + 1)]
    if base == 10 and len(powers) <= 2:
        fine = [
            factor * 10.0**exponent
            for exponent in range(first - 1, last + 1)
            for factor in (1, 2, 5)
        ]
        powers = [value for value in fine if scale.low <= value <= scale.high]
    if len(powers) < 2:
        return _round_steps(scale, most)
    return powers[:: math.ceil(len(powers) / most)]


def _round_steps(scale: Scale, most: int) -> list[float]:
    rough = (scale.high - scale.low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _NICE if factor * power >= rough * (1 - 1e-9))
    first = math.ceil(scale.low / step - 1e-9)
    last = math.floor(scale.high / step + 1e-9)
    return [round(count * step, 12) for count in range(first, last + 1)]


def row_label(name: str, figure: str, margin: float, top: float) -> list[str]:
    """Return the name of a row that begins at `top`, as far as there is room, and its figure."""
    cut = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return [words(cut, margin, top + 13), words(figure, WIDTH - margin, top + 13, "end")]
