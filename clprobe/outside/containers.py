# SPDX-License-Identifier: MIT
"""The facts that hold inside a container, by its description and by a shell in it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.model.snapshot import OUTSIDE, Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown, listed
from clprobe.outside.answers import Answer, Question, read_answers
from clprobe.outside.described import Container
from clprobe.outside.find import failure_of
from clprobe.outside.inside_host import STATUS, InsideHost
from clprobe.outside.not_running import beside, facts_by_description
from clprobe.probe.collect import collect
from clprobe.probe.host import Host, Tool

_MOST_ROUNDS = 16
_FIRST: tuple[Question, ...] = (
    ("text", STATUS),
    ("text", "/etc/passwd"),
    ("text", "/etc/group"),
    ("text", "/etc/os-release"),
    ("text", "/etc/apt/sources.list"),
    ("text", "/etc/pacman.conf"),
    ("text", "/etc/apk/repositories"),
    ("folder", "/etc/zypp/repos.d"),
    ("folder", "/etc/yum.repos.d"),
    ("folder", "/dev"),
    ("folder", "/dev/dri"),
    ("folder", "/etc/OpenCL/vendors"),
    ("cache", "-"),
    ("packages", "-"),
)
"""What is asked in any case, and would else take rounds of its own."""
_MOST_QUESTIONS = 400
_MOST_ICDS = 8
_GRACE_S = 2.0
_TAKES_ONE_FILE = "ocl-icd"
"""The loader for which OCL_ICD_VENDORS may name a single .icd file."""
_VENDORS = "OCL_ICD_VENDORS"
_UNSAFE = re.compile(r"[\n\x01\x00]")
_ABSENT = Answer("absent", b"")
_NO_SHELL = ("executable file not found", "no such file or directory", "not found")


class Inside(NamedTuple):
    """What holds inside, and what clinfo said there; by None all together, by path one ICD alone.

    `said` is empty where nobody could run it.
    """

    facts: Snapshot
    said: dict[str | None, str]


def look_inside(host: Host, container: Container, here: Snapshot, limit_s: float) -> Inside:
    """Return what holds inside, with `here`, the host's facts, beside it."""
    if not container.running:
        start = f"{container.tool} start NAME lets more be seen"
        why = f"the container does not run ({container.state}); {start}"
        return Inside(facts_by_description(host, container, here, Unknown(why)), {})
    try:
        facts = _by_shell(host, container, here, limit_s)
    except _NoShellError as error:
        return Inside(facts_by_description(host, container, here, Unknown(str(error))), {})
    return Inside(facts, dict(_said(host, container, facts, limit_s)))


def _said(
    host: Host, container: Container, facts: Snapshot, limit_s: float
) -> Iterator[tuple[str | None, str]]:
    """Yield what clinfo says of all ICDs, then of each alone where the loader can be told so."""
    together = _clinfo(host, container, limit_s)
    if together is None:
        return
    yield None, together
    kinds = {one.kind for one in listed(facts.loaders) if one.is_default is True}
    paths = [icd.path for icd in listed(facts.icds) if icd.searched_by]
    if len(paths) == 1:
        yield paths[0], together
    elif kinds == {_TAKES_ONE_FILE} and container.environment.get(_VENDORS) is None:
        for path in paths[:_MOST_ICDS]:
            alone = _clinfo(host, container, limit_s, "-e", f"{_VENDORS}={path}")
            if alone is not None:
                yield path, alone


def _clinfo(host: Host, container: Container, limit_s: float, *options: str) -> str | None:
    try:
        question = ("clinfo", f"{limit_s:g}")
        answers = _asked(host, container, [question], limit_s + _GRACE_S, *options)
    except _NoShellError:
        return None
    answer = answers.get(("clinfo", "-"), _ABSENT)
    return answer.body.decode("utf-8", "replace") if answer.word == "found" else None


class _NoShellError(Exception):
    """Nothing could be asked inside; the text says why."""


def _by_shell(host: Host, container: Container, here: Snapshot, limit_s: float) -> Snapshot:
    answers = _asked(host, container, list(_FIRST), limit_s)
    for _ in range(_MOST_ROUNDS):
        inside = InsideHost(host, answers, container.environment)
        facts = collect(inside, timeout_s=limit_s)
        if not inside.wanted:
            break
        for questions in _portions(inside.wanted):
            answers |= _asked(host, container, questions, limit_s)
        # Who was asked and did not answer is not asked again: a name may hold a line's end.
        answers |= {one: _ABSENT for one in inside.wanted if one not in answers}
    else:
        unknown = Unknown("the container was asked too often without an end")
        facts = replace(facts, loaders=unknown, icds=unknown, interfaces=unknown)
    virtual = facts.system.virtualization
    if not isinstance(virtual.container, str):
        virtual = replace(virtual, container=container.tool)
    system = replace(
        facts.system,
        virtualization=virtual,
        linux=here.system.linux,
        cpu=here.system.cpu,
    )
    return replace(
        facts,
        source=OUTSIDE,
        system=system,
        gpus=here.gpus,
        views=Unknown("no clinfo that could be stopped lies in the container"),
        frameworks=NOT_STATED,
        perspectives=beside(here),
    )


def _portions(wanted: dict[Question, None]) -> Iterator[list[Question]]:
    questions = [one for one in wanted if not _UNSAFE.search(one[1])]
    for start in range(0, len(questions), _MOST_QUESTIONS):
        yield questions[start : start + _MOST_QUESTIONS]


def _asked(
    host: Host, container: Container, questions: list[Question], limit_s: float, *options: str
) -> dict[Question, Answer]:
    """Return the answers of a shell inside. Raises: _NoShellError if there is none."""
    tool: Tool = "podman" if container.tool == "podman" else "docker"
    words = [word for question in questions for word in question]
    arguments = ("exec", "-i", *options, container.identifier, "sh", "-s", *words)
    told = host.ask_tool(tool, arguments, limit_s, "inside.sh")
    answers = read_answers(told.printed)
    if questions and not answers:
        complaint = told.complaint.lower()
        if told.ended == "exit" and any(words in complaint for words in _NO_SHELL):
            raise _NoShellError("the image has no sh that could look")
        raise _NoShellError(f"nobody could look inside: {failure_of(tool, told, limit_s)}")
    return answers
