# SPDX-License-Identifier: MIT
"""Which undecided problems are worth a line, and in which order: the likeliest cause first."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType

from clprobe.diagnosis.marks import SETTINGS, evidence_for, was_kept_from_us, weight_of
from clprobe.diagnosis.rank import Ranked, concern_the_same
from clprobe.facts.facts import DeviceFacts, ViewFacts
from clprobe.facts.paths import was_not_requested
from clprobe.model.finding import Severity
from clprobe.model.unknown import NOT_STATED, UNLISTED
from clprobe.ruleset.consequences import Reach
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.rule import Rule

_MOST_SUSPECTS = 4
_LEAST = 0.01
"""Less likely ones are not told."""
_FEW = 2
_NEARLY_AS_LIKELY = 0.1
"""How likely, beside a decided cause, one behind it must be to leave the case open."""
_MOST_BY_WORDS = 3
"""A decided cause that is not among so many that the words make likeliest is doubted."""
_ENDS = ("device", "application")
"""Where the chain ends: a problem there counts by itself, not by what it leads to."""


class Case:
    """All outcomes of one diagnosis, to ask what an undecided one would explain."""

    def __init__(
        self,
        outcomes: list[Outcome],
        ranked: list[Ranked],
        rules: dict[str, Rule],
        *,
        reported: bool,
    ) -> None:
        self.outcomes = outcomes
        self.ranked = ranked
        self._undecided = [one for one in outcomes if one.answer.truth is None]
        self._possible = {one.rule.id for one in outcomes if one.answer.truth is not False}
        self._reach = Reach(rules)
        self._reported = reported
        self._symptom = self._open_symptom(ranked)
        is_decided = bool(ranked) and ranked[0].severity == "error" and self._symptom is None
        self._decided = ranked[0].outcome if is_decided else None

    @property
    def is_open(self) -> bool:
        """Whether there is a symptom whose cause is not decided."""
        return self._symptom is not None

    @property
    def is_decided(self) -> bool:
        """Whether facts decide a cause."""
        return self._decided is not None

    def open_questions(self) -> list[Outcome]:
        """Return the vital question, our own failures, and what we failed to read.

        What waits only for facts that are gathered on request was never asked, and a cause all of
        whose consequences are known to be absent needs no answer.
        """
        return [
            one for one in self._undecided if one.rule.vital or one.fault or self._was_refused(one)
        ]

    @cached_property
    def explaining(self) -> dict[str, Outcome]:
        """By rule, the undecided causes of a symptom that nothing decided explains.

        Empty where the first finding is no symptom: then the cause is known.
        """
        return _best(one for one in self._undecided if self._would_explain(one))

    def suspects(
        self,
        likely: Mapping[str, float],
        *,
        is_report: bool,
        reopened: Mapping[str, Outcome] = MappingProxyType({}),
        by_words: Mapping[str, float] = MappingProxyType({}),
    ) -> list[Outcome]:
        """Return the undecided causes, the likeliest first.

        Of a report all that nothing refutes may be, for nobody writes one without trouble, and
        nobody tells everything: what is decided may have a cause of its own that nobody told.
        `reopened` are told of though facts refute them, `by_words` tells how likely the words
        alone make each rule.
        """
        found = self.explaining
        doubts = self._doubts(by_words)
        if is_report and self._decided is None:
            open_ones = _best(one for one in self._undecided if not one.rule.symptom)
            found = {**reopened, **open_ones, **found}
        elif is_report and self._decided is not None:
            found = self._behind(self._decided, likely) | doubts
        chosen = sorted(found.values(), key=lambda one: -likely[one.rule.id])
        told = [one for one in chosen if likely[one.rule.id] >= _LEAST]
        # A reporter's open symptom has a cause, however unlikely each is beside what is decided;
        # and the second one is named even where the first is far likelier.
        few = chosen[:_FEW] if is_report and (self.is_open or doubts) else []
        return max(told, few, key=len)[:_MOST_SUSPECTS]

    def _behind(self, decided: Outcome, likely: Mapping[str, float]) -> dict[str, Outcome]:
        """Return what could be the cause of the decided one, and is likely beside it."""
        least = likely[decided.rule.id] * _NEARLY_AS_LIKELY
        return _best(
            one
            for one in self._undecided
            if decided.rule.id in self._reach[one.rule.id] and likely[one.rule.id] >= least
        )

    def _doubts(self, by_words: Mapping[str, float]) -> dict[str, Outcome]:
        """Return what a report's words put first, where what is decided is not among it.

        A fact that was misread, or that is of another time or machine, decides as one that was read
        well; but then the words tell of something else.
        """
        first = sorted(by_words, key=lambda rule: -by_words[rule])[:_MOST_BY_WORDS]
        if self._decided is None or self._decided.rule.id in first:
            return {}
        return _best(one for one in self._undecided if one.rule.id in first)

    def behind_symptom(self) -> list[Outcome]:
        """Return all undecided causes of the open symptom, suggested by anything or not."""
        symptom = self._symptom
        if symptom is None:
            return []
        return [one for one in self._undecided if symptom.rule.id in self._reach[one.rule.id]]

    def _open_symptom(self, ranked: list[Ranked]) -> Outcome | None:
        """Return the symptom without a cause; the vital question counts while it is open.

        What is only a warning on a machine that works is what somebody reports about; of several
        GPUs it is the one whose trouble nothing explains.
        """
        if ranked and ranked[0].severity == "error":
            first = ranked[0].outcome
            other = unexplained(ranked, "error") if self._reported else None
            return first if first.rule.symptom else other
        vital = next((one for one in self._undecided if one.rule.vital), None)
        return vital or (unexplained(ranked, "warning") if self._reported else None)

    def _would_explain(self, one: Outcome) -> bool:
        symptom = self._symptom
        if symptom is None or one.rule.vital:
            return False
        if one.rule.symptom and not evidence_for(one):
            return False
        if symptom.rule.id not in self._reach[one.rule.id] or not concern_the_same(one, symptom):
            return False
        return _is_presumed(one) or self._is_worth_a_line(one, symptom)

    def _is_worth_a_line(self, one: Outcome, symptom: Outcome) -> bool:
        is_minor = one.rule.severity == "note" and one.rule.frequency != "common"
        # Of some facts nobody could look up anything that would decide it.
        hopeless = {use.value for use in one.answer.gaps} == {UNLISTED}
        if is_minor or hopeless or not _was_asked(one) or _needs_a_special_place(one):
            return False
        is_usual = one.rule.frequency == "common" and symptom.answer.truth is True
        return is_usual or bool(evidence_for(one)) or _is_about_hardware(one)

    def _was_refused(self, one: Outcome) -> bool:
        """Whether something speaks for a problem that matters, and we may not read what decides."""
        if one.rule.severity == "note" or not evidence_for(one) or not was_kept_from_us(one):
            return False
        effects = self._reach[one.rule.id]
        harmless = effects and not effects & self._possible and one.rule.link not in _ENDS
        return _was_asked(one) and not harmless


def _best(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """Return each rule's likeliest outcome; what asks about fewer things unknown is plainer."""
    best: dict[str, Outcome] = {}
    for one in sorted(outcomes, key=lambda one: (-weight_of(one), len(one.rule.loops))):
        best.setdefault(one.rule.id, one)
    return best


