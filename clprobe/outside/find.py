# SPDX-License-Identifier: MIT
"""Finds a container by its name, in podman or docker, and says clearly where that fails."""

import re
from collections.abc import Iterator
from typing import get_args

from clprobe.model.errors import ClprobeError
from clprobe.outside.described import Container, described
from clprobe.probe.host import Host, Tool, ToolAnswer

ENGINES: tuple[Tool, ...] = ("podman", "docker")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_LONGEST_WORDS = 300


def find_container(host: Host, text: str, limit_s: float) -> Container:
    """Return the container that `text` names: NAME, podman:NAME or docker:NAME.

    A running one comes before one that does not run.

    Raises: ClprobeError if there is none, or if nobody could tell.
    """
    engine, colon, name = text.partition(":")
    if not colon:
        engines, name = ENGINES, text
    elif engine in ENGINES:
        engines = tuple(one for one in ENGINES if one == engine)
    else:
        raise _no_name(text)
    if not _NAME.fullmatch(name):
        raise _no_name(text)
    failures: list[str] = []
    found = list(_found(host, engines, name, limit_s, failures))
    if not found:
        raise ClprobeError(
            reference="container-not-found",
            message=f"No container {name} could be looked at: {'; '.join(failures)}.",
            hint="`podman ps --all` and `docker ps --all` list those there are; podman shows each "
            "user only their own, so those of root need sudo.",
        )
    return next((one for one in found if one.running), found[0])


def check_name(name: str, *, kind: str) -> None:
    """Raise a ClprobeError if the name could be an option, or cannot be one of `kind`."""
    if not _NAME.fullmatch(name):
        raise ClprobeError(reference="no-such-name", message=f"{name!r} is no name of a {kind}.")


def _found(
    host: Host, engines: tuple[Tool, ...], name: str, limit_s: float, failures: list[str]
) -> Iterator[Container]:
    for engine in engines:
        answer = host.ask_tool(engine, ("inspect", "--type", "container", name), limit_s)
        if answer.ended == "exit" and answer.status == 0:
            yield described(answer.printed, engine, name)
        else:
            failures.append(failure_of(engine, answer, limit_s))


def failure_of(tool: Tool, answer: ToolAnswer, limit_s: float) -> str:
    """Return in a few words why a tool did not answer."""
    if answer.ended == "absent":
        return f"{tool} is not installed"
    if answer.ended == "timeout":
        return f"{tool} did not answer within {limit_s:g} s"
    words = answer.complaint.lower()
    if "permission denied" in words and "socket" in words:
        return f"this user may not use {tool}'s socket (its group is docker, or use sudo)"
    if "cannot connect" in words or "is the docker daemon running" in words:
        return f"{tool}'s service does not run, or not for this user"
    if "no such" in words or "not installed" in words:
        return f"{tool} knows none of that name"
    last = answer.complaint.strip().rpartition("\n")[2][:_LONGEST_WORDS]
    return f"{tool} failed with status {answer.status}" + (f": {last}" if last else "")


def _no_name(text: str) -> ClprobeError:
    engines = ", ".join(f"{one}:NAME" for one in get_args(Tool) if one in ENGINES)
    return ClprobeError(
        reference="no-such-container",
        message=f"{text!r} is no name of a container.",
        hint=f"Give NAME, or with the tool: {engines}.",
    )
