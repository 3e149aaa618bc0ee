# SPDX-License-Identifier: MIT
"""Gathers what was printed into one text: reports quote messages without saying who spoke."""

from collections.abc import Iterator

from clprobe.model.opencl import Answer
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown


def everything_said(snapshot: Snapshot, log: Fact[str]) -> Fact[str]:
    """Return all texts of drivers, programs, package manager and Linux, a line or more each.

    `log` are the lines of Linux's log that count.

    It is empty where someone was asked and printed nothing, unknown where nobody was asked.
    """
    texts = [text for text in (log, *_texts(snapshot)) if isinstance(text, str)]
    asked = (snapshot.icds, snapshot.views, snapshot.messages)
    nobody_was_asked = all(isinstance(fact, Unknown) for fact in asked)
    return "\n".join(texts) if texts or not nobody_was_asked else NOT_STATED


def _texts(snapshot: Snapshot) -> Iterator[object]:
    if not isinstance(snapshot.messages, Unknown):
        yield from snapshot.messages
    yield snapshot.package_trouble
    for icd in () if isinstance(snapshot.icds, Unknown) else snapshot.icds:
        yield from _texts_of(icd.answer)
    for view in () if isinstance(snapshot.views, Unknown) else snapshot.views:
        yield from _texts_of(view.answer)
    for framework in () if isinstance(snapshot.frameworks, Unknown) else snapshot.frameworks:
        yield framework.message


def _texts_of(answer: Answer) -> Iterator[object]:
    yield answer.printed
    yield answer.message
    for platform in () if isinstance(answer.platforms, Unknown) else answer.platforms:
        for device in () if isinstance(platform.devices, Unknown) else platform.devices:
            yield device.build_log
