# SPDX-License-Identifier: MIT
"""The support matrix: one page of the best answers, one page per implementation."""

from collections.abc import Iterator
from typing import Any

import msgspec

from clprobe.compat.support import Support, support
from clprobe.knowledge.table_types import Distribution, Generation, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream
from clprobe.report.site.links import Linker

_SIGNS = {"supported": "✓", "unverified": "?", "not_supported": "✗"}
_ORDER = {"supported": 0, "unverified": 1, "not_supported": 2}
# Of two that work alike: Intel's own driver does more of OpenCL than Mesa's, and Beignet least.
_PREFERRED = ("compute-runtime", "compute-runtime-legacy1", "rusticl", "beignet")


class _Cell(msgspec.Struct, frozen=True):
    status: str
    sign: str
    text: str
    reason: str


def matrix_pages(tables: Tables, linker: Linker) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, title and content of each page."""
    matrix = _Matrix(tables, linker)
    yield "matrix/index.html", "Support matrix: OpenCL on Intel GPUs", matrix.overview()
    for key, entry in matrix.implementations.items():
        yield f"matrix/{key}.html", f"Support matrix: {entry.name}", matrix.of(entry)


class _Matrix:
    def __init__(self, tables: Tables, linker: Linker) -> None:
        self._tables = tables
        self._linker = linker
        self.implementations = tables.implementations()
        self._generations = list(tables.generations().values())
        self._releases = tables.distributions()
        self._answers: dict[tuple[str, str, str], Support] = {}

    def overview(self) -> dict[str, Any]:
        """Return the page of the best answer for each generation on each release."""
        drivers = [one for one in self.implementations.values() if "gpu" in one.device_types]

        def best(generation: Generation, release: Distribution) -> _Cell:
            answers = [(one, self._answer(generation, release, one)) for one in drivers]
            entry, answer = min(answers, key=_rank)
            return _cell(answer, entry.implementation)

        return self._page(
            "index.html",
            "The best way to OpenCL on the GPU, by release and generation. Each implementation "
            "has a page of its own with the reasons.",
            [[best(generation, one) for generation in self._generations] for one in self._releases],
        )

    def of(self, entry: Implementation) -> dict[str, Any]:
        """Return the page of one implementation."""
        answers = [
            [self._answer(generation, release, entry) for generation in self._generations]
            for release in self._releases
        ]
        cells = [[_cell(one) for one in row] for row in answers]
        page = self._page(f"{entry.implementation}.html", f"{entry.name}: {entry.status}.", cells)
        page["notes"] = list(self._notes(answers, f"matrix/{entry.implementation}.html"))
        return page

    def _answer(
        self, generation: Generation, release: Distribution, entry: Implementation
    ) -> Support:
        """Return one cell; the overview and the page of the implementation share it."""
        key = (generation.generation, release.key, entry.implementation)
        if key not in self._answers:
            self._answers[key] = support(generation, release, entry, self._tables)
        return self._answers[key]

    def _page(self, file: str, intro: str, cells: list[list[_Cell]]) -> dict[str, Any]:
        names = ["index.html", *(f"{key}.html" for key in self.implementations)]
        labels = ["best", *self.implementations]
        return {
            "intro": intro,
            "own": f"matrix/{file}",
            "tabs": [(label, f"matrix/{n}") for label, n in zip(labels, names, strict=True)],
            "corner": "release",
            "columns": [
                (one.generation, self._linker.page(one.generation)) for one in self._generations
            ],
            "rows": [
                (release.key, self._linker.page(release.key), row)
                for release, row in zip(self._releases, cells, strict=True)
            ],
            "notes": [],
        }

    def _notes(self, answers: list[list[Support]], here: str) -> Iterator[tuple[Any, Any, Any]]:
        """Yield each reason once, with the places that it holds for and its sources."""
        places: dict[str, list[str]] = {}
        reasons: dict[str, Support] = {}
        for release, row in zip(self._releases, answers, strict=True):
            for generation, answer in zip(self._generations, row, strict=True):
                places.setdefault(answer.reason, []).append(
                    f"{generation.generation} on {release.key}"
                )
                reasons.setdefault(answer.reason, answer)
        for reason, answer in reasons.items():
            if reason:
                where = places[reason]
                named = ", ".join(where[:4]) + (f" and {len(where) - 4} more" * (len(where) > 4))
                linked = self._linker.linked
                yield linked(named, here=here), linked(reason, here=here), answer.sources


def _rank(pair: tuple[Implementation, Support]) -> tuple[int, bool, int]:
    entry, answer = pair
    key = entry.implementation
    place = _PREFERRED.index(key) if key in _PREFERRED else len(_PREFERRED)
    return _ORDER[answer.status], answer.version is None, place


def _cell(answer: Support, name: str = "") -> _Cell:
    text = ""
    if answer.status != "not_supported":
        text = f"{name} {upstream(answer.version or '')}".strip()
    sign = _SIGNS[answer.status] + "*" * bool(answer.environment)
    return _Cell(answer.status, sign, text, " ".join((answer.reason, *answer.notes)).strip())
