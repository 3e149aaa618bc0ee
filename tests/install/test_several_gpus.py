# SPDX-License-Identifier: MIT
"""A machine with several GPUs gets the plan of the best, and a word on the others."""

import json

import pytest
from click.testing import CliRunner

from clprobe.cli.main import cli
from clprobe.install.advised import best_route
from clprobe.install.several import best_of, each_candidate, said_of_others
from clprobe.install.stated_gpu import stated_gpu
from clprobe.install.target import described, of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.action import SeePlan
from clprobe.model.codec import snapshot_from_text

TABLES = Tables.load()
_LAPTOP = (
    "system: {distribution: {id: ubuntu, version: '24.04'}, linux: {release: 6.8.0-41-generic},"
    " cpu: {architecture: x86_64}}\n"
    "gpus: [{pci_id: '8086:9bc4'}, {pci_id: '10de:1f91'}]\n"
)
_ONLY_CLOVER = (
    "icds: [{path: /etc/OpenCL/vendors/mesa.icd, library: {path: libMesaOpenCL.so.1}, answer:"
    " {stage: devices, outcome: no-devices, platforms: [{name: Clover, devices: []}]}}]\n"
)


def _each(*names, os="ubuntu-24.04"):
    base = of_snapshot(snapshot_from_text("{}", name="test"), TABLES)
    return [described(base, TABLES, gpu=name, os=os) for name in names]


@pytest.mark.parametrize(
    ("names", "planned"),
    [
        # The card before the GPU inside the processor, whatever the order.
        (("UHD 630", "GTX 1650"), "GTX 1650"),
        (("GTX 1650", "UHD 630"), "GTX 1650"),
        # What a driver drives before what none does.
        (("HD 3000", "GeForce GT 540M"), "GeForce GT 540M"),
        (("UHD 770", "HD 4850"), "UHD 770"),
        # A card of Intel's before an APU of AMD's.
        (("Ryzen 5 5600G", "Arc A770"), "Arc A770"),
        # Of two cards the one that was named first.
        (("B580", "GTX 1650"), "B580"),
        (("GTX 1650", "B580"), "GTX 1650"),
    ],
)
def test_the_best_is_planned_for(names, planned):
    os = "ubuntu-22.04" if "GeForce GT 540M" in names else "ubuntu-24.04"
    each = _each(*names, os=os)
    stated, made = best_of(each, TABLES, "opencl")
    assert stated.gpu.name == planned
    assert made.routes[0].uses_gpu
    [other] = [name for name in names if name != planned]
    assert said_of_others(stated, each) == (
        f'Planned for {planned}, one of 2 GPUs; for the rest: --gpu "{other}".'
    )


def test_nothing_is_said_of_one_gpu_nor_of_one_that_computes_nothing():
    each = _each("GTX 1650")
    assert said_of_others(best_of(each, TABLES, "opencl")[0], each) is None
    each = [*each, *_each("ASPEED")]
    assert said_of_others(best_of(each, TABLES, "opencl")[0], each) is None


def test_a_snapshot_of_two_gpus_is_planned_for_the_card(tmp_path):
    file = tmp_path / "laptop.yaml"
    file.write_text(_LAPTOP, "utf-8")
    for goal in ("opencl", "pytorch"):
        ran = CliRunner().invoke(
            cli, ["install-plan", "--from", str(file), "--goal", goal, "--json"]
        )
        assert json.loads(ran.stdout)["target"]["gpu"].startswith("10de:1f91")
        assert '--gpu "8086:9bc4"' in ran.stderr


def test_an_unknown_second_gpu_spoils_no_plan():
    snapshot = snapshot_from_text(_LAPTOP.replace("10de:1f91", "10de:ffff"), name="test")
    assert of_snapshot(snapshot, TABLES).others == ()


def test_gpus_keep_their_order_where_both_are_alike():
    each = _each("RTX 3060", "RTX 4070")
    assert best_of(each, TABLES, "opencl")[0].gpu == stated_gpu("RTX 3060", TABLES)


def test_doctor_sends_to_the_plan_of_the_gpu_it_speaks_of(tmp_path):
    file = tmp_path / "laptop.yaml"
    file.write_text(_LAPTOP + _ONLY_CLOVER, "utf-8")
    ran = CliRunner().invoke(cli, ["doctor", "--from", str(file), "--json"])
    found = {
        (one["id"], remedy["argv"][-1], *remedy["argv"][4:-2])
        for one in json.loads(ran.stdout)["findings"]
        for remedy in one["remedies"]
        if remedy["argv"][:2] == ["clprobe", "install-plan"]
    }
    assert {
        ("no-driver-for-gpu", "compute-runtime", "--gpu", "8086:9bc4"),
        ("no-driver-for-gpu", "nvidia", "--gpu", "10de:1f91"),
        # What is of the whole machine is planned for its best GPU, as install-plan does.
        ("no-opencl-device", "nvidia"),
    } <= found


