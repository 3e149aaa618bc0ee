# SPDX-License-Identifier: MIT
"""Set-ups of public threads about containers, flatpaks and snaps, each with its first cause."""

from collections.abc import Callable
from typing import Any, NamedTuple

from made_up import (
    Inside,
    MadeUpHost,
    Node,
    described_as,
    host_facts,
    printed,
    with_module,
    with_node,
)

from clprobe.cli.outside_facts import answered
from clprobe.model.snapshot import Snapshot
from clprobe.outside.containers import look_inside
from clprobe.outside.find import find_container
from clprobe.outside.flatpaks import facts_in_flatpak
from clprobe.outside.snaps import facts_in_snap
from clprobe.probe.host import ToolAnswer

_DENIED = "sh: 1: cannot open it: Permission denied"
_NODE = "/dev/dri/renderD128"
_DEBIAN = {"/etc/os-release": 'ID=debian\nVERSION_ID="12"\n'}
_LOADER = {"libOpenCL.so.1": "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1"}
_INTEL = {**_DEBIAN, "/etc/OpenCL/vendors/intel.icd": "libigdrcl.so\n"}
_INTEL_LIBRARIES = {**_LOADER, "libigdrcl.so": "/usr/lib/x86_64-linux-gnu/libigdrcl.so"}
_USER = {
    "/etc/passwd": "root:x:0:0::/:/bin/sh\nworker:x:1000:1000::/:/bin/sh\n",
    "/etc/group": "root:x:0:\nvideo:x:44:worker\n",
}
_AMD = with_node(host_facts("1002:738c", "amdgpu"), "/dev/kfd", "kfd")
_NVIDIA = host_facts("10de:2684", "nvidia")
_OPEN = Node(0, "crw-rw-rw-")
_MESA = {"mesa.icd": "libMesaOpenCL.so.1\n"}
_DEFAULT = ("org.freedesktop.Platform.GL.default", "23.08")


class Case(NamedTuple):
    """One thread: what holds there, and the rules that may be named first."""

    thread: str
    causes: tuple[str, ...]
    facts: Callable[[], Snapshot]


def in_container(
    here: Snapshot, told: ToolAnswer, inside: Inside | None = None, tool: str = "docker"
) -> Snapshot:
    host = MadeUpHost({f"{tool} inspect": told}, inside).as_host()
    facts, said = look_inside(host, find_container(host, "name", 5), here, 5)
    return answered(facts, said)


def in_flatpak(
    here: Snapshot, devices: str, drivers: str, *extensions: tuple[str, str]
) -> Snapshot:
    runtime = "org.freedesktop.Platform"
    host = MadeUpHost(
        {
            "flatpak info --show-metadata org.x.App": printed(
                f"[Application]\nname=org.x.App\nruntime={runtime}/x86_64/23.08\n"
            ),
            "flatpak info --show-permissions org.x.App": printed(f"[Context]\n{devices}\n"),
            f"flatpak info --show-metadata {runtime}//23.08": printed(
                f"[Runtime]\nname={runtime}\n\n[Extension {runtime}.GL]\nversions=23.08;1.4\n"
            ),
            "flatpak list": printed("".join(f"{one}\t{branch}\n" for one, branch in extensions)),
            "flatpak --gl-drivers": printed(drivers),
            "flatpak --version": printed("Flatpak 1.14.10\n"),
            "flatpak info": printed("/var/lib/flatpak/runtime/gl\n"),
        },
        files=_MESA,
    )
    return facts_in_flatpak(host.as_host(), "org.x.App", here, 5)


def in_snap(here: Snapshot, connections: str) -> Snapshot:
    host = MadeUpHost({
        "snap list": printed(
            "Name Version Rev Tracking Publisher Notes\nx 1.1.2 3 latest/stable y -\n"
        ),
        "snap connections": printed(f"Interface Plug Slot Notes\n{connections}\n"),
    })  # fmt: skip
    return facts_in_snap(host.as_host(), "x", here, 5)


def _devices(*paths: str, **more: Any) -> dict[str, Any]:
    pairs = [{"PathOnHost": path, "PathInContainer": path} for path in paths]
    return {"HostConfig": {"Devices": pairs, **more}}


