# SPDX-License-Identifier: MIT
"""What people write in sentences tells facts, which fill gaps and contradict no program."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pastes import contains, facts, read

SENTENCES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "sentences.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("one", SENTENCES, ids=lambda one: one["text"][:60])
def test_sentences_tell_their_facts_and_no_others(one: dict[str, Any]) -> None:
    told = facts(one["text"])
    assert contains(told, one["facts"]), told
    told.pop("unread", None)
    assert [word for word in one.get("lacks", ()) if word in str(told)] == []


def test_what_a_program_printed_stands_against_what_is_told() -> None:
    text = (
        "Ubuntu 20.04 with mesa 20.1, and clinfo finds nothing.\n\n```\n$ cat /etc/os-release\n"
        "ID=fedora\nVERSION_ID=41\n$ rpm -q mesa\nmesa-25.0.3-2.fc41.x86_64\n$ clinfo -l\n"
        "Platform #0: rusticl\n `-- Device #0: AMD Radeon RX 580\n```\n"
    )
    told = facts(text)
    assert told["system"]["distribution"]["id"] == "fedora"
    assert [package["version"] for package in told["packages"]] == ["25.0.3-2.fc41"]
    assert len(told["views"]) == 1
    assert told["views"][0]["answer"]["platforms"][0]["name"] == "rusticl"


def test_a_gpu_that_lspci_lists_is_not_told_a_second_time() -> None:
    text = "UHD 630 and a Radeon RX 580.\n\n```\n$ lspci | grep VGA\n00:02.0 VGA compatible controller: Intel Corporation CoffeeLake-S GT2 [UHD Graphics 630]\n```\n"  # noqa: E501
    names = [gpu["name"] for gpu in facts(text)["gpus"]]
    assert len(names) == 2
    assert "AMD Radeon RX 580" in names


def test_a_program_that_failed_without_a_name_gets_the_one_that_is_told() -> None:
    views = facts("clinfo fails with\n\n    clGetPlatformIDs: CL_PLATFORM_NOT_FOUND_KHR (-1001)")
    assert [(view["viewer"], view["answer"]["error_code"]) for view in views["views"]] == [
        ("clinfo", -1001)
    ]


def test_a_wrapped_sentence_is_read_over_its_lines() -> None:
    first = "This happens on a laptop of mine that has an Intel UHD Graphics"
    told = facts(f"No devices\n\n{first}\n630 and runs Debian 12.")
    assert [gpu["name"] for gpu in told["gpus"]] == ["Intel UHD Graphics 630"]
    assert told["system"]["distribution"]["version"] == "12"


@pytest.mark.parametrize(
    ("line", "is_listed"),
    [("Any ideas? Thanks!", False), ("Hi, about this GPU in general.", True)],
)
def test_greetings_are_not_listed_as_unread(line: str, is_listed: bool) -> None:
    assert bool(read(f"Arc A770, Debian 12.\n\n{line}").unread) is is_listed


def test_the_place_that_a_sentence_tells_is_that_of_the_output_below_it() -> None:
    told = facts(
        "Nothing works in singularity\n\nOn the host, where all is fine, clinfo prints a lot, "
        "but oddly nothing at\nthe end. There is a note:\n\n    Number of platforms    1\n"
        "      Platform Name          NVIDIA CUDA\n"
    )
    assert [one["where"] for one in told["perspectives"]] == ["host"]
    assert "NVIDIA CUDA" not in str(told.get("views"))


def test_a_place_is_not_that_of_an_output_where_the_words_go_elsewhere() -> None:
    told = facts(
        "OpenCL\n\nOn the host it is fine.\nWhen I enter the container, clinfo prints this:\n\n"
        "    Number of platforms    1\n      Platform Name          NVIDIA CUDA\n"
    )
    assert all(one["where"] != "host" for one in told.get("perspectives", ()))
