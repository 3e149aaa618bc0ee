# SPDX-License-Identifier: MIT
"""Asks a shell in a running container, as the user that its program runs as."""

from typing import NamedTuple

from clprobe.outside.answers import Answer, Question, read_answers
from clprobe.outside.databases import worker_in
from clprobe.outside.described import Container
from clprobe.outside.find import failure_of
from clprobe.outside.inside_host import STATUS, InsideHost
from clprobe.probe.host import Host, Tool

ABSENT = Answer("absent", b"")
_NO_SHELL = ("executable file not found", "no such file or directory", "not found")


class NoShellError(Exception):
    """Nothing could be asked inside; the text says why."""


class AsWhom(NamedTuple):
    """As whom to look: options of exec, and groups that it cannot give."""

    options: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()


def find_worker(host: Host, container: Container, limit_s: float) -> AsWhom:
    """Return the user of the container's program, where it is started as root and goes on.

    Raises: NoShellError if nothing can be asked.
    """
    questions = [("text", STATUS), ("processes", "-")]
    answers = ask_inside(host, container, questions, limit_s)
    inside = InsideHost(host, answers, {})
    worker = worker_in(answers.get(("processes", "-"), ABSENT).body)
    if worker is None or container.sees_all_processes or inside.identity().uid != 0:
        return AsWhom()
    return AsWhom(("--user", f"{worker.uid}:{worker.gid}"), worker.groups)


def ask_inside(
    host: Host, container: Container, questions: list[Question], limit_s: float, *options: str
) -> dict[Question, Answer]:
    """Return the answers of a shell inside. Raises: NoShellError if there is none."""
    tool: Tool = "podman" if container.tool == "podman" else "docker"
    words = [word for question in questions for word in question]
    arguments = ("exec", "-i", *options, container.identifier, "sh", "-s", *words)
    told = host.ask_tool(tool, arguments, limit_s, "inside.sh")
    answers = read_answers(told.printed)
    if questions and not answers:
        complaint = told.complaint.lower()
        if told.ended == "exit" and any(words in complaint for words in _NO_SHELL):
            raise NoShellError("the image has no sh that could look")
        raise NoShellError(f"nobody could look inside: {failure_of(tool, told, limit_s)}")
    return answers
