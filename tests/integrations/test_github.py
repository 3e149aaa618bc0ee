# SPDX-License-Identifier: MIT
"""The issue form and the workflows, with the schemas of SchemaStore, and their steps for real."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_runs import ROOT, program

GITHUB = ROOT / "clprobe/integrations/github"
FORM, ANSWER, IMAGE = (
    GITHUB / f"{name}.yml" for name in ("opencl-problem", "opencl-answer", "opencl-image")
)
ANSWERS_AT = "repos/owner/project/issues/7"
needs_schemas = pytest.mark.skipif(
    program("check-jsonschema") is None,
    reason="needs check-jsonschema, which brings SchemaStore's schemas",
)
needs_tools = pytest.mark.skipif(
    not (shutil.which("jq") and shutil.which("bash")), reason="needs bash and jq"
)
SNAPSHOT = """\
{"schema": "clprobe.snapshot/1", "clprobe": "0.1.0", "source": "live",
 "taken": "2026-11-27T10:00:00+00:00",
 "gpus": [{"pci_id": "8086:5916", "kernel_driver": "i915"}],
 "device_nodes": [{"path": "/dev/dri/renderD128", "mode": "0660", "group": "render",
                   "open_error": "EACCES"}],
 "user": {"uid": 1000, "groups": [{"name": "alice"}],
          "database_groups": [{"name": "alice"}, {"name": "render"}]}}"""
GH = """\
#!/bin/sh
echo "$*" >> calls
case "$*" in
*--jq*) cat comments | jq --raw-output "$5" ;;
*) cp answer.md posted ;;
esac
"""


def steps_of(path: Path) -> list[dict[str, Any]]:
    (job,) = yaml.safe_load(path.read_text())["jobs"].values()
    steps: list[dict[str, Any]] = job["steps"]
    return steps


def step_run(
    path: Path, name: str, folder: Path, **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run a step's script as GitHub does, with the programs of the folder before others."""
    (step,) = (one for one in steps_of(path) if one["name"] == name)
    own = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", **variables}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder, env=own, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def put_program(folder: Path, name: str, text: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / name).write_text(text)
    (folder / "bin" / name).chmod(0o755)


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A folder with this clprobe, and a gh that keeps what it is told."""
    clprobe = f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m clprobe "$@"\n'
    put_program(tmp_path, "clprobe", clprobe)
    put_program(tmp_path, "gh", GH)
    (tmp_path / "comments").write_text("[]")
    return tmp_path


def body_of(facts: str, trouble: str) -> str:
    """Return an issue's text as GitHub makes it of the form, with the line ends of browsers."""
    filled = {"facts": facts, "trouble": trouble}
    fields = yaml.safe_load(FORM.read_text())["body"]
    text = "\n\n".join(
        f"### {one['attributes']['label']}\n\n{filled.get(one['id'], '_No response_')}"
        for one in fields
    )
    return text.replace("\n", "\r\n")


def answer_to(body: str, runner: Path) -> str:
    """Run the steps on an issue with this text, and return what is posted."""
    event = runner / "event.json"
    event.write_text(json.dumps({"issue": {"number": 7, "body": body}}))
    own = {
        "GITHUB_EVENT_PATH": str(event),
        "ISSUE": ANSWERS_AT,
        "COMMENTS": "repos/owner/project/issues/comments",
        "OURS": steps_of(ANSWER)[-1]["env"]["OURS"],
    }
    for name in ("Read the issue", "Answer, or renew the answer"):
        done = step_run(ANSWER, name, runner, **own)
        assert done.returncode == 0, done.stdout + done.stderr
    return (runner / "posted").read_text()


