# SPDX-License-Identifier: MIT
"""Turns the closed set of remedy actions into exact commands for this system.

No action runs anything, and none lets a fact become shell text: each yields argument lists that a
person or the executor may run, and the way back.
"""

from collections.abc import Iterable

from msgspec import structs

from clprobe.commands.commands import remedy
from clprobe.diagnosis.command_words import may_stand
from clprobe.diagnosis.remedy_actions import BUILDERS, Site
from clprobe.facts.paths import Scope
from clprobe.knowledge.tables import Tables
from clprobe.model.action import Advise
from clprobe.model.finding import Remedy
from clprobe.model.shell_words import can_be_typed, shell_word
from clprobe.ruleset.evaluate import evaluate
from clprobe.ruleset.rule import Action, Rule
from clprobe.ruleset.templates import fill, missing_facts

# What to say where a command would have a hole.
_WITHOUT_FACTS = {
    "add_to_group": "See with ls -l which group it belongs to, and join it: "
    'sudo usermod -aG GROUP "$USER"',
    "join_group_by_number": "See with ls -ln which group number it belongs to, and join that group",
}
_UNSEEN = (
    "A name that a command would need holds characters that cannot be typed, so none is offered: "
    "ls -b shows them"
)
_SHELL_TEXTS = ("manual", "plan", "set_environment")
"""Kinds that hold text for a shell, as the rule wrote it; facts in it are words of their own."""


def remedies_of(rule: Rule, scope: Scope, tables: Tables) -> tuple[Remedy, ...]:
    """Return the rule's remedies that apply here, each with its command where one is known."""
    return tuple(_remedies(rule.actions, Site(scope, tables)))


def _remedies(actions: Iterable[Action], site: Site) -> Iterable[Remedy]:
    for action in actions:
        if action.given is not None and not evaluate(action.given, site.scope).truth:
            continue
        yield _remedy(action, site)


def _remedy(action: Action, site: Site) -> Remedy:
    """Return the remedy; one whose command would hold what is no name of its kind is told."""
    texts = action.arguments
    arguments = {key: fill(text, site.scope, word=str) for key, text in texts.items()}
    if not all(map(can_be_typed, arguments.values())):
        return remedy(_UNSEEN, Advise(), "when done")
    if action.kind in _SHELL_TEXTS:
        arguments = {key: fill(text, site.scope, word=shell_word) for key, text in texts.items()}
        return BUILDERS[action.kind](site, **arguments)
    made = BUILDERS[action.kind](site, **arguments)
    holes = {key for key, text in texts.items() if missing_facts(text, site.scope)}
    if holes == {"mode"}:  # without the former mode nothing can be restored, and nothing is closed
        made = structs.replace(made, undo=None)
    elif holes:
        return _in_words(made, _WITHOUT_FACTS.get(action.kind, made.title))
    if all(may_stand(key, text) for key, text in arguments.items() if key not in holes):
        return made
    return _in_words(made, f"{made.title}, by hand: no command can name it safely")


def _in_words(made: Remedy, title: str) -> Remedy:
    """Return a remedy without its command, for a person."""
    return structs.replace(made, title=title, action=Advise(), argv=None, undo=None)