def test_the_route_that_doctor_names_is_the_one_of_the_plan():
    snapshot = snapshot_from_text(_LAPTOP, name="test")
    for gpu, backend in ((None, "nvidia"), ("8086:9bc4", "compute-runtime")):
        route = best_route(snapshot, TABLES, SeePlan(goal="opencl", gpu=gpu))
        assert route is not None
        assert route.backend == backend


def test_a_name_of_several_families_is_planned_for_the_newest_and_says_so():
    ran = CliRunner().invoke(cli, ["install-plan", "--gpu", "GT 730", "--os", "debian 12"])
    assert ran.exit_code == 0
    assert ran.stdout.startswith("GT 730, Kepler (GeForce 600 and 700) on Debian 12")
    assert "GT 730 is the name of several GPUs." in ran.stderr
    assert "not GT 730, Fermi (GeForce 400 and 500): lspci -nn" in ran.stderr


@pytest.mark.parametrize(
    ("gpus", "gpu", "backend"),
    [
        # People who write, and lspci without -nn, name GPUs without their ids.
        ("{name: NVIDIA GeForce RTX 3060}", None, "nvidia"),
        ("{name: GT 730}", None, "nvidia"),
        ("{name: UHD 770}, {name: RTX 3060}", None, "nvidia"),
        ("{name: UHD 770}, {name: RTX 3060}", "UHD 770", "compute-runtime"),
        ("{name: RX 580}, {name: UHD 630}", "UHD 630", "compute-runtime"),
        # The same card, once by its id and once by its name.
        ("{pci_id: '10de:2504'}, {name: RTX 3060}", None, "nvidia"),
        ("{name: a GPU of no table}", None, "pocl"),
    ],
)
def test_gpus_that_are_only_named_are_planned_for(gpus, gpu, backend):
    named = f"system: {{distribution: {{id: debian, version: '12'}}}}\ngpus: [{gpus}]\n"
    snapshot = snapshot_from_text(named, name="test")
    route = best_route(snapshot, TABLES, SeePlan(goal="opencl", gpu=gpu))
    assert route is not None
    assert route.backend == backend


def test_a_finding_about_one_of_two_named_gpus_sends_to_its_plan(tmp_path):
    file = tmp_path / "two.txt"
    file.write_text("An Arc A770 and an RTX 3060, Ubuntu 24.04.\n$ clinfo\nNumber of platforms 0\n")
    ran = CliRunner().invoke(cli, ["doctor", "--from", str(file), "--json"])
    sent = {
        tuple(remedy["argv"][4:])
        for one in json.loads(ran.stdout)["findings"]
        for remedy in one["remedies"]
        if remedy["argv"][:2] == ["clprobe", "install-plan"]
    }
    assert {
        ("--gpu", "Intel Arc A770", "--backend", "compute-runtime"),
        ("--gpu", "NVIDIA RTX 3060", "--backend", "nvidia"),
    } <= sent


@pytest.mark.parametrize(
    ("cpu", "planned"),
    [
        ("Intel Core i7-7600U", "GPU inside Intel Core i7-7600U"),
        ("AMD A8-7650K", "GPU inside AMD A8-7650K"),
        ("AMD Ryzen 5 1600X", None),  # none is inside; which card there is, nobody tells
        ("a processor of no table", None),
    ],
)
def test_where_nobody_tells_of_a_gpu_it_is_the_one_inside_the_processor(cpu, planned):
    snapshot = snapshot_from_text(f"system: {{cpu: {{model: {cpu}}}}}\n", name="test")
    assert of_snapshot(snapshot, TABLES).target.gpu == planned


def test_a_card_that_may_be_driven_comes_before_a_workaround_for_the_gpu_beside_it():
    gpus = "gpus: [{name: Haswell-ULT Integrated Graphics Controller}, {name: Arc A750}]\n"
    each = each_candidate(of_snapshot(snapshot_from_text(gpus, name="test"), TABLES), TABLES)
    assert best_of(each, TABLES, "opencl")[0].gpu.name == "Arc A750"
