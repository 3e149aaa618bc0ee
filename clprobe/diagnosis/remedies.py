# SPDX-License-Identifier: MIT
"""Turns the closed set of remedy actions into exact commands for this system.

No action runs anything, and none lets a fact become shell text: each yields argument lists that a
person or the executor may run, and the way back.
"""

from collections.abc import Callable
from typing import Any

from msgspec import structs

from clprobe.commands.command_words import may_stand
from clprobe.commands.commands import remedy
from clprobe.facts.paths import Scope
from clprobe.knowledge.tables import Tables
from clprobe.model.action import Advise
from clprobe.model.finding import Remedy
from clprobe.model.shell_words import can_be_typed, shell_word
from clprobe.ruleset.evaluate import evaluate
from clprobe.ruleset.remedy_kinds import KINDS
from clprobe.ruleset.rule import Action, Rule, texts_in
from clprobe.ruleset.special_remedies import Site, ask_for_group
from clprobe.ruleset.templates import fill, missing_facts

# What to say where a command would have a hole; else the text of the rule, or the title.
_WITHOUT_FACTS = {
    "join_group_by_number": "See with ls -ln which group number it belongs to, and join that group",
    "configure_service": "Write {settings} below [Service] in a drop-in of the unit, then let "
    "systemd read the units anew and restart the service",
}
_UNSEEN = (
    "A name that a command would need holds characters that cannot be typed, so none is offered: "
    "ls -b shows them"
)
_SHELL_TEXTS = ("text", "value")
"""Arguments that hold text as the rule wrote it; facts in it are single words of a shell."""
_IN_SENTENCES = ("manual", "plan", "set_environment")
"""Kinds without any other argument, so that a fact which is lacking can be told."""


def remedies_of(rule: Rule, scope: Scope, tables: Tables) -> tuple[Remedy, ...]:
    """Return the rule's remedies that apply here, each with its command where one is known."""
    made: list[Remedy] = []
    site = Site(scope, tables)
    for action in rule.actions:
        if action.given is not None and not evaluate(action.given, scope).truth:
            continue
        made.append(structs.replace(_remedy(action, site), then=action.then and bool(made)))
    return tuple(made)


def _remedy(action: Action, site: Site) -> Remedy:
    """Return the remedy; one whose command would hold what is no name of its kind is told."""
    arguments = {
        key: _filled(value, site.scope, shell_word if key in _SHELL_TEXTS else str)
        for key, value in action.arguments.items()
    }
    if not all(can_be_typed(text) for value in arguments.values() for text in texts_in(value)):
        return remedy(_UNSEEN, Advise(), "when done")
    made = KINDS[action.kind](site, **arguments)
    if action.kind in _IN_SENTENCES:
        return made
    holes = {
        key
        for key, text in action.texts()
        if key not in _SHELL_TEXTS and missing_facts(text, site.scope)
    }
    if holes == {"mode"}:  # without the former mode nothing can be restored, and nothing is closed
        made = structs.replace(made, undo=None)
    elif holes:
        return _without_facts(made, action, arguments)
    filled = ((key, text) for key, value in arguments.items() for text in texts_in(value))
    if all(
        key in holes or may_stand(key, text, written)
        for (key, written), (_, text) in zip(action.texts(), filled, strict=True)
    ):
        return made
    title = arguments.get("text", made.title)
    return _in_words(made, f"{title}, by hand: no command can name it safely")


def _without_facts(made: Remedy, action: Action, arguments: dict[str, Any]) -> Remedy:
    if action.kind == "add_to_group":
        title = "See with ls -l which group it belongs to, and join it"
        return ask_for_group(title)
    words = _WITHOUT_FACTS.get(action.kind)
    if words is None:
        return _in_words(made, arguments.get("text", made.title))
    return _in_words(made, words.format(settings=" and ".join(arguments.get("settings", ()))))


def _filled(value: Any, scope: Scope, word: Callable[[str], str]) -> Any:
    """Return the argument with its facts filled in; flags stay what they are."""
    if isinstance(value, str):
        return fill(value, scope, word=word)
    if isinstance(value, dict):
        return {key: _filled(part, scope, word) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(_filled(part, scope, word) for part in value)
    return value


def _in_words(made: Remedy, title: str) -> Remedy:
    """Return a remedy without its command, for a person."""
    return structs.replace(made, title=title, action=Advise(), argv=None, undo=None)
