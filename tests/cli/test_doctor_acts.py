# SPDX-License-Identifier: MIT
"""doctor --fix, --undo and --check: what goes with them, and that --check keeps quiet."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from clprobe.cli.doctor import command
from tests.cli.test_doctor import BROKEN, HEALTHY, doctor_on


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--fix", "--from", "x.json"), "--fix does not go with --from"),
        (("--fix", "--from", "-", "--yes"), "--fix does not go with --from"),
        (("--fix", "--as", "jellyfin"), "--fix does not go with --as"),
        (("--fix", "--baseline", "x.json"), "--fix does not go with --baseline"),
        (("--undo", "--device", "0"), "--undo does not go with --device"),
        (("--fix", "--why", "no-gpu"), "--fix does not go with --why"),
        (("--fix", "--check"), "--check does not go with --fix"),
        (("--fix", "--undo"), "do not go together"),
        (("--fix", "--format", "sarif"), "only prints"),
        (("--yes",), "--yes belongs to --fix or --undo"),
        (("--check", "--json"), "--check does not go with --json: it prints nothing"),
        (("--check", "-v"), "--check does not go with"),
        (("--check", "--list"), "--check does not go with --list"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(options, says):
    result = CliRunner().invoke(command, options, obj={"color": "never"})
    assert result.exit_code == 2
    assert says in result.output


def _checked(facts, *options):
    return doctor_on(facts, "--check", *options)


@pytest.mark.parametrize(
    ("facts", "options", "status"),
    [
        (HEALTHY, (), 0),
        (HEALTHY, ("--strict",), 1),
        (BROKEN, (), 1),
        (BROKEN, ("--exit-zero",), 0),
        ({}, (), 3),
    ],
)
def test_check_says_nothing_and_its_status_is_doctors(facts, options, status):
    done = _checked(facts, *options)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


def test_check_says_what_is_wrong_with_its_use():
    done = _checked(HEALTHY, "--device", "gpu")
    assert (done.returncode, done.stdout) == (2, "")
    assert "gpu" in done.stderr


def test_check_of_this_host_says_nothing():
    done = subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor", "--check"],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert done.returncode in (0, 1, 3)
