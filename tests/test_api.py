# SPDX-License-Identifier: MIT
"""What other programs call: README's example runs, is typed, and costs nothing until it is used."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clprobe
from clprobe.model.codec import snapshot_to_json

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOT = """\
gpus: [{pci_id: "8086:5916", kernel_driver: i915}]
device_nodes: [{path: /dev/dri/renderD128, mode: "0660", group: render, open_error: EACCES}]
user: {uid: 1000, groups: [{name: alice}], database_groups: [{name: alice}, {name: render}]}
"""
# mypy --strict also names each comment that is not needed.
TYPED = """
here: clprobe.Snapshot = clprobe.snapshot(timeout_s=1.0, run_kernels=False)
found: clprobe.Diagnosis = clprobe.diagnose(here, ignored=["no-gpu"])
made: clprobe.InstallPlan = clprobe.plan(here, goal="pytorch", root=False)
first: clprobe.Route = made.routes[0]
one: clprobe.Finding = found.findings[0]
name: str = one.id
clprobe.plan(gpu=4600)  # type: ignore[arg-type]
clprobe.plan(goal="games")  # type: ignore[arg-type]
clprobe.diagnose("a text")  # type: ignore[arg-type]
one.severity = "note"  # type: ignore[misc]
clprobe.guess()  # type: ignore[attr-defined]
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    (tmp_path / "report.txt").write_text(SNAPSHOT)
    (tmp_path / "program.py").write_text(example)
    return tmp_path / "program.py"


def run(*command: object, cwd: Path, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_example_of_the_readme_runs(program: Path) -> None:
    said = run("-W", "error", program, cwd=program.parent, PYTHONPATH=str(ROOT))

    assert "error group-needs-new-session You: the group render was added" in said
    assert re.search(r"^1 \S+ ", said, re.MULTILINE)


def test_a_program_that_uses_it_passes_mypy_strict(program: Path) -> None:
    program.write_text(f"{program.read_text()}{TYPED}")

    # With the cache that checking clprobe itself has filled.
    run("-m", "mypy", "--strict", program, cwd=ROOT, MYPYPATH=str(ROOT))


def test_importing_it_imports_nothing_else(tmp_path: Path) -> None:
    program = "import sys; before = {*sys.modules}; import clprobe; print({*sys.modules} - before)"

    said = run("-c", program, cwd=tmp_path, PYTHONPATH=str(ROOT))

    assert sorted(re.findall(r"'(.*?)'", said)) == ["clprobe", "clprobe.version"]


def test_this_host_is_looked_at_and_a_diagnosis_needs_no_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    facts = clprobe.snapshot(run_kernels=False)
    (tmp_path / "host.json").write_text(snapshot_to_json(facts))

    assert facts.source == "live"
    assert clprobe.diagnose(facts) == clprobe.diagnose(clprobe.snapshot(tmp_path / "host.json"))
    assert clprobe.plan(facts).target.os is not None
    assert capfd.readouterr() == ("", "")


def test_a_plan_for_this_host_knows_its_python() -> None:
    assert clprobe.plan().target.python == f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_what_a_user_can_mend_is_told(tmp_path: Path) -> None:
    with pytest.raises(clprobe.ClprobeError):
        clprobe.snapshot(tmp_path / "missing")
    with pytest.raises(clprobe.ClprobeError):
        clprobe.plan(gpu="no such GPU", os="debian-13")
    with pytest.raises(AttributeError, match="has no attribute 'guess'"):
        clprobe.guess  # type: ignore[attr-defined]  # noqa: B018
