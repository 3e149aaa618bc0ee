# SPDX-License-Identifier: MIT
"""The matrix of Python, torch, stack, driver and release, against the tables' plain YAML."""

import html.parser
import json

import pytest
from plain_tables import fits, generations, gpus, releases, stacks

from clprobe.cli.main import main
from clprobe.install.target import Stated, described
from clprobe.install.version_matrix import version_matrix
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
GPUS = ("8086:0416", "8086:5916", "8086:e20b")


def rows_for(gpu):
    target = described(Stated(), TABLES, gpu=gpu, os=None)
    return version_matrix(target, TABLES)


@pytest.mark.parametrize("gpu", GPUS)
def test_every_row_is_a_combination_that_the_tables_hold(gpu):
    generation = gpus()[gpu]["generation"]
    rows = rows_for(gpu)
    assert len(rows) > 100
    for row in rows:
        stack = stacks()[row.stack]
        supports = [s for s in stack.get("supports", []) if generation in s.get("generations", [])]
        if row.status == "no":
            assert supports[0]["outcome"] == "fails"
            assert row.why == supports[0]["because"]
            continue
        assert row.release in releases()
        builds = [b for b in stack["builds"] if b["version"] == row.version]
        assert builds
        for python in row.python.split(" to "):
            assert any(fits(python, build["python"], "pep440") for build in builds)
        assert row.torch in {build.get("torch") for build in builds}
        if row.device == "gpu":
            assert supports[0]["outcome"] != "fails"
            assert row.driver in supports[0].get("via", [row.driver])
            assert row.driver not in generations()[generation].get("not_driven_by", {})
            if supports[0]["outcome"] == "untested":
                assert row.status == "unverified"


def test_every_release_and_every_python_of_a_build_is_there():
    rows = [row for row in rows_for("8086:5916") if row.stack == "pytorch-cpu"]
    assert {row.release for row in rows} == {
        key
        for key in releases()
        # torch's wheels are for glibc of 2.17 and later, and Alpine has musl.
        if not key.startswith(("conda-forge", "alpine"))
    }
    pythons = {row.python: row.torch for row in rows if row.release == "debian-12"}
    assert pythons == {"3.8": "2.4", "3.9": "2.8", "3.10": "2.14", "3.11 to 3.14": "2.15"}


def test_what_calls_no_opencl_stands_on_what_the_plan_puts_it_on():
    found = [row for row in rows_for("8086:9a49") if row.stack == "llama-cpp"]
    assert {(row.driver, row.driver_version, row.how) for row in found} == {
        ("vulkan", None, "by-hand")
    }


def test_a_stack_that_fails_on_the_hardware_has_one_row_with_the_reason():
    failing = [row for row in rows_for("8086:0416") if row.stack == "pytorch_dlprim"]
    assert [(row.status, row.release) for row in failing] == [("no", "any")]
    assert "does not run on Beignet" in failing[0].why


@pytest.fixture
def run(capsys):
    def run(*options):
        with pytest.raises(SystemExit) as ended:
            main(["install-plan", "--gpu", "8086:5916", "--os", "debian-12", "--matrix", *options])
        assert ended.value.code == 0
        return capsys.readouterr().out

    return run


def test_the_matrix_comes_as_table_markdown_json_and_page(run):
    document = json.loads(run("--json"))
    assert {row["stack"] for row in document["versions"]} >= {"pytorch_dlprim", "openvino"}
    text = run()
    assert "Versions that go together on debian-12" in text
    assert max(map(len, text.splitlines())) < 500
    assert "| pytorch-cpu | 2.15.0 | 2.15 | 3.11 to 3.14 | cpu |" in run("--format", "markdown")
    assert "<td>3.11 to 3.14</td>" in run("--format", "html")


class Page(html.parser.HTMLParser):
    """Collects what a page would fetch, and whether its tags close."""

    def __init__(self):
        super().__init__()
        self.fetched, self.open = [], []

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        self.fetched += [names[a] for a in ("src", "srcset", "data") if a in names]
        self.fetched += [tag] if tag in ("script", "link", "img", "iframe") else []
        if tag not in ("meta", "br", "!doctype"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_fetches_nothing_and_is_well_formed(run):
    page = Page()
    page.feed(run("--format", "html"))
    assert page.fetched == []
    assert page.open == []


def test_a_hostile_name_makes_no_markup(capsys, tmp_path):
    file = tmp_path / "host.yaml"
    file.write_text(
        'system: {distribution: {id: "<script>alert(1)</script>", version: "1"}}\n'
        'gpus: [{pci_id: "8086:5916"}]\n'
    )
    with pytest.raises(SystemExit):
        main(["install-plan", "--from", str(file), "--format", "html"])
    assert "<script" not in capsys.readouterr().out


def test_a_route_is_chosen_by_how_it_comes(run):
    out = run("--backend", "beignet:container", "--format", "sh")
    assert "podman" in out
    assert "podman" not in run("--backend", "beignet", "--format", "sh")
