# SPDX-License-Identifier: MIT
"""Puts the possible causes of a case in their order: by what speaks for them, and by precedents."""

from typing import Protocol

import msgspec

from clprobe.diagnosis.marks import marks_of
from clprobe.diagnosis.precedents.likelihood import likelihoods, shipped_ranking
from clprobe.diagnosis.precedents.resemblance import Precedents, Resemblance
from clprobe.diagnosis.precedents.traits import BY_WORDS, Circumstances, Traits, traits_of_rules
from clprobe.diagnosis.precedents.words import words_of, words_of_facts
from clprobe.diagnosis.rank import Ranked
from clprobe.diagnosis.reopened import told_against_facts, weighed
from clprobe.diagnosis.suspects import Case
from clprobe.model.snapshot import OUTSIDE, Snapshot
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.rule import Rule

_BEFORE_SYMPTOM = 2
"""So many causes come before what only has one, such as a crash."""
_BEFORE_DECIDED = 1
"""So many come before a cause that facts decide, however likely words make others."""


class Known(Protocol):
    """What is asked of the rules database."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules."""

    @property
    def precedents(self) -> Precedents:
        """The solved reports, ready to be searched."""


class Likeliest(msgspec.Struct, frozen=True, kw_only=True):
    """The undecided causes, the likeliest first, and the solved reports that are like the case.

    `leading` come before `decided`, the likeliest decided problem, and `following` after it: it may
    have a cause that nobody told.
    """

    leading: tuple[Outcome, ...] = ()
    decided: Ranked | None = None
    following: tuple[Outcome, ...] = ()
    like: Resemblance = Resemblance()

    @property
    def suspects(self) -> tuple[Outcome, ...]:
        """All of them."""
        return self.leading + self.following


def likeliest_causes(
    snapshot: Snapshot,
    case: Case,
    like: Resemblance | None,
    known: Known,
    *,
    resembling: bool = True,
) -> Likeliest:
    """Return them; nothing where there is no trouble, so that a healthy run reads no reports.

    `like` is what is like a report; None: nobody reports anything, and it was not asked for. Not
    `resembling`: solved reports are compared only where they rank causes.
    """
    is_report = like is not None
    if like is None:
        fails = any(one.severity == "error" for one in case.ranked)
        # From outside nobody asks drivers: that nothing is known of them is no trouble yet.
        in_trouble = fails or (snapshot.source != OUTSIDE and bool(case.explaining))
        if not in_trouble or not (resembling or case.explaining):
            return Likeliest()
        like = resemblance_of(snapshot, known.precedents)
    traits = traits_of_case(like, case, known)
    reopened = told_against_facts(case.outcomes, like.cues) if is_report else {}
    weights = shipped_ranking().weights
    likely = weighed(likelihoods(traits, weights), reopened)
    by_words = likelihoods(traits, weights, only=BY_WORDS) if is_report else {}
    suspects = case.suspects(likely, is_report=is_report, reopened=reopened, by_words=by_words)
    decided = [one for one in case.ranked if not one.outcome.rule.vital]
    best = max(decided, key=lambda one: likely[one.outcome.rule.id], default=None)
    own = likely[best.outcome.rule.id] if best is not None else 0.0
    before = sum(likely[one.rule.id] > own for one in suspects)
    if best is not None and best.outcome.rule.symptom:
        before = max(before, min(_BEFORE_SYMPTOM, len(suspects)))
    if case.is_decided:
        before = min(before, _BEFORE_DECIDED)
    return Likeliest(
        leading=tuple(suspects[:before]),
        decided=best if before < len(suspects) else None,
        following=tuple(suspects[before:]),
        like=like,
    )


def resemblance_of(snapshot: Snapshot, precedents: Precedents) -> Resemblance:
    """Return the solved reports and rules whose words are like those of the snapshot."""
    words = [word for line in snapshot.told for word in words_of(line)]
    words += words_of_facts(msgspec.to_builtins(snapshot))
    return precedents.like(words, snapshot.told)


def traits_of_case(like: Resemblance, case: Case, known: Known) -> dict[str, Traits]:
    """Return what speaks for each rule."""
    circumstances = Circumstances(
        ranked=case.ranked,
        explaining=case.explaining,
        like=like,
        usual=known.precedents.usual,
        marks_of=marks_of,
    )
    return traits_of_rules(known.rules, case.outcomes, circumstances)
