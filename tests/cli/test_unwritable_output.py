# SPDX-License-Identifier: MIT
"""An answer that cannot be written is said in one line; a missing stderr is no reason to fail."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
SIX_FACTS = '{"icds": [], "loaders": [{"path": "/usr/lib/libOpenCL.so.1"}]}'
COMMANDS = {
    "doctor as text": "doctor --from {facts}",
    "doctor as JSON": "doctor --from {facts} --json",
    "doctor as HTML": "doctor --from {facts} --format html",
    "doctor as Markdown": "doctor --from {facts} --format markdown",
    "doctor as SARIF": "doctor --from {facts} --format sarif",
    "doctor as JUnit": "doctor --from {facts} --format junit",
    "the checks": "doctor --list",
    "the reason for a rule": "doctor --from {facts} --why no-loader",
    "info": "info --from {facts}",
    "info as JSON": "info --from {facts} --json",
    "help": "--help",
    "help of a command": "doctor --help",
    "the version": "--version",
    "explain": "explain i915",
    "snapshot": "snapshot --from {facts}",
    "schema": "snapshot --schema",
    "rules list": "rules list",
    "rules matrix": "rules matrix --format json",
    "install-plan": "install-plan --gpu 8086:5916 --os debian-12",
    "install-plan as a script": "install-plan --gpu 8086:5916 --os debian-12 --format sh",
    "env": "env --undo",
    "completion": "completion bash",
}


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot with few facts, so that no host is asked."""
    file = tmp_path_factory.mktemp("facts") / "few.json"
    file.write_text(SIX_FACTS)
    return file


def _run(words: str, facts: Path, redirection: str) -> "subprocess.CompletedProcess[str]":
    command = f"{shlex.quote(sys.executable)} -m clprobe {words.format(facts=facts)} {redirection}"
    return subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_full_disk_gives_one_line_and_status_3(words: str, facts: Path) -> None:
    done = _run(words, facts, ">/dev/full")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "clprobe: standard output cannot be written: No space left on device."
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["doctor as text", "doctor as JSON", "help", "snapshot", "env"])
def test_a_closed_stdout_gives_one_line_and_status_3(name: str, facts: Path) -> None:
    done = _run(COMMANDS[name], facts, ">&-")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "clprobe: standard output cannot be written: it is closed."
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("words", ["doctor --from {facts} --json", "snapshot --from {facts}"])
def test_without_a_stderr_the_answer_comes_whole_and_with_its_own_status(
    words: str, closed: str, facts: Path
) -> None:
    if closed.endswith("full") and not FULL.exists():
        pytest.skip("there is no /dev/full here")
    with_it, without = _run(words, facts, ""), _run(words, facts, closed)
    assert without.returncode == with_it.returncode
    assert json.loads(without.stdout).keys() == json.loads(with_it.stdout).keys()


def test_a_live_doctor_without_a_stderr_answers(facts: Path) -> None:
    done = _run("doctor --json", facts, "2>&-")
    assert json.loads(done.stdout)["schema"] == "clprobe.doctor/1"


def test_a_usage_error_without_a_stderr_has_its_status(facts: Path) -> None:
    assert _run("doctor --no-such-option", facts, "2>&-").returncode == 2


def test_with_both_streams_closed_the_status_tells_it(facts: Path) -> None:
    assert _run("doctor --from {facts} --json", facts, ">&- 2>&-").returncode == 3


@pytest.mark.parametrize("words", ["doctor --from {facts}", "--help", "rules list"])
def test_a_reader_that_goes_away_is_no_failure(words: str, facts: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    argv = [sys.executable, "-m", "clprobe", *words.format(facts=facts).split()]
    done = subprocess.run(
        argv, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", ["info --from {facts} --json", "explain i915 --json"])
def test_json_is_utf8_even_where_python_is_told_another_encoding(words: str, facts: Path) -> None:
    argv = [sys.executable, "-m", "clprobe", *words.format(facts=facts).split()]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-16"}
    done = subprocess.run(argv, capture_output=True, env=environment, timeout=60, check=False)
    assert json.loads(done.stdout.decode("utf-8"))["clprobe"]


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
def test_an_output_file_on_a_full_device_is_told_with_its_name(facts: Path) -> None:
    done = _run("snapshot --from {facts} --output /dev/full", facts, "")
    assert done.returncode == 3
    assert done.stderr == "clprobe: /dev/full cannot be written: No space left on device.\n"


def test_an_output_file_beyond_the_size_limit_leaves_no_part_of_it(
    facts: Path, tmp_path: Path
) -> None:
    # RLIMIT_FSIZE stands for a disk that fills up in the middle of the file.
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10));"
        "from clprobe.cli.main import main; main(sys.argv[1:])"
    )
    argv = [sys.executable, "-B", "-c", code, "snapshot", "--from", str(facts)]
    done = subprocess.run(
        [*argv, "--output", str(tmp_path / "x.json")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr == f"clprobe: {tmp_path}/x.json cannot be written: File too large.\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", ["snapshot --from {facts}", "bench"])
def test_an_output_file_in_a_folder_that_is_not_there_is_a_usage_error(
    words: str, facts: Path, tmp_path: Path
) -> None:
    done = _run(f"{words} --output {tmp_path}/none/x.json", facts, "")
    assert done.returncode == 2
    assert "does not exist" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_output_file_in_a_closed_folder_is_told_before_anything_is_measured(
    facts: Path, tmp_path: Path
) -> None:
    tmp_path.chmod(0o500)
    done = _run(f"bench --output {tmp_path}/x.json", facts, "")
    assert done.returncode == 3
    assert "you may not write in" in done.stderr
