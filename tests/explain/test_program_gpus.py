# SPDX-License-Identifier: MIT
"""Whether a program takes a GPU: the answers of public sources, and what the pages say."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon import Entry, explain
from clprobe.knowledge.tables import Tables
from clprobe.resources import rules_path

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "program_gpus.yaml").read_text("utf-8"))[
    "cases"
]
_BEGINS = {"yes": r" takes? this GPU ", "no": r" by none of | not by ", "open": r"^not known"}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    """clprobe's own tables, with the programs beside this file in place of those of their name."""
    root = tmp_path_factory.mktemp("tables")
    for path in (rules_path() / "tables").iterdir():
        if path.name != "programs":
            (root / path.name).symlink_to(path)
    shutil.copytree(rules_path() / "tables" / "programs", root / "programs")
    for path in (HERE / "programs").glob("*.yaml"):
        shutil.copyfile(path, root / "programs" / path.name)
    return Knowledge((), Tables.load(root))


def text_of(entry: Entry) -> str:
    return "\n".join((entry.title, *(f"{label} {text}" for label, text in entry.facts)))


@pytest.mark.parametrize("case", CASES, ids=[case["ask"] for case in CASES])
def test_the_answer_is_that_of_the_source(case: dict[str, Any], knowledge: Knowledge) -> None:
    entry = explain(case["ask"], knowledge).entries[0]
    answer = dict(entry.facts)["answer"].partition("\n")[0]

    assert entry.kind == "program and GPU"
    assert [word for word, text in _BEGINS.items() if re.search(text, answer)] == [
        case["answer"]
    ], answer
    assert case.get("through", "") in answer
    assert [word for word in case.get("says", ()) if word not in text_of(entry)] == []


def test_a_program_says_its_ways_in_their_order_and_what_it_asks(knowledge: Knowledge) -> None:
    (entry,) = explain("hashcat", knowledge).entries
    facts = dict(entry.facts)

    assert entry.kind == "program"
    assert [line.partition(":")[0] for line in facts["reaches by"].split("\n")] == [
        *("CUDA", "ROCm", "OpenCL")
    ]
    assert "unless --force" in facts["asks"]
    assert "6.2.6" in facts["faults"]


def test_a_program_says_its_packaging_and_the_account_of_its_service(knowledge: Knowledge) -> None:
    facts = dict(explain("ollama", knowledge).entries[0].facts)

    assert "needs render group" in facts["packaged as"]
    assert facts["services"] == "ollama.service runs as ollama"


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("openvino", {"stack", "program"}),
        ("llama.cpp", {"stack", "program"}),
        ("pocl", {"driver"}),
        ("cuda", {"stack", "program", "interface"}),
        ("vulkan", {"interface"}),
        ("radv", {"interface"}),
        ("gimp", {"program"}),
        ("jellyfin", {"program"}),
    ],
)
def test_a_program_steals_no_name(name: str, kinds: set[str], knowledge: Knowledge) -> None:
    assert kinds <= {entry.kind for entry in explain(name, knowledge).entries}


@pytest.mark.parametrize(
    ("misspelt", "name"), [("hashcatt", "hashcat"), ("darktabel", "darktable"), ("olama", "ollama")]
)
def test_a_misspelt_program_is_found(misspelt: str, name: str, knowledge: Knowledge) -> None:
    explained = explain(misspelt, knowledge)

    assert explained.taken_for == name
    assert explained.entries[0].kind == "program"


@pytest.mark.parametrize(
    "asked",
    [
        "ollama HD 4600",
        "HD 4600 ollama",
        "ollama on the HD 4600",
        "HD 4600 with Ollama",
        "why does ollama not use my HD 4600?",
    ],
)
def test_the_order_and_the_words_around_do_not_matter(asked: str, knowledge: Knowledge) -> None:
    entries = explain(asked, knowledge).entries

    assert entries[0].title == "ollama on HD 4600 (Gen7.5, hsw)"
    assert "TeraScale" in entries[1].title  # a Radeon has that name, too


def test_a_program_that_computes_on_no_gpu_says_so(knowledge: Knowledge) -> None:
    (entry,) = explain("stockfish rx 580", knowledge).entries

    assert "computes on no GPU" in dict(entry.facts)["answer"]


def test_what_is_asked_in_words_alone_makes_it_a_may(knowledge: Knowledge) -> None:
    entry = explain("luxcore rx 580", knowledge).entries[0]

    assert "luxcore may take this GPU through OpenCL by " in dict(entry.facts)["answer"]


def test_what_nobody_entered_is_not_known(knowledge: Knowledge) -> None:
    (entry,) = explain("silentarmy rx 580", knowledge).entries

    assert dict(entry.facts)["answer"].startswith("not known: no table says")


def test_an_adapter_that_cannot_compute_is_no_gpu_for_any_program(knowledge: Knowledge) -> None:
    (entry,) = explain("darktable virtio gpu", knowledge).entries

    assert dict(entry.facts)["answer"].startswith("darktable cannot: ")


def test_chips_of_one_name_with_one_answer_share_a_page(knowledge: Knowledge) -> None:
    (entry,) = explain("darktable UHD 620", knowledge).entries

    assert "kbl" in entry.title
    assert "whl" in entry.title
