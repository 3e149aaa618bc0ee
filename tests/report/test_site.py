# SPDX-License-Identifier: MIT
"""The static site: whole, linked, searchable, and without a way out to the network."""

import functools
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.report.site.pages import site

KNOWLEDGE = Knowledge.load()


@functools.cache
def files() -> dict[str, str]:
    """Return the whole site, which takes seconds to make."""
    return dict(site(KNOWLEDGE))


@functools.cache
def pages() -> dict[str, str]:
    return {path: text for path, text in files().items() if path.endswith(".html")}


class _Reader(HTMLParser):
    """Collects what a page links to and loads, and whether its tags fit each other."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a":
            self.links.append(found["href"] or "")
        if tag in ("script", "link", "img"):
            self.loaded.append(found.get("src") or found.get("href") or "")
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _read(text: str) -> _Reader:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader


def test_everything_known_has_a_page() -> None:
    tables = KNOWLEDGE.tables
    expected = len(KNOWLEDGE.rules) + len(tables.gpus()) + len(tables.generations())
    expected += len(tables.implementations()) + len(tables.distributions()) + len(tables.stacks())
    expected += len(tables.families()) + len(tables.origins()) + len(tables.package_managers())
    expected += len(tables.programs()) + len(tables.interfaces())
    of_entries = [path for path in pages() if "matrix/" not in path]
    entries = [path for path in of_entries if not path.endswith("index.html")]
    assert len(entries) == expected
    assert "gpus/8086-0412.html" in entries


def test_every_link_leads_to_a_page_and_every_tag_is_closed() -> None:
    for path, text in pages().items():
        page = _read(text)
        assert page.open == []
        for link in page.links:
            if not link.startswith("https://"):
                target = _resolved(path, link)
                assert target in files(), f"{path} links to {link}"


def test_no_page_loads_anything_from_elsewhere() -> None:
    for path, text in pages().items():
        assert all(_resolved(path, name) in files() for name in _read(text).loaded)
        assert "fetch(" not in text


def test_the_search_index_names_every_entry() -> None:
    script = files()["search-index.js"]
    found = json.loads(script.removeprefix("const CLPROBE_PAGES = ").removesuffix(";\n"))
    assert all(path in files() for _, _, path, _ in found)
    titles = [title for title, *_ in found]
    assert any("HD Graphics 4600" in title for title in titles)
    assert len(titles) == len({path for _, _, path, _ in found})


def test_names_in_a_text_lead_to_their_pages() -> None:
    page = files()["generations/gen9.html"]
    assert '<a href="../drivers/compute-runtime-legacy1.html">compute-runtime-legacy1</a>' in page
    assert '<a href="../generations/gen9.html">' not in page


def test_every_matrix_cell_says_something() -> None:
    for path, text in pages().items():
        if path.startswith("matrix/"):
            cells = re.findall(
                r'<td class="(\w*)" title="([^"]*)"><span class="sign">(.)[*]?<', text
            )
            assert len(cells) == text.count("<td ")
            assert {status for status, _, _ in cells} <= {
                "supported", "not_supported", "unverified",
            }  # fmt: skip
            assert all(reason for status, reason, _ in cells if status != "supported")


def test_the_command_writes_the_site_and_spares_other_folders(tmp_path: Path) -> None:
    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "clprobe", "rules", "site", str(folder)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    target = tmp_path / "site"
    assert run(target).returncode == 0
    (target / "rules" / "gone.html").write_text("of a former run")
    assert run(target).returncode == 0
    assert {str(p.relative_to(target)) for p in target.rglob("*") if p.is_file()} == set(files())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    refused = run(tmp_path / "mine")
    assert (refused.returncode, "site-folder-in-use" in refused.stderr) == (2, True)
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def _resolved(path: str, link: str) -> str:
    parts: list[str] = list(PurePosixPath(path).parent.parts)
    for part in link.split("/"):
        if part == "..":
            parts.pop()
        elif part:
            parts.append(part)
    return "/".join(parts)
