# SPDX-License-Identifier: MIT
"""Finds the weights of rules/tables/ranking.yaml from the solved reports, and writes them.

    python tests/diagnosis/fit_ranking.py [--print]

Each report is read the way its author posts it, and judged by what those of other threads tell.
The weights are those of a conditional logit, the likeliest ones for the rules that the reports
name, with a quadratic penalty; where reports say too little they stay near what reason says
(EXPECTED). The figures are of weights that had not seen the report's fold.
"""

import sys
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from zlib import crc32

import numpy as np
import yaml

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.diagnosis.likeliest import resemblance_of, traits_of_case
from clprobe.diagnosis.precedents.traits import TRAITS
from clprobe.diagnosis.presumptions import leaning
from clprobe.diagnosis.rank import rank
from clprobe.diagnosis.suspects import Case
from clprobe.facts.derive import derive
from clprobe.knowledge.solved_reports import SolvedReport
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot
from clprobe.paste.assemble import read_paste
from clprobe.ruleset.judge import ask

RANKING = Path(__file__).parents[2] / "rules" / "tables" / "ranking.yaml"
FOLDS, PENALTY, ROUNDS, RATE = 5, 0.01, 600, 0.4
EXPECTED = {"shut_out": 5.0, "admitted": -5.0, "setting_for": 1.0, "setting_against": 1.0}
"""Nobody who reports lists all groups of the user, but who does tells nearly everything; what a
setting says is a logarithm of how much likelier it makes a rule."""
GIVEN = {"opened": 1.5}
"""Not found from the reports, for the cues that open rules were written from the same ones: the
most at which no report that is not about such a rule changes its place among the first two."""
Sample = tuple[np.ndarray, np.ndarray]
"""Traits of all rules, float64 (rules, traits), and which are right, float64 (rules,)."""


def samples_of(report: SolvedReport, knowledge: Knowledge) -> list[Sample]:
    """Return the report as its author posts it, and as facts where these leave the cause open.

    Its own thread is left out of what is known.
    """
    known = knowledge.without(report.url)
    try:
        posted = read_paste(report.told, name=report.report)
    except ClprobeError:
        posted = Snapshot(told=tuple(report.told.splitlines()))
    stated = [report.snapshot] if report.undecided else []
    return [sample(one, report, known) for one in (posted, *stated)]


def sample(snapshot: Snapshot, report: SolvedReport, known: Knowledge) -> Sample:
    """Return the traits of the rules in one snapshot of the report."""
    outcomes = list(ask(known.rules, derive(snapshot, known.tables)))
    rules = {rule.id: rule for rule in known.rules}
    ranked = rank([one for one in outcomes if one.answer.truth], rules)
    like = resemblance_of(snapshot, known.precedents)
    outcomes = leaning(outcomes, snapshot, known.tables, rules, like.cues)
    case = Case(outcomes, ranked, rules, reported=True)
    traits = traits_of_case(like, case, known)
    values = np.array([[traits[rule][name] for name in TRAITS] for rule in rules])
    return values, np.array([float(rule in report.rules) for rule in rules])


def fitted(samples: list[Sample]) -> np.ndarray:
    """Return the weights, float64 (traits,), under which the right rules are likeliest."""
    expected = np.array([{**EXPECTED, **GIVEN}.get(name, 0.0) for name in TRAITS])
    found = np.array([name not in GIVEN for name in TRAITS])
    weights = expected.copy()
    for _ in range(ROUNDS):
        slope = PENALTY * len(samples) * (expected - weights)
        for values, right in samples:
            scores = values @ weights
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            wanted = likely * right / max(float(likely @ right), 1e-12)
            slope += (wanted - likely) @ values
        weights += RATE * slope / len(samples) * found
    return weights


def hits(samples: list[Sample], weights: np.ndarray) -> np.ndarray:
    """Return how many have a right rule first, and among the first two, int64 (2,)."""
    places = [
        int((values @ weights > max((values @ weights)[right > 0])).sum())
        for values, right in samples
    ]
    return np.array([sum(place < 1 for place in places), sum(place < 2 for place in places)])


def main(arguments: list[str]) -> None:
    """Fit, print the figures, and write the table unless only printing is asked for."""
    knowledge = Knowledge.load()
    reports = knowledge.solved
    with Pool() as pool:
        samples = pool.map(partial(samples_of, knowledge=knowledge), reports)
    fold = [crc32(one.url.encode()) % FOLDS for one in reports]
    found = np.zeros(2, dtype=int)
    for number in range(FOLDS):
        seen = [s for one, own in zip(samples, fold, strict=True) if own != number for s in one]
        unseen = [one[0] for one, own in zip(samples, fold, strict=True) if own == number]
        found += hits(unseen, fitted(seen))
    first, first_two = (round(float(share), 3) for share in found / len(samples))
    everything = [one for several in samples for one in several]
    table = {
        "about": "how much each trait of a case speaks for a rule",
        "made_by": "python tests/diagnosis/fit_ranking.py",
        "figures": {
            "reports": len(samples), "folds": FOLDS, "first": first, "first_two": first_two,
        },
        "weights": dict(
            zip(TRAITS, (round(float(one), 2) for one in fitted(everything)), strict=True)
        ),
    }  # fmt: skip
    text = yaml.safe_dump(table, sort_keys=False, width=100)
    sys.stdout.write(text)
    if "--print" not in arguments:
        RANKING.write_text(f"# SPDX-License-Identifier: MIT\n{text}", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
