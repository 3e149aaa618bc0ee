# SPDX-License-Identifier: MIT
"""What reports of AMD's, Intel's and Arm's machines state in passing, and what they do not."""

import pytest

from clprobe.model.unknown import listed
from clprobe.paste.assemble import read_paste

REFUSED = (
    "docker: Error response from daemon: error gathering device information while adding "
    'custom device "/dev/kfd": no such file or directory.'
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ubuntu 18.04.4 LTS, graphics: AMD Radeon™ R5 M430 (2 GB DDR3)", "AMD Radeon R5 M430"),
        ("I have the same on Vega/gfx900.", "AMD gfx900"),
        ("I own an arc770 and clinfo finds nothing", "Intel Arc A770"),
        ("rk3588 docker, OpenCL does not work", "rk3588"),
    ],
)
def test_a_gpu_is_named_in_a_sentence(text: str, name: str) -> None:
    assert [gpu.name for gpu in listed(read_paste(text, name="x").gpus)] == [name]


def test_nix_states_linux_and_the_distribution_in_one_value() -> None:
    system = read_paste(" - host os: `Linux 6.1.78, NixOS, 24.05 (Uakari)`", name="x").system
    assert (system.linux.release, system.distribution.id) == ("6.1.78", "nixos")


def test_an_address_in_the_log_is_no_release() -> None:
    text = "kernel: Fence expiration time out i915-0000:03:00.0:server[5816]:14c!"
    linux = read_paste(text, name="x").system.linux
    assert not isinstance(linux.release, str)
    assert "Fence expiration" in str(linux.log)


@pytest.mark.parametrize(("refusal", "paths"), [("", ["/dev/kfd"]), (REFUSED, [])])
def test_a_node_that_docker_refused_is_not_there(refusal: str, paths: list[str]) -> None:
    text = f"docker run --device=/dev/kfd rocm/pytorch:latest\n\n{refusal}\n"
    nodes = listed(read_paste(text, name="x").device_nodes)
    assert [node.path for node in nodes] == paths


def test_a_downgrade_is_trouble_and_no_package() -> None:
    text = "dpkg: warning: downgrading intel-igc-core from 1.0.7712 to 1.0.7683"
    snapshot = read_paste(text, name="x")
    assert "downgrading" in str(snapshot.package_trouble)
    assert [one.name for one in listed(snapshot.packages)] != ["from"]


def test_a_sentence_quotes_a_failed_call_in_its_own_words() -> None:
    text = "Under strace I see that the DRM_IOCTL_I915_GEM_EXECBUFFER2 call returns EINVAL."
    assert "EINVAL" in "".join(listed(read_paste(text, name="x").messages))


def test_devices_without_the_gpu_are_not_the_gpu() -> None:
    text = "Ubuntu 20.04. With the openvino sample I get two devices, CPU and GNA, no GPU."
    views = listed(read_paste(text, name="x").views)
    assert not any(device.type == "gpu" for view in views for _, device in view.answer.shown())
