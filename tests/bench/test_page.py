# SPDX-License-Identifier: MIT
"""The bench page needs no network, fits every width and lets no name become markup."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import msgspec
import pytest
from invented_reports import CPU, GPU, full_report

from clprobe import __version__
from clprobe.model.measurement import BenchReport
from clprobe.report.bench.html import bench_html
from clprobe.report.bench.page.markup import page

HOSTILE = (
    '0: </title></svg><script>alert(1)</script>" onload="x\' &amp; \x1b[2J\u202e\ufffe\udc80]]>'
)
LARGEST_BYTES = 1 << 20
EMPTY = BenchReport(host={}, baseline="torch", results=(), training=(), verdicts=())
WRONG = msgspec.structs.replace(
    full_report(),
    results=tuple(
        msgspec.structs.replace(
            one,
            status="wrong-result",
            median=None,
            ci95=None,
            compile_ms=None,
            transfer_ms=None,
            kernel_ms=None,
            launch_ms=None,
            detail="its results are not numbers.",
        )
        for one in full_report().results
    ),
    training=tuple(
        msgspec.structs.replace(one, status="wrong-result", loss=(), accuracy=None)
        for one in full_report().training
    ),
    verdicts=tuple(
        msgspec.structs.replace(one, ratio=None, ci95=None, decision="refused")
        for one in full_report().verdicts
    ),
)
PAGES = {
    "full": bench_html(full_report()),
    "hostile": bench_html(full_report(gpu=HOSTILE)),
    "empty": bench_html(EMPTY),
    "wrong": bench_html(WRONG),
}


class Found(HTMLParser):
    """Notes every tag with its attributes and every id."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def pictures(page: str) -> list[ET.Element]:
    """Return every picture with its words, read as XML; samples in legends have none."""
    drawn = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    parsed = [ET.fromstring(one) for one in drawn]  # noqa: S314 - our own
    return [svg for svg in parsed if svg.get("aria-hidden") != "true"]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_on_the_page_asks_the_network(name: str) -> None:
    page = PAGES[name]

    tags = Found(page).tags

    assert not {tag for tag, _ in tags} & {"script", "link", "img", "iframe", "object", "base"}
    for _, attributes in tags:
        assert not attributes.keys() & {"src", "srcset", "href", "data", "background"}
        assert not [key for key in attributes if key.startswith("on")]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    assert not re.search(r"https?:|//|url\(|@import", style[1])
    assert set(re.findall(r"url\((.)", page)) <= {"#"}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_balanced_and_no_id_comes_twice(name: str) -> None:
    found = Found(PAGES[name])

    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]

    assert found.open == []
    assert len(ids) == len(set(ids))


def test_a_name_is_shown_and_never_obeyed() -> None:
    page = PAGES["hostile"]

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "\\x1b[2J\\u202e" in page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ufffe\udc80]", page)
    page.encode("utf-8")


@pytest.mark.parametrize("name", ["full", "hostile"])
def test_every_picture_is_valid_xml_and_has_words(name: str) -> None:
    drawn = pictures(PAGES[name])

    assert len(drawn) == 8
    for svg in drawn:
        words = {svg.find("title").get("id"), svg.find("desc").get("id")}  # type: ignore[union-attr]
        assert set(str(svg.get("aria-labelledby")).split()) == words
        assert svg.findtext("title")
        assert len(svg.findtext("desc") or "") > 40
        assert svg.get("role") == "img"


def test_every_picture_has_its_figures_in_a_table() -> None:
    page = PAGES["full"]

    figures = re.findall(r"<figure>.*?</figure>", page, re.DOTALL)

    assert len(figures) == len(pictures(page))
    assert all(one.count("<table>") == 1 and "<figcaption>" in one for one in figures)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_has_a_width_of_its_own(name: str) -> None:
    """Narrow screens are what fixed widths overflow; tables scroll inside their own box."""
    page = PAGES[name]

    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    for tag, attributes in Found(page).tags:
        assert "style" not in attributes
        if tag in {"svg", "table", "figure", "div", "td", "th"}:
            assert "width" not in attributes
    assert page.count("<table>") == len(re.findall(r'<div class="wide"[^>]*><table>', page))
    assert not re.search(r"[^-]width: *\d+(px|pt|in)", page)


def test_who_has_no_mouse_can_scroll_every_table() -> None:
    boxes = [
        attributes
        for tag, attributes in Found(PAGES["full"]).tags
        if tag == "div" and attributes.get("class") == "wide"
    ]

    assert boxes
    assert all(box["tabindex"] == "0" and box["aria-label"] for box in boxes)


def test_the_page_stays_small_however_long_the_training() -> None:
    report = full_report()
    long = tuple(
        msgspec.structs.replace(one, loss=one.loss * 100, reference_loss=one.loss * 100)
        for one in report.training
    )

    page = bench_html(msgspec.structs.replace(report, training=long))

    assert len(page.encode()) < LARGEST_BYTES / 4


def test_the_verdict_comes_before_the_pictures_and_these_before_the_tables() -> None:
    page = PAGES["full"]

    places = [page.index(part) for part in ("Use it for", "<svg", "<h2>All figures</h2>")]

    assert places == sorted(places)