def unexplained(ranked: list[Ranked], severity: Severity) -> Outcome | None:
    """Return the first symptom at that level, though not the vital one, that nothing explains.

    At warning level that is, say, that programs disagree.
    """
    roots = (one for one in ranked if one.cause is None and one.severity == severity)
    symptoms = (one.outcome for one in roots if one.outcome.rule.symptom)
    return next((one for one in symptoms if not one.rule.vital), None)


def _is_presumed(outcome: Outcome) -> bool:
    return outcome.leans in ("likely", "possible")


def _was_asked(outcome: Outcome) -> bool:
    """Whether any of the lacking facts is one that a diagnosis gathers by itself."""
    gaps = outcome.answer.gaps
    return not gaps or not all(was_not_requested(use) for use in gaps)


def _needs_a_special_place(outcome: Outcome) -> bool:
    """Whether it needs a container, WSL, a distribution or a variable, and nobody tells of it.

    Whoever is in such a place says so, if anything.
    """
    places: tuple[str, ...] = SETTINGS
    if outcome.rule.frequency != "common":
        places += ("environment.",)  # few variables are set, and who set one names it
    return any(
        use.path.startswith(places) and use.value == NOT_STATED for use in outcome.answer.gaps
    )


def _is_about_hardware(outcome: Outcome) -> bool:
    """Whether it is about a part that is there; of what programs show anything may be unknown."""
    values = [bound.value for bound in outcome.scope.variables.values()]
    if not values or not isinstance(values[0], (DeviceFacts, ViewFacts)):
        return bool(values)
    return was_kept_from_us(outcome)
