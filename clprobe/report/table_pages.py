# SPDX-License-Identifier: MIT
"""The pages rules/tables/<folder>/README.md, generated from the tables: edit the YAML."""

from collections.abc import Iterator
from itertools import groupby

from clprobe.explain.lexicon import table_entries
from clprobe.explain.lexicon_entry import Entry
from clprobe.knowledge.tables import Tables
from clprobe.paste.forms import read_printed
from clprobe.report.markdown_text import code, links, plain, row
from clprobe.report.rule_pages import HEAD
from clprobe.resources import rules_path

_TITLES = {
    "generations": "Generations of Intel GPUs",
    "implementations": "OpenCL implementations",
    "distributions": "Distributions and their releases",
    "stacks": "Machine-learning stacks",
    "origins": "Repositories of third parties",
    "package_managers": "Package managers",
    "families": "Families of AMD's and NVIDIA's GPUs",
    "gpus": "Intel GPUs by PCI id",
}
_GPU_COLUMNS = ("chip", "kernel drivers", "OpenCL by")


def table_pages(tables: Tables) -> dict[str, str]:
    """Return the page of each folder below rules/tables, by the folder."""
    pages = {
        folder: "\n".join(_page(folder, entries))
        for folder, entries in table_entries(tables).items()
    }
    return pages | {"processors": "\n".join(_processors(tables))}


def printed_page() -> str:
    """Return the page of rules/tables/printed: what each file is about."""
    files = sorted((rules_path() / "tables" / "printed").glob("*.yaml"))
    abouts = [f"- [{path.stem}]({path.name}): {plain(read_printed(path).about)}" for path in files]
    return "\n".join([HEAD, "", "# What programs and people print", "", *abouts, ""])


def _page(folder: str, entries: list[tuple[str, Entry]]) -> Iterator[str]:
    yield HEAD
    yield ""
    yield f"# {_TITLES[folder]}"
    yield ""
    if folder == "gpus":
        yield from _gpus(entries)
        return
    yield ", ".join(f"[{name}](#{_anchor(entry.title)})" for name, entry in entries)
    yield ""
    for _, entry in entries:
        yield from _section(entry)


def _section(entry: Entry) -> Iterator[str]:
    yield f"## {plain(entry.title)}"
    yield ""
    for label, text in entry.facts:
        lines = text.split("\n")
        if label == "next":
            yield f"- {label}: {code(text)}"
        elif len(lines) == 1:
            yield f"- {label}: {plain(text)}"
        else:
            yield f"- {label}:"
            yield from (f"  - {plain(line)}" for line in lines)
    yield ""
    yield f"Sources: {links(entry.sources)}"
    yield ""


def _gpus(entries: list[tuple[str, Entry]]) -> Iterator[str]:
    """One table per generation; what all its ids share stands on the generation's own page."""
    described = [(pci_id, entry, dict(entry.facts)) for pci_id, entry in entries]
    for generation, of_generation in groupby(described, key=lambda one: one[2]["generation"]):
        yield f"## {plain(generation)}"
        yield ""
        yield row(("PCI id", "name", *_GPU_COLUMNS))
        yield "|---|---|" + "---|" * len(_GPU_COLUMNS)
        for pci_id, entry, facts in of_generation:
            name = entry.title.removeprefix(f"{pci_id}: ")
            cells = (pci_id, name, *(facts.get(label, "") for label in _GPU_COLUMNS))
            yield row(map(plain, cells))
        yield ""


def _processors(tables: Tables) -> Iterator[str]:
    yield HEAD
    yield ""
    yield "# Processors and the GPU inside them"
    yield ""
    yield row(("chip", "GPU", "processors"))
    yield "|---|---|---|"
    for table in tables.processors():
        for line in table.lines:
            chip, gpu = line.platform or "none", line.graphics or ""
            yield row(map(plain, (chip, gpu, ", ".join(line.processors))))
        yield ""
        yield f"Sources: {links(table.sources)}"
        yield ""


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub gives to a heading."""
    kept = (char for char in heading.lower() if char.isalnum() or char in " -_")
    return "".join(kept).replace(" ", "-")
