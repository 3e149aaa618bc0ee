# SPDX-License-Identifier: MIT
import html
import json
import os
import re
import shutil
import subprocess

import pytest

from clprobe.cli.main import main

DESCRIBED = ("--gpu", "HD 4600", "--os", "ubuntu-24.04")


@pytest.fixture
def run(capsys):
    def run(*options):
        with pytest.raises(SystemExit) as ended:
            main(["install-plan", *options])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


def test_the_json_document_has_the_keys_of_the_contract(run):
    status, out, _ = run(*DESCRIBED, "--json")
    document = json.loads(out)
    assert status == 0
    assert document["schema"] == "clprobe.install-plan/1"
    assert set(document["target"]) == {"gpu", "os", "linux", "python", "arch", "cpu", "wsl"}
    assert document["goal"] == "opencl"
    assert set(document["routes"][0]) == {
        *("rank", "backend", "stack", "uses_gpu", "status", "because"),
        *("components", "steps", "caveats", "sources"),
        *("how", "ranking", "slower_than_cpu", "essential", "installed", "by_hand", "is_known"),
    }
    assert set(document["routes"][0]["components"][0]) == {
        *("name", "version", "origin", "installed", "installed_version"),
    }
    assert set(document["routes"][0]["steps"][0]) == {
        *("title", "action", "argv", "needs_root", "undo", "verify", "done"),
    }
    assert set(document["rejected"][0]) == {
        *("backend", "stack", "because", "sources", "how", "of_gpu"),
    }
    assert set(document["rejected"][0]["sources"][0]) == {"url", "checked"}


def test_the_table_fits_a_pipe_and_stays_plain(run):
    _, out, _ = run(*DESCRIBED, "--matrix", "-v")
    assert "\x1b" not in out
    # Commands and addresses are not wrapped, so that they can be copied.
    prose = [line for line in out.splitlines() if not line.startswith(("    ", "  see "))]
    assert max(len(line) for line in prose) <= 80
    for word in ("beignet", "unverified", "Rejected", "starts at Gen8", "ubuntu-26.10"):
        assert word in out


def test_the_matrix_is_part_of_every_format(run):
    rows = json.loads(run(*DESCRIBED, "--matrix", "--json")[1])["matrix"]
    answers = {(r["distribution"], r["implementation"]): r["drives"] for r in rows}
    assert answers["debian-11", "beignet"] == "yes"
    assert answers["ubuntu-24.04", "compute-runtime"] == "no"
    assert "| debian-11" in run(*DESCRIBED, "--matrix", "--format", "markdown")[1]


def test_the_script_is_valid_for_a_posix_shell(run, tmp_path):
    _, out, _ = run("--gpu", "UHD 620", "--os", "debian-13", "--format", "sh")
    file = tmp_path / "plan.sh"
    file.write_text(out)
    assert "set -eu" in out
    assert 'usermod -aG render "$user"' in out
    for shell in ("sh", "dash", "bash"):
        if shutil.which(shell):
            subprocess.run([shell, "-n", str(file)], check=True)


