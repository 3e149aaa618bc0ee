# SPDX-License-Identifier: MIT
"""Findings about a driver name the route that mends them."""

import json

import pytest

from clprobe.cli.main import main
from clprobe.install.planner import plan
from clprobe.install.target import of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_from_text

TABLES = Tables.load()
ONLY_CLOVER = """
system: {distribution: {id: "%s", version: "%s"}, linux: {release: "%s"}}
gpus: [{pci_address: "0000:00:02.0", pci_id: "%s", kernel_driver: i915}]
icds:
  - path: /etc/OpenCL/vendors/mesa.icd
    library: {path: libMesaOpenCL.so.1}
    answer: {stage: devices, outcome: no-devices, platforms: [{name: Clover, devices: []}]}
"""


@pytest.fixture
def doctor(capsys, tmp_path):
    def doctor(text, *options):
        file = tmp_path / "host.yaml"
        file.write_text(text)
        with pytest.raises(SystemExit):
            main(["doctor", "--from", str(file), *options])
        return capsys.readouterr().out, str(file)

    return doctor


def route_remedies(out, rule):
    findings = json.loads(out)["findings"]
    finding = next(f for f in findings if f["id"] == rule)
    assert finding["verdict"] == "present"
    return [r for r in finding["remedies"] if r["argv"] and r["argv"][:2] == ["clprobe",
        "install-plan"]]  # fmt: skip


@pytest.mark.parametrize(
    ("system", "pci_id", "backend"),
    [
        (("debian", "12", "6.1"), "8086:3ea5", "compute-runtime"),
        (("debian", "13", "6.12"), "8086:3ea5", "rusticl"),
        (("ubuntu", "24.04", "6.8"), "8086:0416", "pocl"),
        (("ubuntu", "26.04", "7.0"), "8086:5916", "compute-runtime-legacy1"),
    ],
)
def test_a_missing_driver_names_the_best_route_for_this_gpu(doctor, system, pci_id, backend):
    text = ONLY_CLOVER % (*system, pci_id)
    out, file = doctor(text, "--json")
    [remedy] = route_remedies(out, "no-driver-for-gpu")
    assert remedy["argv"][2:] == ["--from", file, "--backend", backend]
    target = of_snapshot(snapshot_from_text(text, name="test"), TABLES)
    best = plan(target, TABLES).routes[0]
    assert backend == best.backend
    assert best.because.rstrip(".") in remedy["title"]
    assert not remedy["needs_root"]


def test_what_the_remedy_says_is_a_command_that_works(doctor, capsys):
    out, _ = doctor(ONLY_CLOVER % ("debian", "12", "6.1", "8086:3ea5"), "--json")
    [remedy] = route_remedies(out, "no-driver-for-gpu")
    with pytest.raises(SystemExit) as ended:
        main(remedy["argv"][1:])
    assert ended.value.code == 0
    assert "→ Use Intel Graphics Compute Runtime (NEO)." in capsys.readouterr().out


def test_the_text_shows_the_command(doctor):
    out, file = doctor(ONLY_CLOVER % ("debian", "12", "6.1", "8086:3ea5"))
    assert f"clprobe install-plan --from {file} --backend compute-runtime" in out


def test_without_a_route_the_rules_own_words_stay(doctor):
    out, _ = doctor(ONLY_CLOVER % ("nosuch", "1", "6.1", "8086:0106"), "--json")
    findings = [f for f in json.loads(out)["findings"] if f["verdict"] == "present"]
    assert not any(
        remedy["argv"] and "--backend" in remedy["argv"] and "compute-runtime" in remedy["argv"]
        for finding in findings
        for remedy in finding["remedies"]
    )