def test_a_device_that_is_wrong_gets_reasons_and_no_picture() -> None:
    assert pictures(PAGES["wrong"]) == []
    assert "its results are not numbers." in PAGES["wrong"].partition("<h2>All figures</h2>")[0]


def test_what_is_not_known_is_absent() -> None:
    """A document of an earlier version has neither batches nor times nor peaks."""
    plain = msgspec.structs.replace(
        full_report(),
        results=tuple(
            msgspec.structs.replace(
                one,
                batch=None,
                intensity=None,
                compile_ms=None,
                transfer_ms=None,
                kernel_ms=None,
                launch_ms=None,
            )
            for one in full_report().results
        ),
        training=(),
        peaks=(),
        crossovers=(),
    )

    page = bench_html(plain)

    assert len(pictures(page)) == 1
    assert "Speed of the device over that of the CPU" in page
    assert "Roofline" not in page


def test_every_figure_is_in_a_table() -> None:
    tables = PAGES["full"].partition("<h2>All figures</h2>")[2]

    for shown in (GPU, CPU, "403", "61%", "2.00e-07", "0.00210", "bandwidth", "built without XPU"):
        assert shown in tables


def test_a_title_cannot_end_itself() -> None:
    assert "<title>&lt;/title&gt;</title>" in page("</title>", "")


def test_colours_exist_for_light_dark_and_paper() -> None:
    style = PAGES["full"].partition("<style>")[2].partition("</style>")[0]

    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    used = set(re.findall(r"var\((--[a-z0-9]+)\)", style)) - {"--s"}
    stated = set(re.findall(r"(--[a-z0-9]+):", style))
    assert used <= stated


ANSWER = full_report().headline
FACTS = (
    "HD Graphics 620 · Intel(R) OpenCL HD Graphics 24.35.30872 · Intel Core i5-7200U, 4 threads · "
    f"Debian 12 · clprobe {__version__} · 2026-11-27"
)
TILES = [
    ("train mlp", "! 2.3× to 4.8× slower", "at every batch, 1 to 1024"),
    ("train cnn", "✓ 1.1× to 1.4× faster", "from batch 64 on"),
    ("matmul", "✓ 1.1× faster", "in 1 of 2 cases"),
]


def test_the_page_answers_before_anything_else() -> None:
    page = PAGES["full"]

    assert f"<title>{ANSWER}</title>" in page
    assert f'<main>\n<h1>{ANSWER}</h1>\n<p class="faint">{FACTS}</p>\n<ul class="tiles">' in page
    tiles = re.search(r'<ul class="tiles">(.*?)</ul>', page, re.DOTALL)
    assert tiles is not None
    shown = re.findall(
        r"<li><span.*?>(.*?)</span><strong>(.*?)</strong><span>(.*?)</span>", tiles[1]
    )
    assert shown == TILES
    assert page.index("</ul>") < page.index("<svg")


@pytest.mark.parametrize("name", PAGES)
def test_every_table_is_folded(name: str) -> None:
    assert "<table" not in unfolded(PAGES[name])


def unfolded(page: str) -> str:
    """Return what is seen before anything is opened."""
    shown, depth = [], 0
    for part in re.split(r"(<details[^>]*>|</details>)", page.partition("<main>")[2]):
        if part.startswith("<details"):
            depth += "open=" not in part
        elif part == "</details>":
            depth -= depth > 0
        elif not depth:
            shown.append(part)
    return "".join(shown)


# At 1280 px: three columns of pictures; a line of text; what surrounds a picture.
COLUMN, COLUMNS, LINE, AROUND = 378, 3, 30, 110


def height(page: str) -> float:
    """Return about how many pixels the page takes at 1280 before anything is opened."""
    seen = unfolded(page)
    tall = [
        float(end) * COLUMN / 360 + AROUND
        for end in re.findall(r'<svg.*?viewBox="0 0 360 ([\d.]+)"', seen)
    ]
    rows = [max(tall[first : first + COLUMNS]) for first in range(0, len(tall), COLUMNS)]
    # Sentences wrap after some 150 letters.
    told = re.findall(r"<(?:p|li|h1|footer)\b[^>]*>(.*?)</(?:p|li|h1|footer)>", seen, re.DOTALL)
    lines = sum(1 + len(re.sub("<[^>]+>", "", one)) // 150 for one in told)
    return sum(rows) + (lines + 2 * page.count('class="part"')) * LINE


def test_the_page_is_lower_than_4000_pixels_before_anything_is_opened() -> None:
    full = full_report()
    # As many workloads as --full has.
    more = [
        (
            msgspec.structs.replace(result, workload=f"matmul-{size}", intensity=None),
            msgspec.structs.replace(verdict, workload=f"matmul-{size}"),
        )
        for size in range(36)
        for result, verdict in [(full.results[0], full.verdicts[0])]
    ]
    long = msgspec.structs.replace(
        full,
        results=(*full.results, *(result for result, _ in more)),
        verdicts=(*full.verdicts, *(verdict for _, verdict in more)),
    )

    assert len(long.verdicts) > 50
    assert 900 < height(PAGES["full"]) < height(bench_html(long)) < 4000
