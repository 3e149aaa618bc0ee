# SPDX-License-Identifier: MIT
"""What the setting of a report makes likely before any word of its trouble: an expert's priors."""

import re
from collections import defaultdict
from functools import cache, cached_property

import msgspec

from clprobe.knowledge.checked_yaml import read
from clprobe.model.finding import Source
from clprobe.resources import rules_path
from clprobe.ruleset.cues import Cue, Told, fits, parse_cue

_MOST = 4.0
"""Settings that agree are not independent: together they count no more than so much."""
NAMED_WORDS = re.compile(r"\{([^{}]+)\}")


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One setting: cues by which it is known, and what it `speaks` for (+) or against (-).

    Those are ids of rules and names of families; a rule named itself overrides its family.
    """

    id: str
    told: tuple[str, ...]
    speaks: dict[str, float]


class SettingsTable(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True
):
    """rules/tables/settings.yaml; `words` stand in cues as `{name}`, `families` hold rules."""

    about: str
    sources: dict[str, Source]
    words: dict[str, str]
    families: dict[str, tuple[str, ...]]
    settings: tuple[Setting, ...]

    @cached_property
    def _known(self) -> list[tuple[Setting, tuple[Cue, ...], dict[str, float]]]:
        return [
            (one, tuple(parse_cue(self.written_out(text)) for text in one.told), self.by_rule(one))
            for one in self.settings
        ]

    def written_out(self, cue: str) -> str:
        """Return the cue with the words that its names stand for. Raises: KeyError."""
        return NAMED_WORDS.sub(lambda found: self.words[found[1]], cue)

    def by_rule(self, setting: Setting) -> dict[str, float]:
        """Return what a setting says of each rule."""
        found: dict[str, float] = {}
        for name, value in setting.speaks.items():
            found |= dict.fromkeys(self.families.get(name, ()), value)
        return found | {n: v for n, v in setting.speaks.items() if n not in self.families}

    def found_in(self, told: Told) -> list[str]:
        """Return the settings that a report tells of."""
        return [one.id for one, cues, _ in self._known if any(fits(cue, told) for cue in cues)]

    def speaks_in(self, told: Told) -> dict[str, float]:
        """Return by rule how much likelier its settings make it, as a logarithm."""
        found: dict[str, float] = defaultdict(float)
        for _, cues, values in self._known:
            if any(fits(cue, told) for cue in cues):
                for rule, value in values.items():
                    found[rule] += value
        return {rule: max(-_MOST, min(_MOST, value)) for rule, value in found.items()}


@cache
def shipped_settings() -> SettingsTable:
    """Return rules/tables/settings.yaml. Raises: ClprobeError if it is malformed."""
    return read(rules_path() / "tables" / "settings.yaml", SettingsTable)
