# SPDX-License-Identifier: MIT
"""What public threads tell of containers, flatpaks and snaps is named first."""

import pytest
from cases import CASES, Case, in_container, in_flatpak, in_snap
from made_up import Inside, MadeUpHost, Node, described_as, host_facts

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.unknown import Unknown
from clprobe.outside.containers import look_inside
from clprobe.outside.find import find_container

_POCL = """Number of platforms                               1
  Platform Name                                   Portable Computing Language
Number of devices                                 1
  Device Name                                     pthread-AMD EPYC
  Device Type                                     CPU
"""
_WORKERS = ("0 0|0 0|0", "911 911|911 911|911")
_INSIDE = Inside(
    {
        "/etc/os-release": 'ID=debian\nVERSION_ID="12"\n',
        "/etc/OpenCL/vendors/pocl.icd": "libpocl.so.2\n",
    },
    clinfo=_POCL,
    libraries={"libOpenCL.so.1": "/lib/libOpenCL.so.1", "libpocl.so.2": "/lib/libpocl.so.2"},
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.thread.rpartition("github.com/")[2])
def test_the_cause_of_a_thread_is_named_first(case: Case) -> None:
    diagnosis = diagnose(case.facts(), Knowledge.load())

    assert diagnosis.root_cause in case.causes
    assert diagnosis.outside is not None


def test_what_clinfo_shows_inside_is_the_answer_of_the_only_driver() -> None:
    facts = in_container(host_facts(), described_as(), _INSIDE)

    assert isinstance(facts.icds, tuple)
    assert facts.icds[0].answer.outcome == "ok"
    assert facts.icds[0].library.path == "/lib/libpocl.so.2"


def test_a_working_cpu_driver_is_no_word_on_a_gpu_that_is_not_given() -> None:
    diagnosis = diagnose(in_container(host_facts(), described_as(), _INSIDE), Knowledge.load())

    assert diagnosis.root_cause == "container-without-gpu-node"


def test_a_container_that_does_not_run_is_never_fine() -> None:
    stopped = described_as(State={"Status": "exited", "Running": False})
    facts = in_container(host_facts(), stopped)
    diagnosis = diagnose(facts, Knowledge.load())

    assert isinstance(facts.icds, Unknown)
    assert diagnosis.outside is not None
    assert str(diagnosis.outside.unseen).startswith("the container does not run (exited)")
    assert not any(one.suspect for one in diagnosis.findings)  # nobody knows of any trouble
    assert diagnosis.status in ("problems", "undetermined")


def test_a_drivers_inside_that_nobody_asked_are_unknown() -> None:
    facts = in_container(host_facts(), described_as(), _INSIDE._replace(clinfo=None))

    assert isinstance(facts.views, Unknown)
    assert isinstance(facts.icds, tuple)
    assert isinstance(facts.icds[0].answer.outcome, Unknown)


def test_gpus_requested_from_a_runtime_are_not_said_to_be_missing() -> None:
    requested = described_as(
        State={"Status": "created", "Running": False},
        HostConfig={"DeviceRequests": [{"Driver": "nvidia", "Count": -1}]},
    )
    facts = in_container(host_facts("10de:2684", "nvidia"), requested)

    assert isinstance(facts.device_nodes, Unknown)


def test_a_node_that_opens_inside_is_no_problem() -> None:
    given = Inside({}, {"/dev/dri/renderD128": Node(109)})
    facts = in_container(host_facts(), described_as(), given)

    assert isinstance(facts.device_nodes, tuple)
    assert facts.device_nodes[0].open_error is None


def test_a_flatpak_with_all_devices_has_the_hosts_nodes() -> None:
    here = host_facts()

    assert in_flatpak(here, "devices=all;", "default\n").device_nodes == here.device_nodes


def test_a_connected_snap_has_the_hosts_nodes() -> None:
    here = host_facts()

    assert in_snap(here, "opengl x:opengl :opengl -").device_nodes == here.device_nodes


def test_what_starts_as_root_is_looked_at_as_the_user_it_goes_on_as() -> None:
    host = MadeUpHost({"docker inspect": described_as()}, _INSIDE._replace(processes=_WORKERS))
    look_inside(host.as_host(), find_container(host.as_host(), "name", 5), host_facts(), 5)

    looks = [line for line in host.asked if line.startswith("docker exec")]
    assert "docker exec -i --user 911:911" in looks
    assert sum("--user" not in line for line in looks) == 1  # the first, which finds the user


def test_processes_of_the_host_are_not_those_of_the_container() -> None:
    told = described_as(HostConfig={"PidMode": "host"})
    host = MadeUpHost({"docker inspect": told}, _INSIDE._replace(processes=_WORKERS))
    look_inside(host.as_host(), find_container(host.as_host(), "name", 5), host_facts(), 5)

    assert not any("--user" in line for line in host.asked)


def test_groups_that_only_the_program_has_are_predicted_and_not_tried() -> None:
    node = {"/dev/dri/renderD128": Node(109, says="sh: cannot open it: Permission denied")}
    inside = Inside({}, node, 911, processes=("911 911|911 911|109",))
    facts = in_container(host_facts(), described_as(), inside._replace(uid=0))
    diagnosis = diagnose(facts, Knowledge.load())

    assert isinstance(facts.device_nodes, tuple)
    assert isinstance(facts.device_nodes[0].open_error, Unknown)
    assert diagnosis.nodes[0].may_open is True


def test_what_a_slow_shell_did_not_answer_is_not_absent() -> None:
    host = MadeUpHost({"docker inspect": described_as()}, _INSIDE, answers_at_most=20)
    facts, _ = look_inside(
        host.as_host(), find_container(host.as_host(), "name", 5), host_facts(), 5
    )

    assert facts.icds == Unknown("the container's shell did not answer all in time")
    assert facts.loaders == facts.icds
