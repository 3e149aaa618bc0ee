# SPDX-License-Identifier: MIT
"""Reads environment variables that matter to OpenCL: env, export, Environment=, ENV, -e."""

import re
from collections.abc import Iterator, Sequence

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.commands import CommandLine, command_line
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("variables")
_NAME = re.compile(r"[\"'A-Za-z_-]")


def read_variables(paste: Paste) -> Iterator[Reading]:
    """Give the variables that lines set, and those that commands were run with."""
    for index, line in paste.free():
        found = _FORMS.assigned.match(line) if _NAME.match(line) else None
        if found is None or (
            " " in found[0]
            and "=" not in found[0]
            and not found[0].startswith(("ENV", "-e", "setenv"))
        ):
            found = None
        if found is not None:
            value = (found["value"] or "").strip()
            package = _FORMS.tables["versions"].get(found["name"])
            if package is not None:
                packages = (Package(name=package, version=value or NOT_STATED),)
                yield Reading(lines=(index,), facts=Snapshot(packages=packages))
                continue
            facts = Snapshot(environment={found["name"]: value})
            yield Reading(lines=(index,), facts=facts, private=True)
        elif _FORMS.lists.match(paste.contexts[index].command) and _FORMS.other.match(line):
            yield Reading(lines=(index,), facts=Snapshot())
        elif (echoed := _FORMS.echoed.match(paste.contexts[index].command)) is not None:
            is_answer = index > 0 and "echo" in paste.lines[index - 1]
            if is_answer and _FORMS.name.fullmatch(echoed["name"]):
                facts = Snapshot(environment={echoed["name"]: line})
                yield Reading(lines=(index,), facts=facts, private=True)


def read_inline_variables(paste: Paste) -> Iterator[Reading]:
    """Give the variables of lines such as `OCL_ICD_VENDORS=/x clinfo`, which stay commands.

    A command that was run bare before is tried with the variable: it is not set otherwise.
    """
    for index, line in enumerate(paste.lines):
        if "=" not in line or (command := command_line(line)) is None:
            continue
        if _FORMS.inline.search(line) is None or _was_run(command, paste.lines[:index]):
            continue
        for found in _FORMS.inline.finditer(line):
            value = found["value"].strip("\"'")
            facts = Snapshot(environment={found["name"]: value})
            context = paste.contexts[index]
            yield Reading(lines=(), facts=facts, private=True, context=context)


def _was_run(command: CommandLine, before: Sequence[str]) -> bool:
    """Tell whether the lines before hold the same command without a variable."""
    ran = (command.command, command.who, command.where)
    likely = (one for one in before if "=" not in one and command.command in one)
    found = (command_line(one) for one in likely)
    return any(one is not None and (one.command, one.who, one.where) == ran for one in found)