CASES = (
    Case(
        "https://github.com/ROCm/ROCm-docker/issues/116",
        ("node-group-without-name",),
        lambda: in_container(
            _AMD,
            described_as(**_devices("/dev/kfd", "/dev/dri")),
            Inside(
                {**_DEBIAN, **_USER, "/etc/OpenCL/vendors/amdocl64.icd": "libamdocl64.so\n"},
                {"/dev/kfd": Node(109, says=_DENIED), _NODE: Node(109, says=_DENIED)},
                1000,
                (44,),
                libraries={**_LOADER, "libamdocl64.so": "/opt/rocm/lib/libamdocl64.so"},
            ),
        ),
    ),
    Case(
        "https://github.com/openvinotoolkit/docker_ci/pull/73",
        ("node-group-without-name",),
        lambda: in_container(
            host_facts(gid=134),
            described_as(Config={"User": "worker"}, **_devices("/dev/dri")),
            Inside(
                {**_INTEL, **_USER},
                {_NODE: Node(134, says=_DENIED)},
                1000,
                (44,),
                libraries=_INTEL_LIBRARIES,
            ),
        ),
    ),
    Case(
        "https://github.com/open-edge-platform/physical-ai-studio/issues/513",
        ("group-not-in-image",),
        lambda: in_container(
            host_facts(),
            described_as(
                State={
                    "Status": "created",
                    "Running": False,
                    "Error": "Unable to find group render: no matching entries in group file",
                },
                **_devices("/dev/dri", GroupAdd=["render"]),
            ),
        ),
    ),
    Case(
        "https://github.com/mviereck/x11docker/issues/518",
        ("node-behind-user-namespace",),
        lambda: in_container(
            host_facts(),
            described_as(**_devices("/dev/dri")),
            Inside(
                _INTEL,
                {_NODE: Node(65534, says=_DENIED, uid=65534)},
                libraries=_INTEL_LIBRARIES,
                mapped=True,
            ),
            "podman",
        ),
    ),
    Case(
        "https://github.com/podman-container-tools/podman/issues/25000",
        ("node-behind-user-namespace",),
        lambda: in_container(
            host_facts(),
            described_as(
                State={"Status": "exited", "Running": False},
                **_devices("/dev/dri", IDMappings={"UidMap": ["0:1:65536"]}),
            ),
            tool="podman",
        ),
    ),
    Case(
        "https://github.com/ShaneIsrael/fireshare/issues/689",
        ("container-without-gpu-node",),
        lambda: in_container(
            host_facts(), described_as(), Inside(_INTEL, libraries=_INTEL_LIBRARIES)
        ),
    ),
    Case(
        "https://github.com/NVIDIA/nvidia-container-toolkit/issues/1893",
        ("nvidia-icd-not-in-container",),
        lambda: in_container(
            _NVIDIA,
            described_as(Config={"Env": ["NVIDIA_VISIBLE_DEVICES=all"]}),
            Inside(
                _DEBIAN,
                {f"/dev/nvidia{name}": _OPEN for name in ("0", "ctl", "-uvm")},
                clinfo="Number of platforms                               0\n",
                libraries={**_LOADER, "libnvidia-opencl.so.1": "/usr/lib/libnvidia-opencl.so.1"},
            ),
        ),
    ),
    Case(
        "https://github.com/linuxserver/docker-jellyfin/issues/225",
        ("variable-with-quotes",),
        lambda: in_container(
            _AMD,
            described_as(
                Config={"Env": ['HSA_OVERRIDE_GFX_VERSION="10.3.0"']},
                **_devices("/dev/kfd", "/dev/dri"),
            ),
            Inside(_DEBIAN, {"/dev/kfd": Node(109), _NODE: Node(109)}, libraries=_LOADER),
        ),
    ),
    Case(
        "https://github.com/flathub/org.darktable.Darktable/issues/68",
        ("sandbox-without-driver",),
        lambda: in_flatpak(host_facts("8086:9a49"), "devices=dri;", "default\nhost\n", _DEFAULT),
    ),
    Case(
        "https://github.com/RogerCrocker/BadaBib/issues/4",
        ("container-without-gpu-node",),
        lambda: in_flatpak(host_facts(), "shared=ipc;", "default\nhost\n", _DEFAULT),
    ),
    Case(
        "https://github.com/flathub/org.freedesktop.Platform.GL.nvidia/issues/108",
        ("flatpak-lacks-nvidia-extension",),
        lambda: in_flatpak(
            with_module(_NVIDIA, "nvidia", "515.43.04"),
            "devices=dri;",
            "nvidia-515-43-04\ndefault\nhost\n",
            _DEFAULT,
            ("org.freedesktop.Platform.GL.nvidia-510-68-02", "1.4"),
        ),
    ),
    Case(
        "https://github.com/krrishnarraj/clpeak/issues/105",
        ("sandbox-without-driver",),
        lambda: in_snap(host_facts(), "opengl x:opengl :opengl -"),
    ),
    Case(
        "https://github.com/upscayl/upscayl/issues/1099",
        ("container-without-gpu-node",),
        lambda: in_snap(host_facts(), "opengl x:opengl - -"),
    ),
)
