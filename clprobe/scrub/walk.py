# SPDX-License-Identifier: MIT
"""Goes through all facts of a snapshot and treats each text by what it may hold."""

import re
from collections.abc import Mapping
from typing import Any

from clprobe.knowledge.printed import Forms
from clprobe.probe.environment import PRESENCE, is_recorded
from clprobe.scrub.boot_line import in_text, scrubbed_line
from clprobe.scrub.given_names import without_given_names
from clprobe.scrub.identifiers import is_secret, without_identifiers
from clprobe.scrub.names import Names, any_of
from clprobe.scrub.replacing import Removed, is_stand_in

_MOST_ROUNDS = 5
_ACCOUNTS = frozenset({"owner", "group", "who"})
_ACCOUNTS_BY_NAME = frozenset({"user", "groups", "database_groups", "gpu_groups"})
_FORMS = Forms("identifiers")
_NAMES_OF_TERMS = frozenset({"distribution", "packages", "frameworks", "service_unit"})
_BY_NAME = frozenset({"libraries", "module_versions"})  # mappings whose keys are facts
# What drivers call themselves: a name may stand in it, but what looks random is a version.
_TITLES = frozenset({"gpus", "platforms", "devices", "cpu"})


class Walk:
    """Scrubs one document with one set of stand-ins."""

    def __init__(self, names: Names, removed: Removed, identifiers: Mapping[str, str]) -> None:
        self._names = names
        self._removed = removed
        self._identifiers = {value.lower(): kind for value, kind in identifiers.items()}
        self._known = any_of(identifiers, flags=re.IGNORECASE)
        self._done: dict[tuple[str, str], str] = {}

    def apply(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the document with every text treated; variables that are not ours are dropped."""
        return {name: self._value(part, "", name) for name, part in document.items()}

    def _value(self, value: Any, parent: str, key: str) -> Any:
        if isinstance(value, str):
            return self._text(value, parent, key)
        if isinstance(value, list | tuple):
            return [self._value(part, parent, key) for part in value]
        return self._mapping(value, parent, key) if isinstance(value, dict) else value

    def _mapping(self, facts: dict[str, Any], parent: str, key: str) -> dict[str, Any]:
        if key == "scrubbed":
            return facts
        if key == "environment":
            return self._environment(facts)
        if key in _BY_NAME:
            return {
                self._text(name, "", ""): self._value(part, parent, key)
                for name, part in facts.items()
            }
        return {name: self._value(part, key, name) for name, part in facts.items()}

    def _environment(self, variables: dict[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in variables.items() if is_recorded(name)}
        self._removed.counts["environment-variable"] += len(variables) - len(kept)
        return {name: self._variable(name, value) for name, value in kept.items()}

    def _variable(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and name in PRESENCE:
            return "set"
        if isinstance(value, str) and is_secret(name) and not is_stand_in(value):
            return self._removed.stand_in("token", value)
        return self._value(value, "environment", "value")

    def _text(self, text: str, parent: str, key: str) -> str:
        if key in _ACCOUNTS or (key == "name" and parent in _ACCOUNTS_BY_NAME):
            return self._names.account(text)
        if key == "acl":
            return self._names.in_list(text)
        treatment = _treatment(parent, key)
        known = self._done.get((treatment, text))
        if known is None:
            counted = self._removed.counts.total()
            known = self._settled(text, treatment)
            if self._removed.counts.total() == counted:  # what is replaced again counts again
                self._done[treatment, text] = known
        return known

    def _settled(self, text: str, treatment: str) -> str:
        """Return the text treated until nothing is left to do: ends that meet may tell more."""
        for _ in range(_MOST_ROUNDS):
            treated = self._treated(text, treatment)
            if treated == text:
                break
            text = treated
        return text

    def _treated(self, text: str, treatment: str) -> str:
        text = self._without_known(text)
        if treatment == "boot":
            text = scrubbed_line(text, self._removed)
        elif treatment == "free":
            text = in_text(text, self._removed)
        if treatment != "term":
            text = without_given_names(text, self._removed)
        text = without_identifiers(text, self._removed)
        text = self._names.in_paths(text)
        if treatment != "term":
            text = self._names.in_words(text)
        if treatment in {"free", "boot"}:
            text = without_identifiers(text, self._removed, lookalike=True)
        return text

    def _without_known(self, text: str) -> str:
        """Return the text without the ids of this host, whatever their form."""
        if self._known is None:
            return text
        kinds = self._identifiers
        return self._known.sub(
            lambda match: self._removed.stand_in(kinds[match[0].lower()], match[0]), text
        )


def _treatment(parent: str, key: str) -> str:
    if key == "command_line":
        return "boot"
    if key in _FORMS.words["terms"] or (key == "name" and parent in _NAMES_OF_TERMS):
        return "term"
    if key in {"name", "vendor"} and parent in _TITLES:
        return "title"
    return "free"