@needs_schemas
@pytest.mark.parametrize(
    ("schema", "path"),
    [("github-issue-forms", FORM), ("github-workflows", ANSWER), ("github-workflows", IMAGE)],
    ids=lambda one: one if isinstance(one, str) else one.stem,
)
def test_each_file_is_what_github_reads(schema: str, path: Path) -> None:
    check = program("check-jsonschema")
    command = [str(check), "--builtin-schema", f"vendor.{schema}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_what_others_wrote_is_never_part_of_a_script() -> None:
    scripts = [step["run"] for path in (ANSWER, IMAGE) for step in steps_of(path) if "run" in step]

    assert len(scripts) == 5
    assert not [script for script in scripts if "${{" in script]


def test_the_workflow_knows_the_issues_of_the_form() -> None:
    first = yaml.safe_load(FORM.read_text())["body"][0]["attributes"]["label"]
    (job,) = yaml.safe_load(ANSWER.read_text())["jobs"].values()

    assert job["if"] == f"contains(github.event.issue.body, '### {first}')"
    assert job["permissions"] == {"issues": "write"}


@needs_tools
def test_a_pasted_snapshot_is_answered_by_its_cause(runner: Path) -> None:
    posted = answer_to(body_of(SNAPSHOT, "hashcat -I prints nothing. @everyone $(id)"), runner)

    assert posted.startswith("<!-- clprobe -->\n**clprobe ")
    assert "Root cause: `group-needs-new-session`" in posted
    assert "`newgrp render`" in posted
    assert "uid=0" not in posted
    calls = (runner / "calls").read_text().splitlines()
    assert calls[1].startswith(f"api --method POST {ANSWERS_AT}/comments --field body=@answer.md")


@needs_tools
def test_the_block_of_doctor_is_answered_by_the_cause_in_it(runner: Path) -> None:
    (runner / "snapshot.json").write_text(SNAPSHOT)
    asked = [str(runner / "bin/clprobe"), "doctor", "snapshot.json", "--report"]
    block = subprocess.run(
        asked, cwd=runner, capture_output=True, text=True, timeout=60, check=False
    ).stdout

    posted = answer_to(body_of(block, "It prints nothing."), runner)

    assert block.startswith("**clprobe ")
    assert "Root cause: `group-needs-new-session`" in posted
    assert "No response" not in posted
    assert "clprobe.snapshot/1" not in posted


def test_the_form_asks_for_the_block_and_shows_it_as_markdown() -> None:
    facts = yaml.safe_load(FORM.read_text())["body"][0]["attributes"]

    assert "clprobe doctor --report`" in facts["description"]
    assert "render" not in facts  # a fence of GitHub's would end at that of the facts


@needs_tools
def test_an_edited_issue_renews_the_answer_and_no_other_comment(runner: Path) -> None:
    comments = [
        {"id": 1, "user": {"login": "somebody"}, "body": "<!-- clprobe --> mine"},
        {"id": 2, "user": {"login": "github-actions[bot]"}, "body": "Stale."},
        {"id": 3, "user": {"login": "github-actions[bot]"}, "body": "<!-- clprobe -->\nold"},
    ]
    (runner / "comments").write_text(json.dumps(comments))
    listing = "$ clinfo -l\nNumber of platforms 0\n$ lspci -nnk\n00:02.0 VGA compatible controller "
    listing += "[0300]: Intel Corporation HD Graphics 620 [8086:5916]\n\tKernel driver in use: i915"

    posted = answer_to(body_of(listing, "It finds no device."), runner)

    assert "HD Graphics 620" in posted
    calls = (runner / "calls").read_text().splitlines()
    assert [call for call in calls if "PATCH" in call] == [
        "api --method PATCH repos/owner/project/issues/comments/3 --field body=@answer.md --silent"
    ]
    assert not [call for call in calls if "POST" in call]


@needs_tools
def test_what_says_nothing_is_answered_by_what_to_send(runner: Path) -> None:
    posted = answer_to("### What clprobe sees\n\n_No response_\n", runner)

    assert "clprobe could not read this. Please edit the issue" in posted


@needs_tools
def test_a_long_answer_is_cut_to_what_a_comment_holds(runner: Path) -> None:
    put_program(runner, "clprobe", "#!/bin/sh\nhead --bytes=200000 /dev/zero | tr '\\0' x\n")

    assert len(answer_to(body_of(SNAPSHOT, "nothing"), runner)) == 65_000


@pytest.mark.parametrize("status", [0, 1, 3])
def test_an_image_is_checked_in_it_and_its_answer_decides(status: int, tmp_path: Path) -> None:
    put_program(tmp_path, "docker", f'#!/bin/sh\nprintf "%s\\n" "$@" > asked\nexit {status}\n')
    own = {"IMAGE": "ghcr.io/owner/ci:1", "NEEDS": "cpu-device"}

    done = step_run(IMAGE, "Check the image", tmp_path, **own)

    assert done.returncode == status
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[asked.index("--entrypoint") :] == [
        *("--entrypoint", "python3", "ghcr.io/owner/ci:1"),
        *("clprobe.pyz", "check", "--needs", "cpu-device"),
    ]
    assert f"{tmp_path}:/checked:ro" in asked


def test_each_step_is_of_a_version() -> None:
    used = [step["uses"] for path in (ANSWER, IMAGE) for step in steps_of(path) if "uses" in step]

    assert used
    assert all(re.fullmatch(r"actions/checkout@v\d+", one) for one in used)
