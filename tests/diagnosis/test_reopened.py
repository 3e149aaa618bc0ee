# SPDX-License-Identifier: MIT
"""Causes that facts refute and the report tells of: which are open again, and what is said."""

from clprobe.diagnosis.decide import confirmation
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.diagnosis.reopened import reopened, told_against_facts, weighed
from clprobe.facts.derive import derive
from clprobe.paste.assemble import read_paste
from clprobe.ruleset.judge import Outcome, ask

KNOWLEDGE = Knowledge.load()
PASTE = (
    "$ ls -l /dev/dri /dev/kfd\n"
    "crw-rw-rw- 1 root render 226, 128 Nov 22 10:00 /dev/dri/renderD128\n"
    "crw-rw-rw- 1 root render 235, 0 Nov 22 10:00 /dev/kfd\n"
    "$ uname -r\n6.12.0-1-amd64\n$ id\nuid=1000(a) gid=1000(a) groups=1000(a),44(video)\n"
)
SNAPSHOT = read_paste(PASTE, name="paste")
OUTCOMES = list(ask(KNOWLEDGE.rules, derive(SNAPSHOT, KNOWLEDGE.tables)))


def _refuted(rule: str) -> bool:
    return all(one.answer.truth is False for one in OUTCOMES if one.rule.id == rule)


def _reopened(*rules: str) -> dict[str, Outcome]:
    return told_against_facts(OUTCOMES, rules)


def test_a_refuted_cause_is_open_again_where_the_report_tells_of_it() -> None:
    assert _refuted("node-for-root-only")
    assert _reopened("node-for-root-only")["node-for-root-only"].answer.truth is None
    assert _reopened() == {}


def test_a_common_one_stays_refuted_for_its_words_stand_everywhere() -> None:
    assert _refuted("render-node-not-accessible")
    assert _reopened("render-node-not-accessible") == {}


def test_one_that_is_open_anyway_stays_as_it_is() -> None:
    assert not _refuted("linux-breaks-driver")
    assert _reopened("linux-breaks-driver") == {}


def _open(text: str) -> set[str]:
    snapshot = read_paste(text, name="paste")
    asked = list(ask(KNOWLEDGE.rules, derive(snapshot, KNOWLEDGE.tables)))
    by_id = {rule.id: rule for rule in KNOWLEDGE.rules}
    found = reopened(asked, by_id, ()).outcomes
    return {one.rule.id for one in found if one.answer.truth is None}


def test_a_driver_that_nobody_named_may_have_a_faulty_release() -> None:
    told = "I have a GeForce GTX 1050. The package intel-opencl-icd is installed, too."
    assert "driver-release-is-faulty" in _open(told)


def test_who_lists_the_kfd_alone_tells_nothing_of_the_render_node() -> None:
    kfd = "clinfo crashes.\n\ncrw-rw-rw- 1 root root 240, 0 Mar  3 09:00 /dev/kfd\n"
    render = "crw-rw-rw- 1 root root 226, 128 Mar  3 09:00 /dev/dri/renderD128\n"
    assert "render-node-not-accessible" in _open(kfd)
    assert "render-node-not-accessible" not in _open(kfd + render)


def test_it_counts_less_than_what_nothing_refutes() -> None:
    likely = weighed({"told": 0.5, "open": 0.5}, {"told"})
    assert likely["told"] < likely["open"] == 0.5


def test_it_is_confirmed_by_another_look_at_what_refutes_it() -> None:
    one = _reopened("node-for-root-only")["node-for-root-only"]
    assert confirmation(one, SNAPSHOT).startswith("another look at ")
