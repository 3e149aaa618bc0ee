# SPDX-License-Identifier: MIT
"""In a real browser: pages ask for nothing, keep nobody out, fit, and begin with the answer.

`browser.py` says what to install for it. CLPROBE_SCREENSHOTS names a folder for pictures.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import browser
import msgspec
import pytest
from invented_reports import full_report

from clprobe.cli.main import main
from clprobe.model.measurement import BenchReport
from clprobe.report.as_json import document
from clprobe.report.bench.html import bench_html

ROOT = Path(__file__).parents[2]
WIDTHS = (320, 768, 1280)
_OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
_OVERFLOW = "document.scrollingElement.scrollWidth - innerWidth"
_FAULTS = """axe.run(document).then(found => JSON.stringify(found.violations.map(
    each => `${each.id}: ${each.nodes.map(node => node.html.slice(0, 90)).join(' | ')}`)))"""
# How low the answer ends, and how much larger its letters are than the next largest that one sees.
_ANSWER = """(() => {
    const answer = document.querySelector('h1')
    const size = each => parseFloat(getComputedStyle(each).fontSize)
    const others = [...document.querySelectorAll('main *')].filter(each => each !== answer)
    return [answer.getBoundingClientRect().bottom, size(answer) - Math.max(...others.map(size))]
})()"""
DESCRIBED = ("--gpu", "HD 4600", "--os", "ubuntu-24.04", "--goal", "pytorch")
Printed = Callable[..., str]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            main([*arguments])
        return capsys.readouterr().out

    return run


def full_bench(_: Printed, __: Path) -> str:
    return bench_html(full_report())


def two_devices(_: Printed, __: Path) -> str:
    """Return the page of two devices of one name."""
    one, other = full_report(), full_report(gpu="1: Intel(R) HD Graphics 620 (another driver)")
    both: dict[str, object] = {
        name: getattr(one, name) + getattr(other, name)
        for name in ("results", "training", "verdicts", "contestants", "crossovers")
    }
    return bench_html(msgspec.structs.replace(one, **both))


def nothing_measured(_: Printed, __: Path) -> str:
    return bench_html(BenchReport(host={}, baseline="torch", results=(), training=(), verdicts=()))


def compared(printed: Printed, folder: Path) -> str:
    runs = []
    runs = {"before": full_report(), "after": full_report(speed=1.3)}
    for name, report in runs.items():
        (folder / f"{name}.json").write_text(document("clprobe.bench/1", report))
    files = [str(folder / f"{name}.json") for name in runs]
    printed("bench", "--compare", *files, "--output", str(folder / "page.html"))
    return (folder / "page.html").read_text("utf-8")


def closed_node(printed: Printed, _: Path) -> str:
    host = ROOT / "tests/hosts/debian-12-render-node-closed.yaml"
    return printed("doctor", "--from", str(host), "--format", "html")


def many_devices(printed: Printed, folder: Path) -> str:
    facts = {"devices": [{"name": f"GPU {at}", "type": "gpu", "available": True} for at in (0, 1)]}
    host = {"views": [{"viewer": "clinfo", "answer": {"platforms": [{"name": "P", **facts}]}}]}
    (folder / "host.yaml").write_text(json.dumps(host))
    return printed("doctor", "--from", str(folder / "host.yaml"), "--format", "html")


def plan(printed: Printed, _: Path) -> str:
    return printed("install-plan", *DESCRIBED, "--format", "html")


def plan_with_matrix(printed: Printed, _: Path) -> str:
    return printed("install-plan", *DESCRIBED, "--matrix", "--format", "html")


PAGES = (
    *(full_bench, two_devices, nothing_measured, compared, closed_node, many_devices),
    *(plan, plan_with_matrix),
)


@pytest.fixture(scope="module")
def tab() -> Iterator[browser.Tab]:
    program = browser.program()
    if program is None:
        pytest.skip(f"no browser here: none of {', '.join(browser.NAMES)}")
    with browser.started(program) as opened:
        yield opened


@pytest.fixture(scope="module")
def axe() -> str:
    script = browser.axe()
    if script is None:
        pytest.skip("no axe-core here: see browser.py")
    return script.read_text("utf-8")


@pytest.fixture
def file(request: pytest.FixtureRequest, printed: Printed, tmp_path: Path) -> Path:
    made = tmp_path / f"{request.param.__name__}.html"
    made.write_text(request.param(printed, tmp_path), "utf-8")
    return made


every_page = pytest.mark.parametrize("file", PAGES, ids=lambda page: page.__name__, indirect=True)


@every_page
def test_a_page_asks_for_nothing_fits_and_begins_with_the_answer(
    tab: browser.Tab, file: Path
) -> None:
    shots = os.environ.get("CLPROBE_SCREENSHOTS")
    for width in WIDTHS:
        for dark in (False, True):
            tab.open(file, width=width, dark=dark)
            if shots:
                shown = f"{file.stem}-{width}-{'dark' if dark else 'light'}.png"
                tab.screenshot(Path(shots, shown))
            low, larger = tab.evaluate(_ANSWER)
            folded = tab.evaluate(_OVERFLOW)
            tab.evaluate(_OPEN_ALL)
            assert (folded, tab.evaluate(_OVERFLOW)) == (0, 0), width
            assert low < 300, width
            assert larger > 0, width
            assert tab.requests() == [file.resolve().as_uri()]


@every_page
def test_axe_finds_nothing(tab: browser.Tab, axe: str, file: Path) -> None:
    for width in WIDTHS:
        for dark in (False, True):
            tab.open(file, width=width, dark=dark)
            tab.evaluate(f"{_OPEN_ALL};{axe};0")
            assert json.loads(tab.evaluate(_FAULTS)) == [], (width, dark)


def test_what_keeps_people_out_is_found(tab: browser.Tab, axe: str, tmp_path: Path) -> None:
    """A page with a fault of each kind fails each check."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!DOCTYPE html><html lang=en><title>t</title><main><h1 style='color:#ccc'>Faint</h1>"
        "<p style='width:2000px;font-size:4rem'>Wide</p><img src=gone.png></main></html>"
    )

    tab.open(bad, width=320, dark=False)

    assert tab.evaluate(_OVERFLOW) > 0
    assert tab.evaluate(_ANSWER)[1] < 0
    assert any(url.endswith("gone.png") for url in tab.requests())
    tab.evaluate(f"{axe};0")
    found = {each.partition(":")[0] for each in json.loads(tab.evaluate(_FAULTS))}
    assert found >= {"color-contrast", "image-alt"}


def test_pages_of_the_site_fit_and_axe_finds_nothing(
    tab: browser.Tab, axe: str, printed: Printed, tmp_path: Path
) -> None:
    """One page of each kind; what it asks for lies beside it."""
    printed("rules", "site", str(tmp_path))
    known = ("matrix/index", "matrix/beignet", "gpus/8086-0102", "rules/icd-crashes", "known/index")
    manual = ("index", "commands/doctor", "help/exit-status", "python/index")
    for kind in (*manual, *known):
        for width, dark in ((min(WIDTHS), False), (max(WIDTHS), True)):
            tab.open(tmp_path / f"{kind}.html", width=width, dark=dark)
            assert tab.evaluate(_OVERFLOW) == 0, (kind, width)
            assert all(each.startswith(tmp_path.as_uri()) for each in tab.requests())
            tab.evaluate(f"{_OPEN_ALL};{axe};0")
            assert json.loads(tab.evaluate(_FAULTS)) == [], (kind, width, dark)
