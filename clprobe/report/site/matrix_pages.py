# SPDX-License-Identifier: MIT
"""The support matrix: one page of the best answers, one page per implementation."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from clprobe.compat.support import Support
from clprobe.compat.support_table import support_table
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream
from clprobe.report.site.links import Linker

_SIGNS = {"supported": "✓", "unverified": "?", "not_supported": "✗"}
_ORDER = {"supported": 0, "unverified": 1, "not_supported": 2}
# Of two that work alike: Intel's own driver does more of OpenCL than Mesa's, and Beignet least.
_PREFERRED = ("compute-runtime", "compute-runtime-legacy1", "rusticl", "beignet")

_INTRO = (
    "The best way to OpenCL on the GPU, by release and generation. Each implementation has a page "
    "of its own with the reasons."
)


class _Cell(msgspec.Struct, frozen=True):
    status: str
    sign: str
    text: str
    reason: str


def matrix_pages(tables: Tables, linker: Linker) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, title and content of each page."""
    drivers = tables.implementations()
    releases = [one.key for one in tables.distributions()]
    answers = support_table(tables).cells
    frame = {
        "tabs": [("best", "matrix/index.html"), *((key, f"matrix/{key}.html") for key in drivers)],
        "columns": [(name, linker.page(name)) for name in tables.generations()],
        "notes": [],
    }

    def page(own: str, intro: str, cells: dict[tuple[str, str], _Cell]) -> dict[str, Any]:
        rows = [
            (name, linker.page(name), [cells[name, column] for column in tables.generations()])
            for name in releases
        ]
        return {**frame, "own": own, "intro": intro, "rows": rows}

    best: dict[tuple[str, str], Support] = {}
    for one in answers:
        place = one.distribution, one.generation
        is_of_gpu = "gpu" in drivers[one.implementation].device_types
        if is_of_gpu and (place not in best or _rank(one) < _rank(best[place])):
            best[place] = one
    shown = {place: _cell(one, one.implementation) for place, one in best.items()}
    path = "matrix/index.html"
    yield path, "Support matrix: OpenCL on Intel GPUs", page(path, _INTRO, shown)
    for key, entry in drivers.items():
        path = f"matrix/{key}.html"
        own = [one for one in answers if one.implementation == key]
        shown = {(one.distribution, one.generation): _cell(one) for one in own}
        content = page(path, f"{entry.name}: {entry.status}.", shown)
        by_release = sorted(own, key=lambda one: releases.index(one.distribution))
        content["notes"] = list(_notes(by_release, linker, path))
        yield path, f"Support matrix: {entry.name}", content


def _notes(answers: Iterable[Support], linker: Linker, here: str) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each reason once, with the places that it holds for and its sources."""
    alike: dict[str, list[Support]] = {}
    for answer in answers:
        alike.setdefault(answer.reason, []).append(answer)
    for reason, group in alike.items():
        if reason:
            where = ", ".join(f"{one.generation} on {one.distribution}" for one in group[:4])
            more = f" and {len(group) - 4} more" if len(group) > 4 else ""
            linked = linker.linked
            yield linked(where + more, here=here), linked(reason, here=here), group[0].sources


def _rank(answer: Support) -> tuple[int, bool, int]:
    key = answer.implementation
    place = _PREFERRED.index(key) if key in _PREFERRED else len(_PREFERRED)
    return _ORDER[answer.status], answer.version is None, place


def _cell(answer: Support, name: str = "") -> _Cell:
    text = ""
    if answer.status != "not_supported":
        text = f"{name} {upstream(answer.version or '')}".strip()
    sign = _SIGNS[answer.status] + "*" * bool(answer.environment)
    return _Cell(answer.status, sign, text, " ".join((answer.reason, *answer.notes)).strip())
