# SPDX-License-Identifier: MIT
"""The facts that hold inside a container, by its description and by a shell in it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.model.hardware import DeviceNode
from clprobe.model.snapshot import OUTSIDE, Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed
from clprobe.outside.answers import Question
from clprobe.outside.described import Container
from clprobe.outside.inside_host import STATUS, InsideHost
from clprobe.outside.not_running import beside, facts_by_description
from clprobe.outside.shell import ABSENT, AsWhom, NoShellError, ask_inside, find_worker
from clprobe.probe.collect import collect
from clprobe.probe.host import Host

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
        as_whom = find_worker(host, container, limit_s)
        facts = _by_shell(host, container, here, limit_s, as_whom)
    except NoShellError as error:
        return Inside(facts_by_description(host, container, here, Unknown(str(error))), {})
    return Inside(facts, dict(_said(host, container, facts, limit_s, as_whom)))


def _said(
    host: Host, container: Container, facts: Snapshot, limit_s: float, as_whom: AsWhom
) -> Iterator[tuple[str | None, str]]:
    """Yield what clinfo says of all ICDs, then of each alone where the loader can be told so."""
    together = _clinfo(host, container, limit_s, *as_whom.options)
    if together is None:
        return
    yield None, together
    kinds = {one.kind for one in listed(facts.loaders) if one.is_default is True}
    paths = [icd.path for icd in listed(facts.icds) if icd.searched_by]
    if len(paths) == 1:
        yield paths[0], together
    elif kinds == {_TAKES_ONE_FILE} and container.environment.get(_VENDORS) is None:
        for path in paths[:_MOST_ICDS]:
            only = ("-e", f"{_VENDORS}={path}")
            alone = _clinfo(host, container, limit_s, *as_whom.options, *only)
            if alone is not None:
                yield path, alone


def _clinfo(host: Host, container: Container, limit_s: float, *options: str) -> str | None:
    try:
        question = ("clinfo", f"{limit_s:g}")
        answers = ask_inside(host, container, [question], limit_s + _GRACE_S, *options)
    except NoShellError:
        return None
    answer = answers.get(("clinfo", "-"), ABSENT)
    return answer.body.decode("utf-8", "replace") if answer.word == "found" else None


def _by_shell(
    host: Host, container: Container, here: Snapshot, limit_s: float, as_whom: AsWhom
) -> Snapshot:
    answers = ask_inside(host, container, list(_FIRST), limit_s, *as_whom.options)
    for _ in range(_MOST_ROUNDS):
        inside = InsideHost(host, answers, container.environment, as_whom.groups)
        facts = collect(inside, timeout_s=limit_s)
        wanted = [one for one in inside.wanted if not _UNSAFE.search(one[1])]
        if not wanted:
            break
        for questions in _portions(wanted):
            answers |= ask_inside(host, container, questions, limit_s, *as_whom.options)
        if any(one not in answers for one in wanted):  # what is not answered is not absent
            raise NoShellError("the container's shell did not answer all in time")
    else:
        raise NoShellError("the container was asked too often without an end")
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
        device_nodes=_with_devices(facts.device_nodes, here),
        views=Unknown("no clinfo that could be stopped lies in the container"),
        frameworks=NOT_STATED,
        perspectives=beside(here),
    )


def _with_devices(
    nodes: Fact[tuple[DeviceNode, ...]], here: Snapshot
) -> Fact[tuple[DeviceNode, ...]]:
    """Return the nodes; what stands behind one that nobody tried is told by the host's own."""
    if isinstance(nodes, Unknown):
        return nodes
    behind = {node.path: node.device_error for node in listed(here.device_nodes)}
    return tuple(
        replace(node, device_error=behind.get(node.path, NOT_STATED))
        if isinstance(node.open_error, Unknown)
        else node
        for node in nodes
    )


def _portions(questions: list[Question]) -> Iterator[list[Question]]:
    for start in range(0, len(questions), _MOST_QUESTIONS):
        yield questions[start : start + _MOST_QUESTIONS]
