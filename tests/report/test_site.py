# SPDX-License-Identifier: MIT
"""The static site: whole, linked, searchable, and without a way out to the network."""

import functools
import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import click

import clprobe
from clprobe.cli.guide.site_sources import site_sources
from clprobe.cli.main import cli
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.manual.topics import topic, topic_names
from clprobe.report.site.links import REPOSITORY
from clprobe.report.site.pages import site
from clprobe.resources import readme

KNOWLEDGE = Knowledge.load()
ROOT = Path(__file__).resolve().parents[2]
MANUAL = ("commands", "help", "python")
"""Folders of what tells how clprobe is used."""


@functools.cache
def files() -> dict[str, str]:
    """Return the whole site, which takes seconds to make."""
    return dict(site(KNOWLEDGE, site_sources(cli)))


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
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids.add(found.get("id") or "")
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
    entries = [
        path
        for path in of_entries
        if not path.endswith("index.html") and path.partition("/")[0] not in MANUAL
    ]
    assert len(entries) == expected
    assert "gpus/8086-0412.html" in entries


def test_every_link_leads_to_a_page_and_every_tag_is_closed() -> None:
    read = {path: _read(text) for path, text in pages().items()}
    for path, page in read.items():
        assert page.open == []
        for link in page.links:
            if not link.startswith("https://"):
                name, _, anchor = link.partition("#")
                target = _resolved(path, name) if name else path
                assert target in files(), f"{path} links to {link}"
                assert not anchor or anchor in read[target].ids, f"{path} links to {link}"


def test_links_to_the_project_lead_to_its_files() -> None:
    start = _read(files()["index.html"]).links
    ours = [link.removeprefix(f"{REPOSITORY}/blob/main/") for link in start if REPOSITORY in link]

    assert "SECURITY.md" in ours
    assert [one for one in ours if not (ROOT / one.partition("#")[0]).exists()] == []


def test_every_command_topic_and_public_name_has_its_page() -> None:
    all_commands = files()["commands/index.html"]
    for name in cli.list_commands(click.Context(cli)):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        page = _plain(files()[f"commands/{name}.html"])
        options = [one.opts[-1] for one in command.params if isinstance(one, click.Option)]
        assert [one for one in options if one not in page] == []
        assert f'<a href="../commands/{name}.html">clprobe {name}</a>' in all_commands
    for name in topic_names():
        page = " ".join(_plain(files()[f"help/{name}.html"]).split())
        assert [one for one in topic(name).blocks if " ".join(one.text.split()) not in page] == []
    public = _plain(files()["python/index.html"])
    names = [name for name in clprobe.__all__ if not name.startswith("_")]
    assert [name for name in names if f"clprobe.{name}" not in public] == []
    assert "run_kernels: bool = True" in public
    assert "Raises: ClprobeError if the file cannot be read" in public


def test_the_start_page_is_the_readme_and_every_page_has_the_same_navigation() -> None:
    start = _plain(files()["index.html"])
    headings = re.findall(r"^#+ (.*)$", re.sub("```.*?```", "", readme(), flags=re.S), re.M)

    assert [one for one in headings if one.replace("`", "") not in start] == []
    menus = {
        re.sub(r'href="(?:\.\./)*', 'href="', text.split("<nav")[1].split("</nav>")[0])
        for text in pages().values()
    }
    assert len(menus) == 1
    for folder in (*MANUAL, "gpus", "programs", "rules", "matrix", "known"):
        assert f'"{folder}/index.html"' in menus.copy().pop()


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


def _plain(page: str) -> str:
    """Return the words of a page."""
    return html.unescape(re.sub("<[^>]*>", "", page))


def _resolved(path: str, link: str) -> str:
    parts: list[str] = list(PurePosixPath(path).parent.parts)
    for part in link.split("/"):
        if part == "..":
            parts.pop()
        elif part:
            parts.append(part)
    return "/".join(parts)
