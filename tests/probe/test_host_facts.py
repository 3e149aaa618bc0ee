# SPDX-License-Identifier: MIT
"""GPUs, virtualization and distribution, from invented hosts of a few answers each."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from recording import ReplayedHost

from clprobe.model.unknown import Unknown
from clprobe.probe.environment import probe_environment
from clprobe.probe.gpus import probe_gpus
from clprobe.probe.host import Host
from clprobe.probe.linux.virtualization import probe_virtualization
from clprobe.probe.system import probe_distribution, probe_system
from clprobe.probe.user import probe_user

_PCI = "/sys/bus/pci/devices"


@pytest.fixture
def invent(tmp_path: Path) -> Any:
    """Make a host that knows the answers given, and nothing else."""

    def invented(**answers: dict[str, Any]) -> Host:
        answers.setdefault("environment", {"": {}})
        plain = {
            question: {
                key: value if isinstance(value, dict) and "error" in value else {"answer": value}
                for key, value in pairs.items()
            }
            for question, pairs in answers.items()
        }
        document = {"format": "clprobe.host/1", "synthetic": True, "answers": plain}
        (tmp_path / "host.yaml").write_text(yaml.safe_dump(document))
        return ReplayedHost(tmp_path / "host.yaml").as_host()

    return invented


def _function(address: str, device: str, **more: str) -> dict[str, str]:
    files = {"class": "0x030000\n", "vendor": "0x8086\n", "device": f"{device}\n", **more}
    return {f"{_PCI}/{address}/{name}": text for name, text in files.items()}


def test_a_driven_gpu(invent: Any) -> None:
    at = f"{_PCI}/0000:00:02.0"
    (gpu,) = probe_gpus(
        invent(
            list_folder={
                _PCI: ["0000:00:00.0", "0000:00:02.0"],
                f"{at}/drm": ["card1", "renderD128"],
            },
            read={
                f"{_PCI}/0000:00:00.0/class": "0x060000\n",
                **_function("0000:00:02.0", "0x5916"),
            },
            link_status={f"{at}/driver": {"kind": "link", "mode": 0o777}},
            real_path={f"{at}/driver": "/sys/bus/pci/drivers/i915"},
            pci_name={"8086 5916": "HD Graphics 620"},
        )
    )
    assert (gpu.pci_id, gpu.name, gpu.kernel_driver) == ("8086:5916", "HD Graphics 620", "i915")
    assert (gpu.render_node, gpu.card_node) == ("/dev/dri/renderD128", "/dev/dri/card1")


def test_a_gpu_that_nothing_drives(invent: Any) -> None:
    (gpu,) = probe_gpus(
        invent(
            list_folder={_PCI: ["0000:03:00.0"]},
            read=_function("0000:03:00.0", "0x56a0"),
        )
    )
    assert (gpu.kernel_driver, gpu.render_node, gpu.card_node) == (None, None, None)
    assert isinstance(gpu.name, Unknown)


def test_a_machine_without_a_pci_bus_has_no_gpu(invent: Any) -> None:
    assert probe_gpus(invent(list_folder={"/sys/bus": ["cpu", "virtio"]})) == ()


def test_without_sysfs_nothing_is_known(invent: Any) -> None:
    assert isinstance(probe_gpus(invent()), Unknown)


@pytest.mark.parametrize(
    ("answers", "container"),
    [
        ({"link_status": {"/.dockerenv": {"kind": "file", "mode": 0}}}, "docker"),
        ({"link_status": {"/run/.containerenv": {"kind": "file", "mode": 0}}}, "podman"),
        ({"link_status": {"/.flatpak-info": {"kind": "file", "mode": 0}}}, "flatpak"),
        ({"environment": {"": {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}}}, "kubernetes"),
        ({"read": {"/run/systemd/container": "systemd-nspawn\n"}}, "systemd-nspawn"),
        ({"environment": {"": {"container": "lxc"}}}, "lxc"),
        ({"read": {"/proc/1/cgroup": "0::/\n"}}, None),
        ({"read": {"/proc/1/cgroup": "1:name=systemd:/docker/0123\n"}}, "docker"),
    ],
)
def test_containers(answers: dict[str, Any], container: str | None, invent: Any) -> None:
    assert probe_virtualization(invent(**answers)).container == container


@pytest.mark.parametrize(
    ("version", "wsl"),
    [
        ("Linux version 6.8.0-51-generic (buildd@lcy02)", None),
        ("Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f)", 2),
        ("Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)", 1),
    ],
)
def test_wsl(version: str, wsl: int | None, invent: Any) -> None:
    assert probe_virtualization(invent(read={"/proc/version": version})).wsl == wsl


@pytest.mark.parametrize(
    ("vendor", "machine"), [("QEMU", "qemu"), ("VMware, Inc.", "vmware"), ("LENOVO", None)]
)
def test_machines(vendor: str, machine: str | None, invent: Any) -> None:
    host = invent(
        read={
            "/sys/class/dmi/id/sys_vendor": f"{vendor}\n",
            "/proc/cpuinfo 65536": "flags\t\t: fpu vme\n",
        }
    )
    assert probe_virtualization(host).machine == machine


_TWO = """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC

processor\t: 1
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 1
model name\t: another
"""
_ARM = "processor\t: 0\nCPU implementer\t: 0x41\nModel\t\t: Raspberry Pi 5\n"


def test_the_processor_is_told_by_family_and_model(invent: Any) -> None:
    cpu = probe_system(invent(read={"/proc/cpuinfo 65536": _TWO})).cpu
    assert (cpu.model, cpu.family, cpu.model_number) == ("AMD EPYC", 25, 17)

    arm = probe_system(invent(read={"/proc/cpuinfo 65536": _ARM})).cpu
    assert (arm.model, arm.vendor) == ("Raspberry Pi 5", "0x41")
    assert isinstance(arm.family, Unknown)
    assert isinstance(arm.model_number, Unknown)


def test_a_mapped_user_namespace(invent: Any) -> None:
    def host(mapping: str) -> Host:
        return invent(read={"/proc/self/uid_map": mapping})

    assert probe_virtualization(host("         0          0 4294967295\n")).user_namespace is False
    assert probe_virtualization(host("         0       1000          1\n")).user_namespace is True


def test_a_rolling_distribution_has_no_version(invent: Any) -> None:
    text = 'NAME="Arch Linux"\nPRETTY_NAME="Arch Linux"\nID=arch\nBUILD_ID=rolling\n# a comment\n'
    found = probe_distribution(invent(read={"/etc/os-release": text}))
    assert (found.id, found.version, found.name, found.like) == ("arch", None, "Arch Linux", ())


def test_groups_of_the_process_and_of_the_database(invent: Any) -> None:
    user = probe_user(
        invent(
            identity={"": {"uid": 1000, "gid": 1000, "groups": [1000, 44]}},
            user_name={"1000": "alice"},
            group_name={"1000": "alice", "44": "video", "109": "render"},
            database_groups={"alice 1000": [1000, 44, 109]},
        )
    )
    assert [group.name for group in user.groups] == ["alice", "video"]
    assert [group.name for group in user.database_groups] == ["alice", "video", "render"]


def test_values_that_tell_where_someone_is_are_not_kept(invent: Any) -> None:
    values = probe_environment(
        invent(environment={"": {"SSH_CONNECTION": "203.0.113.7 1 2 3", "RUSTICL_DEBUG": "x"}})
    )
    assert values["SSH_CONNECTION"] == "set"
    assert values["DISPLAY"] is None
    assert values["RUSTICL_DEBUG"] == "x"
