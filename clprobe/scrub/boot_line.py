# SPDX-License-Identifier: MIT
"""Boot parameters: those of drivers, devices and permissions stay, of others only the name."""

import re

from clprobe.knowledge.printed import Forms
from clprobe.scrub.replacing import Removed

REMOVED, ARGUMENTS = "removed", "removed-arguments"
_FORMS = Forms("boot_lines")


def in_text(text: str, removed: Removed) -> str:
    """Return a text whose boot command lines are without what only this host has."""

    def scrubbed(match: re.Match[str]) -> str:
        whole, line = match[0], match["line"]
        return whole[: len(whole) - len(line)] + scrubbed_line(line, removed)

    return _FORMS.line.sub(scrubbed, text) if removed.may_hold(text, _FORMS.line) else text


def scrubbed_line(line: str, removed: Removed) -> str:
    """Return a boot command line without what only this host has."""
    parameters, dashes, arguments = _split(line)

    def kept(match: re.Match[str]) -> str:
        name, equals, value = match[0].partition("=")
        name = name.strip('"')
        if not equals or value in {"", REMOVED} or _FORMS.dotted.fullmatch(name):
            return match[0]
        if _FORMS.kept.fullmatch(name):
            return match[0]
        removed.counts["boot-parameter"] += 1
        return f"{name}={REMOVED}"

    text = _FORMS.parameter.sub(kept, parameters)
    if arguments.strip() not in {"", ARGUMENTS}:
        removed.counts["boot-parameter"] += 1
        arguments = ARGUMENTS
    return text + dashes + arguments


def _split(line: str) -> tuple[str, str, str]:
    """Return parameters, the ` -- ` that ends them, and what is meant for init alone."""
    found = _FORMS.end.search(line)
    if found is None:
        return line, "", ""
    return line[: found.start()], found[0], line[found.end() :]
