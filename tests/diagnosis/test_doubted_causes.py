# SPDX-License-Identifier: MIT
"""What is decided in a report is doubted where its words tell of something else."""

import msgspec

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.finding import Diagnosis
from clprobe.paste.assemble import read_paste

KNOWLEDGE = Knowledge.load()


def _without_its_thread(name: str) -> Diagnosis:
    (report,) = (one for one in KNOWLEDGE.solved if one.report == name)
    return diagnose(read_paste(report.told, name=name), KNOWLEDGE.without(report.url))


def test_words_that_tell_of_another_cause_leave_the_decided_one_open() -> None:
    diagnosis = _without_its_thread("MichaIng/DietPi#4101")
    first, second = diagnosis.findings[:2]
    assert diagnosis.status == "undetermined"
    assert (first.id, first.suspect) == ("old-loader-first", False)
    assert second.suspect


def test_words_that_tell_of_the_same_cause_do_not() -> None:
    diagnosis = _without_its_thread("ROCm/legacy-rocm-build#939")
    assert diagnosis.status == "problems"
    assert diagnosis.root_cause == "pcie-atomics-missing"


def test_facts_without_words_stay_decided() -> None:
    (report,) = (one for one in KNOWLEDGE.solved if one.report == "MichaIng/DietPi#4101")
    facts = msgspec.structs.replace(read_paste(report.told, name="x"), told=(), statements=())
    diagnosis = diagnose(facts, KNOWLEDGE.without(report.url))
    assert (diagnosis.status, diagnosis.root_cause) == ("problems", "old-loader-first")
