# SPDX-License-Identifier: MIT
import pytest

from clprobe.install.stated_gpu import stated_gpu
from clprobe.install.target import Stated, described, of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_from_text
from clprobe.model.errors import ClprobeError

TABLES = Tables.load()


def seen(text, **more):
    return of_snapshot(snapshot_from_text(text, name="test"), TABLES, **more)


def test_a_snapshot_gives_the_target():
    target = seen(
        "system: {distribution: {id: debian, version: '12'}, linux: {release: 6.1.0-42-amd64},"
        " cpu: {architecture: x86_64}}\n"
        "gpus: [{pci_id: '10de:1eb8'}, {pci_id: '8086:5916'}]\n",
        python="3.11",
    )
    assert target.gpu.text == "8086:5916 Intel HD Graphics 620"
    assert target.gpu.pci_ids == ("8086:5916",)
    assert (target.os, target.linux) == ("debian-12", "6.1.0-42-amd64")
    assert (target.python, target.arch) == ("3.11", "x86_64")


def test_proxmox_is_known_by_its_linux_unless_that_is_the_host_of_a_container():
    host = "system: {distribution: {id: debian, version: '13'}, linux: {release: 6.14.8-2-pve}"
    own = seen(host + ", virtualization: {container: null}}")
    assert own.release.headers == "proxmox-default-headers"
    assert own.notes[0].startswith("Proxmox VE 9 is built on Debian 13")
    inside = seen(host + ", virtualization: {container: lxc}}")
    assert (inside.release.headers, inside.notes) == (None, ())


def test_what_a_snapshot_does_not_say_is_not_known():
    assert seen("{}") == Stated()


def test_a_linux_release_that_cannot_be_read_is_not_known():
    assert seen("system: {linux: {release: custom}}").linux is None


def test_no_gpu_is_not_the_same_as_an_unknown_one():
    def shown(gpus):
        return seen(f"gpus: {gpus}").target.gpu

    assert shown("[]") == "none"
    assert shown("{unknown: permission denied}") is None
    assert shown("[{pci_id: '8086:XYZ'}]") is None
    assert shown("[{pci_id: '8086:E20B'}]") == "8086:e20b Intel Arc B580 Graphics"
    assert shown("[{name: Intel HD Graphics 4600}]") == "Intel HD Graphics 4600"
    assert shown("[{name: VGA compatible controller}]") is None


def test_a_testing_release_is_known_by_its_codename():
    target = seen("system: {distribution: {id: debian, version: null, codename: forky}}")
    assert target.os == "debian-forky"


def test_another_distribution_brings_its_own_linux_and_python():
    base = seen(
        "system: {distribution: {id: debian, version: '12'}, linux: {release: '6.1'}}",
        python="3.11",
    )
    same = described(base, TABLES, os="debian-bookworm")
    assert (same.os, same.linux, same.python) == ("debian-12", "6.1", "3.11")
    other = described(base, TABLES, os="Ubuntu 24.04")
    assert (other.os, other.linux, other.python) == ("ubuntu-24.04", None, None)
    told = described(base, TABLES, os="ubuntu-24.04", linux="6.14")
    assert told.linux == "6.14"


def test_a_name_is_shown_with_the_ids_it_stands_for():
    def shown(gpu):
        return described(Stated(), TABLES, gpu=gpu).target.gpu

    assert shown("HD 4600") == "HD 4600 (8086:0412, 8086:0416, 8086:0d12)"
    assert shown("8086:0412") == "8086:0412 Intel HD Graphics 4600"
    assert shown("a770") == "8086:56a0 Intel Arc A770 Graphics"
    assert shown("Haswell") == "Haswell"


def test_the_id_in_a_line_of_lspci_counts():
    line = "00:02.0 VGA compatible controller [0300]: Intel HD Graphics 620 [8086:5916] (rev 02)"
    assert stated_gpu(line, TABLES).pci_ids == ("8086:5916",)


def test_a_distribution_that_no_table_knows_is_refused_with_the_nearest():
    with pytest.raises(ClprobeError) as caught:
        described(Stated(), TABLES, os="ubuntu-24.4")
    assert "ubuntu-24.04" in caught.value.hint
