# SPDX-License-Identifier: MIT
"""Makes every page of the site from the rules and tables."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jinja2
import msgspec

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon import entries
from clprobe.explain.lexicon_entry import Entry
from clprobe.report.site.links import Linker, relative
from clprobe.report.site.matrix_pages import matrix_pages

_FOLDER = Path(__file__).parent
_KINDS = {
    "GPU": ("gpus", "GPUs"),
    "generation": ("generations", "Generations"),
    "family": ("families", "Families of AMD and NVIDIA"),
    "driver": ("drivers", "OpenCL implementations"),
    "distribution": ("distributions", "Distributions"),
    "stack": ("stacks", "Machine-learning stacks"),
    "program": ("programs", "Programs"),
    "interface": ("interfaces", "Interfaces beside OpenCL"),
    "origin": ("origins", "Repositories of third parties"),
    "package manager": ("package-managers", "Package managers"),
    "rule": ("rules", "Problems"),
}
"""Folder and heading of each kind of entry."""


class Page(msgspec.Struct, frozen=True):
    """One entry and where its page lies; `name` is what links to it."""

    path: str
    name: str
    entry: Entry


def site(knowledge: Knowledge) -> dict[str, str]:
    """Return every file of the site by its path: pages, style, script and search index."""
    pages = list(_pages(knowledge))
    linker = Linker({page.name: page.path for page in pages})
    made = {page.path: _entry_page(page, linker) for page in pages}
    for kind, (folder, heading) in _KINDS.items():
        here = f"{folder}/index.html"
        of_kind = [page for page in pages if page.entry.kind == kind]
        made[here] = _rendered("kind.html", here, title=heading, pages=of_kind)
    for path, title, body in matrix_pages(knowledge.tables, linker):
        made[path] = _rendered("matrix.html", path, title=title, **body)
    kinds = [
        (heading, f"{folder}/index.html", sum(p.entry.kind == kind for p in pages))
        for kind, (folder, heading) in _KINDS.items()
    ]
    made["index.html"] = _rendered("index.html", "index.html", title="clprobe", kinds=kinds)
    made["search-index.js"] = _search_index(pages)
    for asset in sorted((_FOLDER / "assets").iterdir()):
        made[asset.name] = asset.read_text("utf-8")
    return made


def _pages(knowledge: Knowledge) -> Iterator[Page]:
    for name, entry in entries(knowledge):
        file = re.sub(r"[^a-z0-9._-]+", "-", name.lower())
        yield Page(f"{_KINDS[entry.kind][0]}/{file}.html", name, entry)


def _entry_page(page: Page, linker: Linker) -> str:
    facts = [
        (label, [linker.linked(line, here=page.path) for line in text.split("\n")])
        for label, text in page.entry.facts
    ]
    return _rendered(
        "entry.html",
        page.path,
        title=page.entry.title,
        kind=_KINDS[page.entry.kind][1],
        facts=facts,
        sources=page.entry.sources,
    )


def _rendered(template: str, here: str, **values: object) -> str:
    def to(target: str) -> str:
        return relative(target, here)

    return _environment().get_template(template).render(to=to, **values) + "\n"


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def _search_index(pages: list[Page]) -> str:
    """Return a script, not JSON: a page opened from a folder may not fetch files."""
    found = [
        [page.entry.title, page.entry.kind, page.path, _also_known_as(page.entry)] for page in pages
    ]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return f"const CLPROBE_PAGES = {text};\n"


def _also_known_as(entry: Entry) -> str:
    asked = ("name", "chip", "chips", "codename", "generation", "summary", "because", "packages")
    return " ".join(text for label, text in entry.facts if label in asked).replace("\n", " ")