def test_a_route_without_commands_gives_a_script_that_says_so(run):
    _, out, _ = run("--gpu", "UHD 620", "--os", "nixos-unstable", "--format", "sh")
    done = subprocess.run(["sh"], input=out, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no commands" in done.stderr


def test_a_script_says_at_which_step_it_stopped(run, tmp_path):
    _, out, _ = run(*DESCRIBED, "--backend", "beignet", "--format", "sh")
    unprivileged = out.replace('"$(id -u)" -ne 0', "1 -eq 0")
    done = subprocess.run(
        ["sh"], input=unprivileged, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1
    assert "Stopped at step 1. Check that beignet-opencl-icd" in done.stderr


def test_another_backend_can_be_chosen(run):
    _, shown, _ = run(*DESCRIBED, "-v")
    number = re.search(r"^(\d+) +pocl \(apt\)", shown, re.MULTILINE)
    for name in ("pocl", "pocl:apt", "pocl:package", "pocl (apt)", number[1]):
        _, out, _ = run(*DESCRIBED, "--backend", name, "--format", "sh")
        assert "pocl-opencl-icd" in out
        assert "beignet-opencl-icd" not in out


def test_a_framework_is_chosen_by_its_name(run):
    _, out, _ = run(*DESCRIBED, "--goal", "pytorch", "--backend", "tinygrad", "--format", "sh")
    assert "pip install tinygrad" in out


def test_every_form_for_people_begins_with_the_answer(run):
    use = "Use PoCL."
    _, text, _ = run(*DESCRIBED)
    assert text.splitlines()[1].startswith(f"→ {use}")
    markdown = run(*DESCRIBED, "--format", "markdown")[1]
    assert markdown.splitlines()[2].startswith(f"**{use}**")
    page = run(*DESCRIBED, "--format", "html")[1]
    assert page.partition("<body>")[2].splitlines()[1:3][-1].startswith(f"<h1>{use}</h1>")
    commands = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    assert "\n".join(commands) in markdown
    assert html.escape("\n".join(commands)) in page


def test_what_is_described_is_for_anybody_and_this_host_for_whoever_asks(run):
    described = run(*DESCRIBED, "--backend", "beignet")[1]
    assert 'sudo usermod -aG render "$USER"' in described
    here = run("--backend", "pocl:pip")[1]
    assert ("sudo " in here) is (os.geteuid() != 0 or "SUDO_USER" in os.environ)


def test_a_backend_that_cannot_work_is_refused_with_the_reason(run):
    status, out, err = run(*DESCRIBED, "--backend", "rusticl", "--format", "sh")
    assert (status, out) == (2, "")
    assert "crocus" in err


def test_no_route_at_all_is_status_1(run):
    status, out, _ = run("--gpu", "Gen6", "--os", "ubuntu-18.04", "--goal", "pytorch", "--json")
    assert json.loads(out)["routes"] == []
    assert status == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--gpu", "HD 4600", "--os", "ubuntu-24.4"), "ubuntu-24.04"),
        (("--gpu", "HD 460", "--os", "debian-12"), "HD 4600"),
        (("--gpu", "HD Graphics", "--os", "debian-12"), "PCI id"),
        (("--gpu", "8086:fffe", "--os", "debian-12", "--matrix"), "--gpu"),
        (("--linux", "new", *DESCRIBED), "'new'"),
        (("--python", "three", *DESCRIBED), "'three'"),
        (("--format", "pdf"), "pdf"),
    ],
)
def test_what_cannot_be_understood_is_a_usage_error(run, options, says):
    status, out, err = run(*options)
    assert (status, out) == (2, "")
    assert says in err


def test_a_hostile_snapshot_steers_no_terminal(run, tmp_path):
    file = tmp_path / "host.yaml"
    file.write_text(
        'system: {distribution: {id: "deb\\e[31mian", version: "12`rm`<b>|"}}\n'
        'gpus: [{pci_id: "8086:5916"}]\n'
    )
    for form in ("table", "markdown", "sh"):
        status, out, _ = run("--from", str(file), "--format", form)
        assert "\x1b" not in out
        assert status == 0
    assert "<b>" not in run("--from", str(file), "--format", "markdown")[1]


def test_a_snapshot_is_planned_for_without_asking_this_host(run, tmp_path):
    file = tmp_path / "host.json"
    file.write_text(
        '{"gpus": [{"pci_id": "8086:5916"}], "system": {"distribution": '
        '{"id": "ubuntu", "version": "26.04"}}}'
    )
    document = json.loads(run("--from", str(file), "--json")[1])
    assert document["routes"][0]["backend"] == "compute-runtime-legacy1"
    assert document["target"]["linux"] is None


def test_this_host_gets_a_plan(run):
    status, out, _ = run("--json")
    assert status in (0, 1)
    assert json.loads(out)["target"]["arch"]


def test_options_narrow_the_plan(run, tmp_path):
    def routes(*options):
        return json.loads(run(*DESCRIBED, *options, "--json")[1])["routes"]

    assert {r["uses_gpu"] for r in routes("--want", "cpu")} == {False}
    assert not any(s["needs_root"] for r in routes("--no-root") for s in r["steps"])
    assert "file" not in {r["how"] for r in routes("--no-third-party")}
    contained = [r for r in routes("--container", "docker") if r["how"] == "container"]
    assert contained[0]["steps"][-1]["argv"][0] == "docker"
    (tmp_path / "torch-2.15.0-py3-none-any.whl").touch()
    _, out, _ = run(*DESCRIBED, "--goal", "pytorch", "--offline-wheels", str(tmp_path))
    assert "--no-index" in out


def test_a_script_for_an_environment_in_the_home_folder_uses_the_homes_path(run):
    _, out, _ = run(*DESCRIBED, "--goal", "pytorch", "--no-root", "--format", "sh")
    assert '"$HOME"/pytorch-venv' in out
    assert "'~/" not in out
    assert "id -u" not in out
