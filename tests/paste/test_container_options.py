# SPDX-License-Identifier: MIT
"""With which nodes a container was started, by its options, and when by none."""

import pytest

from clprobe.model.unknown import NOT_STATED, listed
from clprobe.paste.assemble import read_paste


def _nodes(command: str) -> object:
    nodes = read_paste(f"clinfo shows 0 platforms in it\n\n{command}\n", name="paste").device_nodes
    return nodes if nodes == NOT_STATED else [node.path for node in listed(nodes)]


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("$ docker run -it --device /dev/dri:/dev/dri ubuntu clinfo", ["/dev/dri/renderD128"]),
        ("$ docker run --device=/dev/kfd \\\n  --device=/dev/dri rocm/pytorch",
         ["/dev/kfd", "/dev/dri/renderD128"]),
        ("$ podman run --gpus all nvidia/cuda clinfo", ["/dev/nvidia0"]),
        ('services:\n  tv:\n    devices:\n      - "/dev/dri:/dev/dri"', ["/dev/dri/renderD128"]),
        ("$ docker run --rm -it ubuntu:24.04 clinfo", []),
        ("podman run ubuntu:24.04 clinfo", []),
        ("The GPU has nothing to do while the podman run is going.", NOT_STATED),
        ("$ docker run -it ... ubuntu:24.04 clinfo", NOT_STATED),
        ("$ docker run --rm -v /dev:/dev ubuntu:24.04 clinfo", NOT_STATED),
    ],
)  # fmt: skip
def test_options_tell_the_nodes(command: str, paths: object) -> None:
    assert _nodes(command) == paths


def test_compose_gives_the_container_its_variables() -> None:
    text = "services:\n  ui:\n    image: x\n    environment:\n      CUDA_VISIBLE_DEVICES: all\n"
    environment = read_paste(f"No CUDA GPUs are available\n\n{text}", name="paste").environment
    assert environment["CUDA_VISIBLE_DEVICES"] == "all"
