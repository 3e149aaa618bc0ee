# SPDX-License-Identifier: MIT
"""Plans for GPUs of AMD and NVIDIA, of which the tables know families by name."""

from clprobe.install.planner import plan
from clprobe.install.target import Stated, described, of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_from_text

TABLES = Tables.load()


def planned(gpu, os="ubuntu-24.04", goal="opencl"):
    return plan(described(Stated(), TABLES, gpu=gpu, os=os), TABLES, goal)


def of(made, backend):
    return [route for route in made.routes if route.backend == backend]


def test_pascal_gets_the_newest_driver_that_still_holds_it_with_its_module():
    [nvidia] = of(planned("GTX 1080"), "nvidia")
    assert nvidia.status == "supported"
    names = {c.name: c.version for c in nvidia.components}
    assert names == {
        "libnvidia-compute-580": "580.178.04-0ubuntu0.24.04.1",
        "nvidia-driver-580": "580.178.04-0ubuntu0.24.04.1",
    }
    refused = [r.because for r in planned("GTX 1080").rejected if r.backend == "nvidia"]
    assert any("615" in because and "before 581" in because for because in refused)


def test_debian_brings_the_module_of_the_same_version_and_says_where_it_is():
    nvidia = of(planned("10de:1eb8", "debian-12"), "nvidia")[0]
    assert [c.name for c in nvidia.components] == ["nvidia-opencl-icd", "nvidia-driver"]
    assert any("non-free" in step.argv for step in nvidia.steps)
    assert not any("usermod" in step.argv for step in nvidia.steps)


def test_rusticl_is_told_the_driver_of_the_vendor():
    [rusticl] = of(planned("1002:73bf"), "rusticl")
    assert any("RUSTICL_ENABLE=radeonsi" in step.title for step in rusticl.steps)


def test_polaris_gets_the_rocm_that_drops_it_only_with_the_variable_that_brings_it_back():
    [rocm] = of(planned("RX 580", "debian-13"), "amd-rocm")
    assert (rocm.components[0].version, rocm.status) == ("5.7.1-6+deb13u1", "workaround")
    assert any("ROC_ENABLE_PRE_VEGA=1" in step.title for step in rocm.steps)
    refused = [r.because for r in planned("RX 580", "fedora-44").rejected]
    assert any("rocm 7.1.1" in because and "before 7.0" in because for because in refused)


def test_a_snapshots_name_tells_the_family_but_only_a_plain_one():
    def target(name):
        text = f'gpus: [{{pci_id: "10de:1b80", name: "{name}"}}]'
        return of_snapshot(snapshot_from_text(text, name="test"), TABLES).target.gpu

    assert target("GP104 [GeForce GTX 1080]") == "10de:1b80 GP104 [GeForce GTX 1080]"
    assert target("GTX 1080; rm -rf ~") == "10de:1b80 GP104"
    assert of(planned(target("GP104 [GeForce GTX 1080]")), "nvidia")[0].status == "supported"


def test_cuda_is_a_route_on_nvidia_alone():
    assert {
        r.backend for r in planned("GTX 1080", goal="pytorch").routes if r.stack == "pytorch-cuda"
    } == {"nvidia"}
    stacks = {r.stack for r in planned("8086:5916", goal="pytorch").rejected}
    assert not stacks & {"pytorch-cuda", "rocm-pytorch"}
