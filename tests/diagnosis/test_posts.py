# SPDX-License-Identifier: MIT
"""Public posts as their reporters wrote them, read in full: what follows from them is enough.

Unlike tests/cases these snapshots hold no fact that the post does not state. The confirmed cause
comes first, or second where `place` says so, and no other one is named with certainty.
"""

from pathlib import Path
from typing import Any

import yaml

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Diagnosis

KNOWLEDGE = Knowledge.load()
MOST_MISSED = 2
"""Of the thirty, so many were not among the first two when this was written."""
POSTS = sorted((Path(__file__).parent.parent / "posts").glob("*.yaml"))


def _post(name: str) -> dict[str, Any]:
    path = next(one for one in POSTS if one.stem.startswith(name))
    post: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return post


def _diagnosed(facts: dict[str, Any]) -> Diagnosis:
    return diagnose(snapshot_from_text(yaml.safe_dump(facts), name="post"), KNOWLEDGE)


def test_what_follows_from_the_posts_leads_to_their_confirmed_causes() -> None:
    found = {
        path.stem: [finding.id for finding in _diagnosed(_post(path.stem)["facts"]).findings[:2]]
        for path in POSTS
    }
    missed = [name for name in found if not set(found[name]) & set(_post(name)["expect"])]
    assert len(missed) <= MOST_MISSED, missed


def test_all_posts_are_there() -> None:
    assert len(POSTS) == 30


def test_what_is_only_presumed_is_never_named_with_certainty() -> None:
    """A processor tells which GPU there is, as long as nobody switched it off."""
    diagnosis = _diagnosed(_post("066")["facts"])
    first = diagnosis.findings[0]
    assert (first.id, first.suspect, diagnosis.status) == (
        "driver-never-drove-gpu", True, "undetermined",
    )  # fmt: skip
    premises = {one.read_from for one in first.evidence if one.fact.startswith("gpus[")}
    assert premises == {"follows from: the GPU inside the processor Intel Core i5-3470"}


def test_a_stated_gpu_overrides_what_its_processor_tells() -> None:
    facts = {**_post("066")["facts"], "gpus": [{"name": "Intel Arc A770"}]}
    assert "driver-never-drove-gpu" not in [one.id for one in _diagnosed(facts).findings]


def test_a_third_partys_repository_makes_the_truth_no_less_likely() -> None:
    facts = _post("079")["facts"]
    sources = ["repositories.intel.com/gpu/ubuntu"]
    with_sources = _diagnosed({**facts, "package_sources": sources})
    assert [one.id for one in with_sources.findings][:2] == [
        one.id for one in _diagnosed(facts).findings
    ][:2]


def test_who_misses_a_device_is_not_told_that_all_is_well() -> None:
    shown = {"platforms": [{"name": "NVIDIA CUDA", "devices": [{"name": "P400", "type": "gpu"}]}]}
    view = {"viewer": "clinfo", "answer": {"outcome": "ok", **shown}}
    assert _diagnosed({"views": [view]}).status == "healthy"
    missed = _diagnosed({"views": [{**view, "misses": ["the Arc A770"]}]})
    assert (missed.status, missed.findings[0].id) == ("undetermined", "program-misses-platforms")


def test_programs_that_disagree_in_a_report_are_no_healthy_machine() -> None:
    facts = _post("034")["facts"]
    facts["views"][1]["answer"]["platforms"][0]["devices"] = [{"name": "P400", "type": "gpu"}]
    diagnosis = _diagnosed(facts)
    assert (diagnosis.status, diagnosis.findings[0].id) == ("undetermined", "icd-filenames-ignored")


def test_an_empty_platform_beside_a_full_one_stops_a_program_in_one_view_too() -> None:
    facts = _post("069")["facts"]
    platforms = [one["answer"]["platforms"][0] for one in facts["views"][1:]]
    answer = {"outcome": "error", "error_code": -1, "platforms": platforms}
    diagnosis = _diagnosed({**facts, "views": [{"viewer": "hashcat", "answer": answer}]})
    assert diagnosis.root_cause == "empty-platform-stops-program"
