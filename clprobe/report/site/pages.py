# SPDX-License-Identifier: MIT
"""Makes every page of the site: from README, the manual, docstrings, and the rules and tables."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import msgspec

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon import entries
from clprobe.explain.lexicon_entry import Entry
from clprobe.report import man_page
from clprobe.report.site.links import Linker, relative
from clprobe.report.site.manual_pages import command_pages, marked, topic_pages
from clprobe.report.site.matrix_pages import matrix_pages
from clprobe.report.site.python_page import documented, told_by
from clprobe.report.site.start_page import as_html
from clprobe.version import __version__

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


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """What pages are made of beside the rules and tables."""

    readme: str
    manual: Sequence[man_page.Page]
    """A page for each command, that of `clprobe` first."""
    public: Mapping[str, Any]
    """The names that Python programs import, and what they are."""
    package: object
    """Where they are imported from, which tells of them in its docstring."""


def site(knowledge: Knowledge, sources: Sources) -> dict[str, str]:
    """Return every file of the site by its path: pages, style, script and search index."""
    pages = list(_pages(knowledge))
    linker = Linker({page.name: page.path for page in pages})
    made = {page.path: _entry_page(page, linker) for page in pages}
    for kind, (folder, heading) in _KINDS.items():
        of_kind = [(page.entry.title, page.path) for page in pages if page.entry.kind == kind]
        made |= _list(folder, heading, of_kind)
    for path, title, body in matrix_pages(knowledge.tables, linker):
        made[path] = _rendered("matrix.html", path, title=title, **body)
    kinds = [
        (heading, f"{folder}/index.html", sum(p.entry.kind == kind for p in pages))
        for kind, (folder, heading) in _KINDS.items()
    ]
    here = "known/index.html"
    made[here] = _rendered("known.html", here, title="All that is known", kinds=kinds)
    told = list(_manual(sources))
    made |= {path: text for path, _, _, text in told}
    of_topics = [(title, path) for path, title, kind, _ in told if kind == "help"]
    made |= _list("help", "Help", of_topics)
    start = as_html(sources.readme)
    made["index.html"] = _rendered("start.html", "index.html", title="clprobe", body=start)
    found = [(title, kind, path, "") for path, title, kind, _ in told]
    found += [(p.entry.title, p.entry.kind, p.path, _also_known_as(p.entry)) for p in pages]
    made["search-index.js"] = _search_index(found)
    for asset in sorted((_FOLDER / "assets").iterdir()):
        made[asset.name] = asset.read_text("utf-8")
    return made


def _manual(sources: Sources) -> Iterator[tuple[str, str, str, str]]:
    """Yield path, title, kind and text of each page that tells how clprobe is used."""
    for path, title, body in command_pages(sources.manual):
        yield path, title, "command", _rendered("command.html", path, title=title, **body)
    for path, title, body in topic_pages():
        yield path, title, "help", _rendered("topic.html", path, title=title, **body)
    path, title = "python/index.html", "From Python"
    names = list(documented(sources.public))
    intro = told_by(sources.package)
    text = _rendered("python.html", path, title=title, names=names, intro=intro)
    yield path, title, "Python", text


def _list(folder: str, heading: str, links: Sequence[tuple[str, str]]) -> dict[str, str]:
    here = f"{folder}/index.html"
    return {here: _rendered("kind.html", here, title=heading, links=links)}


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

    return _environment().get_template(template).render(to=to, version=__version__, **values) + "\n"


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["marked"] = marked
    return made


def _search_index(found: Sequence[tuple[str, str, str, str]]) -> str:
    """Return a script, not JSON: a page opened from a folder may not fetch files."""
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return f"const CLPROBE_PAGES = {text};\n"


def _also_known_as(entry: Entry) -> str:
    asked = ("name", "chip", "chips", "codename", "generation", "summary", "because", "packages")
    return " ".join(text for label, text in entry.facts if label in asked).replace("\n", " ")
