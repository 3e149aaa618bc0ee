# SPDX-License-Identifier: MIT
from typing import Any

import pytest

from clprobe.facts.facts import Facts, OpenclFacts, UserFacts
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.facts.paths import Scope
from clprobe.model.system import Linux, Package, System
from clprobe.model.unknown import SET, Unknown
from clprobe.ruleset.condition_file import ConditionError, parse_condition
from clprobe.ruleset.evaluate import Answer, evaluate

REFUSED = Unknown(unknown="permission denied")
TRUE = {"user.is_root": {"is": True}}
FALSE = {"user.uid": {"is": 5}}
UNKNOWN = {"user.name": {"is": "alice"}}
FACTS = Facts(user=UserFacts(uid=0, is_root=True, name=REFUSED))


def _evaluate(condition: dict[str, Any], facts: Facts = FACTS) -> Answer:
    return evaluate(parse_condition(condition, {}), Scope(facts))


@pytest.mark.parametrize(
    ("parts", "together", "either"),
    [
        ((TRUE, TRUE), True, True),
        ((TRUE, FALSE), False, True),
        ((TRUE, UNKNOWN), None, True),
        ((FALSE, FALSE), False, False),
        ((FALSE, UNKNOWN), False, None),
        ((UNKNOWN, UNKNOWN), None, None),
    ],
)
def test_all_and_any_follow_kleene_in_either_order(
    parts: tuple[dict[str, Any], ...], together: bool | None, either: bool | None
) -> None:
    for ordered in (parts, parts[::-1]):
        assert _evaluate({"all": list(ordered)}).truth is together
        assert _evaluate({"any": list(ordered)}).truth is either


@pytest.mark.parametrize(("part", "truth"), [(TRUE, False), (FALSE, True), (UNKNOWN, None)])
def test_not_turns_true_and_false_and_leaves_unknown(
    part: dict[str, Any], truth: bool | None
) -> None:
    assert _evaluate({"not": part}).truth is truth


def test_an_undecided_answer_names_the_fact_and_keeps_what_spoke_for_it() -> None:
    answer = _evaluate({"all": [TRUE, UNKNOWN]})
    assert [(gap.fact, gap.value) for gap in answer.gaps] == [("user.name", REFUSED)]
    assert [use.fact for use in answer.used] == ["user.is_root"]


def test_a_decided_any_rests_only_on_the_part_that_holds() -> None:
    assert [use.fact for use in _evaluate({"any": [UNKNOWN, TRUE]}).used] == ["user.is_root"]


GPUS = Facts(gpus=(GpuFacts(pci_id="8086:5916"), GpuFacts(pci_id=REFUSED)))


@pytest.mark.parametrize(
    ("kind", "pci_id", "truth"),
    [
        ("some", "8086:5916", True),
        ("some", "1002:0000", None),
        ("none", "8086:5916", False),
        ("none", "1002:0000", None),
        ("every", "8086:5916", None),
        ("every", "1002:0000", False),
    ],
)
def test_quantifiers_are_undecided_only_where_an_unknown_element_decides(
    kind: str, pci_id: str, truth: bool | None
) -> None:
    condition = {kind: {"in": "gpus", "as": "gpu", "where": {"gpu.pci_id": {"is": pci_id}}}}
    assert _evaluate(condition, GPUS).truth is truth


def test_a_list_that_is_only_an_excerpt_cannot_prove_absence() -> None:
    where = {"package.name": {"is": "pocl"}}
    condition = {"some": {"in": "packages", "as": "package", "where": where}}
    packages = (Package(name="clinfo"),)
    assert _evaluate(condition, Facts(packages=packages)).truth is False
    assert _evaluate(condition, Facts(packages=packages, excerpts=("packages",))).truth is None
    found = Facts(packages=(Package(name="pocl"),), excerpts=("packages",))
    assert _evaluate(condition, found).truth is True


def test_an_empty_excerpt_is_not_known_to_be_empty() -> None:
    empty = {"gpus": {"empty": True}}
    assert _evaluate(empty, Facts(gpus=())).truth is True
    assert _evaluate(empty, Facts(gpus=(), excerpts=("gpus",))).truth is None
    assert _evaluate(empty, Facts(gpus=REFUSED)).truth is None


@pytest.mark.parametrize(
    ("release", "operator", "bound", "truth"),
    [
        ("6.8.0-51-generic", "older_than", "6.10", True),
        ("6.10.3", "older_than", "6.10", False),
        ("4.15.0-34-generic", "at_least", "4.7", True),
        ("own-kernel", "older_than", "6.10", None),
    ],
)
def test_versions_compare_by_number_and_a_strange_one_is_undecided(
    release: str, operator: str, bound: str, truth: bool | None
) -> None:
    facts = Facts(system=System(linux=Linux(release=release)))
    assert _evaluate({"system.linux.release": {operator: bound}}, facts).truth is truth


def test_a_variable_that_nobody_looked_up_is_unknown_and_an_unset_one_is_null() -> None:
    unset = {"environment.LD_LIBRARY_PATH": {"is": None}}
    assert _evaluate(unset, Facts(environment={"LD_LIBRARY_PATH": None})).truth is True
    assert _evaluate(unset, Facts(environment={})).truth is None


def test_a_variable_of_unknown_value_is_known_to_be_set() -> None:
    facts = Facts(environment={"OCL_ICD_FILENAMES": SET})
    assert _evaluate({"environment.OCL_ICD_FILENAMES": {"is_not": None}}, facts).truth is True
    assert _evaluate({"environment.OCL_ICD_FILENAMES": {"is": None}}, facts).truth is False
    assert _evaluate({"environment.OCL_ICD_FILENAMES": {"contains": "x"}}, facts).truth is None


def test_a_fact_that_is_false_is_known() -> None:
    facts = Facts(opencl=OpenclFacts(usable_device=False))
    assert _evaluate({"opencl.usable_device": {"is": False}}, facts).truth is True


@pytest.mark.parametrize(
    ("condition", "complaint"),
    [
        ({"gpu.vendor": {"is": "intel"}}, "has no field 'gpu'; did you mean 'gpus'"),
        ({"system.linux.relaese": {"is": "6"}}, "Linux has no field 'relaese'.*'release'"),
        ({"user.uid": {"equals": 0}}, "no operator 'equals'"),
        ({"user.uid": {"less_than": "5"}}, "less_than cannot take '5'"),
        ({"gpus": {"matches": "x"}}, "gpus is a list"),
        ({"user.name": {"matches": "("}}, "no pattern"),
        ({"some": {"in": "user", "as": "x", "where": {"x": {"is": 1}}}}, "user is no list"),
        ([], "a condition is a mapping"),
    ],
)
def test_a_wrong_condition_is_refused_with_what_there_is(condition: Any, complaint: str) -> None:
    with pytest.raises((ConditionError), match=complaint):
        parse_condition(condition, {})
