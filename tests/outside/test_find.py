# SPDX-License-Identifier: MIT
"""What cannot be looked at is one clear sentence: no tool, no right, no such name, no answer."""

import re

import pytest
from made_up import ABSENT, UNKNOWN_NAME, MadeUpHost, described_as, host_facts, printed

from clprobe.model.errors import ClprobeError
from clprobe.outside.described import described
from clprobe.outside.find import find_container
from clprobe.outside.flatpaks import facts_in_flatpak
from clprobe.outside.snaps import facts_in_snap
from clprobe.probe.host import ToolAnswer


def failing(complaint: str, status: int = 1) -> ToolAnswer:
    return ToolAnswer(ended="exit", status=status, complaint=complaint)


@pytest.mark.parametrize(
    ("podman", "docker", "words"),
    [
        (ABSENT, ABSENT, "podman is not installed; docker is not installed"),
        (UNKNOWN_NAME, ABSENT, "podman knows none of that name"),
        (ABSENT, ToolAnswer(ended="timeout"), "docker did not answer within 5 s"),
        (
            ABSENT,
            failing(
                "permission denied while trying to connect to the Docker daemon socket at "
                "unix:///var/run/docker.sock"
            ),
            "this user may not use docker's socket",
        ),
        (
            ABSENT,
            failing(
                "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker "
                "daemon running?"
            ),
            "docker's service does not run",
        ),
        (failing("Error: a storm\nError: of stars", 125), ABSENT, "status 125: Error: of stars"),
    ],
    ids=["no tool", "no such name", "hangs", "socket refused", "no daemon", "something else"],
)
def test_what_does_not_work_is_said(podman: ToolAnswer, docker: ToolAnswer, words: str) -> None:
    host = MadeUpHost({"podman inspect": podman, "docker inspect": docker}).as_host()

    with pytest.raises(ClprobeError, match=words):
        find_container(host, "web", 5)


@pytest.mark.parametrize(
    "name", ["", "--help", "-v", "a b", "lxc:web", "podman:", "podman:-x", "a\n"]
)
def test_what_is_no_name_is_never_given_to_a_tool(name: str) -> None:
    host = MadeUpHost({"podman inspect": described_as()})

    with pytest.raises(ClprobeError, match=re.escape(repr(name))):
        find_container(host.as_host(), name, 5)
    assert host.asked == []


@pytest.mark.parametrize("name", ["--help", "a b"])
def test_nor_are_names_of_flatpaks_and_snaps(name: str) -> None:
    host = MadeUpHost({})
    for facts in (facts_in_flatpak, facts_in_snap):
        with pytest.raises(ClprobeError):
            facts(host.as_host(), name, host_facts(), 5)
    assert host.asked == []


def test_the_tool_may_be_named() -> None:
    told = {"podman inspect": described_as(), "docker inspect": described_as()}

    assert find_container(MadeUpHost(told).as_host(), "docker:web", 5).tool == "docker"


def test_one_that_runs_comes_first() -> None:
    stopped = described_as(State={"Status": "exited", "Running": False})
    told = {"podman inspect": stopped, "docker inspect": described_as()}

    assert find_container(MadeUpHost(told).as_host(), "web", 5).tool == "docker"


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b"[1]", b"[{}]", b'[{"Id": 1, "State": []}', b"\xff"]
)
def test_a_description_of_another_shape_is_said_to_be_one(text: bytes) -> None:
    with pytest.raises(ClprobeError, match="is not understood"):
        described(text, "podman", "web")


def test_flatpak_and_snap_say_that_they_know_none() -> None:
    host = MadeUpHost({
        "flatpak info": failing("error: org.x.App/*unspecified*/*unspecified* not installed"),
        "snap list": failing("error: no matching snaps installed"),
    }).as_host()  # fmt: skip
    with pytest.raises(ClprobeError, match="flatpak knows none of that name"):
        facts_in_flatpak(host, "org.x.App", host_facts(), 5)
    with pytest.raises(ClprobeError, match="snap knows none of that name"):
        facts_in_snap(host, "x", host_facts(), 5)


def test_a_classic_snap_is_not_confined() -> None:
    host = MadeUpHost({
        "snap list": printed("Name Version Rev Tracking Publisher Notes\ncode 1 2 s m classic\n")
    }).as_host()  # fmt: skip
    facts = facts_in_snap(host, "code", host_facts(), 5)

    assert facts.system.virtualization.container is None
    assert facts.device_nodes == host_facts().device_nodes
