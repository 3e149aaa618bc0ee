# SPDX-License-Identifier: MIT
"""A rule as its file writes it: types, of which the published JSON Schema follows."""

from typing import Annotated

import msgspec

from clprobe.model.finding import Severity, Source
from clprobe.ruleset.remedy_file import ConditionText, Written, WrittenRemedy
from clprobe.ruleset.rule import Frequency, Link


class WrittenLoop(Written, frozen=True, kw_only=True):
    """`for_each`: asks once per element of the list at a path, named so in the rule."""

    path: str = msgspec.field(name="in")
    name: str = msgspec.field(name="as")


class WrittenRule(Written, frozen=True, kw_only=True):
    """A rule file; rules/README.md says what each field means."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: str
    severity: Severity
    link: Link
    when: ConditionText
    because: str
    sources: Annotated[tuple[Source, ...], msgspec.Meta(min_length=1)]
    since: str
    for_each: WrittenLoop | tuple[WrittenLoop, ...] = ()
    remedy: tuple[WrittenRemedy, ...] = ()
    explains: tuple[str, ...] = ()
    vital: bool = False
    symptom: bool = False
    circumstance: bool = False
    frequency: Frequency = "occasional"
    summary: str | None = None
    signs: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
