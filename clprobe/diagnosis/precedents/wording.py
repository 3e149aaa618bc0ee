# SPDX-License-Identifier: MIT
"""What is looked for in a report's lines; what clprobe's own rules ask is kept between runs."""

from collections.abc import Sequence

import msgspec

from clprobe.derived import code_of, derived
from clprobe.diagnosis.precedents.signs import Signs
from clprobe.diagnosis.precedents.worded import Worded
from clprobe.ruleset.rule import Rule
from clprobe.ruleset.rules import made_from


class Wording(msgspec.Struct, frozen=True):
    """The signs of rules, and their cues and patterns."""

    signs: Signs
    worded: Worded


def wording_of(rules: Sequence[Rule]) -> Wording:
    """Return that of rules."""
    return Wording(Signs.of(rules), Worded.of(rules))


def shipped_wording(rules: Sequence[Rule]) -> Wording:
    """Return that of clprobe's own rules, which these are."""
    sources = (*made_from(), *code_of("diagnosis/precedents"))
    return derived("wording", Wording, sources, lambda: wording_of(rules))
