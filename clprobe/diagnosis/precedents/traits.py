# SPDX-License-Identifier: MIT
"""What speaks for or against each rule in a case, as numbers: the input of the ranking."""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from clprobe.diagnosis.precedents.resemblance import Resemblance
from clprobe.diagnosis.precedents.signs import SignFit
from clprobe.diagnosis.precedents.subjects import subjects_of_rule
from clprobe.diagnosis.rank import Ranked
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.rule import Rule

TRAITS = (
    "resembles_one", "resembles_several", "described", "sign_near", "signs_near",
    "signs_scattered", "cued", "cues", "opened", "quoted", "subject_named", "subject_missing",
    "setting_for", "setting_against",
    "evidence", "setting", "telling", "refused", "shut_out", "admitted", "present", "leads",
    "refuted", "explains", "foremost", "weight", "leans_likely", "leans_possible",
    "leans_unlikely", "lacking", "quote_lacking", "usual", "symptom", "common", "rare", "note",
)  # fmt: skip
"""All names, in one order; rules/tables/ranking.yaml has the weight of each."""

BY_WORDS = (
    "resembles_one", "resembles_several", "described", "sign_near", "signs_near",
    "signs_scattered", "cued", "cues", "quoted", "subject_named", "subject_missing",
    "setting_for", "setting_against", "usual",
)  # fmt: skip
"""Those that a report's words make, whatever facts were read out of them."""

MARKS = ("weight", "evidence", "setting", "telling", "refused", "shut_out", "admitted")
"""Those of one outcome; a rule has the greatest of its outcomes."""

Traits = dict[str, float]
_MOST_CUES = 4
"""More that fit say the same once more."""


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a case besides the rules' outcomes.

    `explaining` are the rules that would explain the open symptom, the foremost first; `usual` says
    of how many reports each rule is the cause, `marks_of` what speaks for one outcome by itself.
    """

    ranked: Sequence[Ranked]
    explaining: Collection[str]
    like: Resemblance
    usual: Mapping[str, int]
    marks_of: Callable[[Outcome], Traits]


def traits_of_rules(
    rules: Iterable[Rule], outcomes: Iterable[Outcome], case: Circumstances
) -> dict[str, Traits]:
    """Return the traits of each rule."""
    by_rule: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        by_rule[one.rule.id].append(one)
    near = case.like.by_rule()
    foremost = {rule_id: place for place, rule_id in enumerate(case.explaining)}
    places = {one.outcome.rule.id: place for place, one in reversed(list(enumerate(case.ranked)))}
    return {
        rule.id: {
            "resembles_one": near[rule.id][0],
            "resembles_several": near[rule.id][1],
            "described": case.like.described.get(rule.id, 0.0),
            **_of_signs(case.like.signs.get(rule.id, SignFit())),
            "cued": float(rule.id in case.like.cues),
            "cues": min(case.like.cues.get(rule.id, 0), _MOST_CUES) / 2,
            "opened": float(rule.id in case.like.cues and _lacks_program(by_rule[rule.id])),
            "quoted": float(rule.id in case.like.quoted),
            **_of_subjects(rule, case.like.subjects),
            "setting_for": max(0.0, case.like.settings.get(rule.id, 0.0)),
            "setting_against": min(0.0, case.like.settings.get(rule.id, 0.0)),
            "leads": 1 / (1 + places[rule.id]) if rule.id in places else 0.0,
            "explains": float(rule.id in foremost),
            "foremost": 1 / (1 + foremost[rule.id]) if rule.id in foremost else 0.0,
            "usual": math.log1p(case.usual.get(rule.id, 0)),
            "symptom": float(rule.symptom),
            "common": float(rule.frequency == "common"),
            "rare": float(rule.frequency == "rare"),
            "note": float(rule.severity == "note"),
            **_of_outcomes(by_rule[rule.id], case.marks_of),
        }
        for rule in rules
    }


def _of_signs(fit: SignFit) -> Traits:
    """Return them by their tripled share, so that one weight's penalty suits all traits."""
    own = (fit.best, fit.several, fit.scattered)
    names = ("sign_near", "signs_near", "signs_scattered")
    return {name: 3 * share for name, share in zip(names, own, strict=True)}


def _of_subjects(rule: Rule, named: frozenset[str]) -> Traits:
    own = subjects_of_rule(rule.topic, rule.id)
    return {
        "subject_named": float(bool(own) and own <= named),
        "subject_missing": float(len(own - named)),
    }


def _lacks_program(outcomes: list[Outcome]) -> bool:
    """Whether it is open for want of a watched program; in a report only words open such a rule.

    It stands beside rules that nothing had to open, so that its words tell more than theirs do.
    """
    undecided = (one for one in outcomes if one.answer.truth is None)
    return any(use.path.startswith("program.") for one in undecided for use in one.answer.gaps)


def _of_outcomes(outcomes: list[Outcome], marks_of: Callable[[Outcome], Traits]) -> Traits:
    truths = {one.answer.truth for one in outcomes}
    marks = [marks_of(one) for one in outcomes if one.answer.truth is not False]
    leans = {one.leans for one in outcomes}
    gaps = [{use.path for use in one.answer.gaps} for one in outcomes if one.answer.truth is None]
    lacking = [
        len({use.fact for use in one.answer.gaps}) for one in outcomes if one.answer.truth is None
    ]
    return {
        **{name: max((one[name] for one in marks), default=0.0) for name in MARKS},
        "present": float(True in truths),
        "refuted": float(truths == {False}),
        **{f"leans_{side}": float(side in leans) for side in ("likely", "possible", "unlikely")},
        "lacking": min(lacking, default=0) / 5,
        # Nothing but the words that would decide it: nobody quotes them.
        "quote_lacking": float({"said"} in gaps),
    }
