# SPDX-License-Identifier: MIT
"""What `--apply` and `--undo` refuse before anything runs; as an ordinary user and as root."""

import json
import os
import shlex
import subprocess

import pytest
from everyones_python import AS_NOBODY, everyones_python
from open_folders import let_everybody_in

from clprobe.cli.main import main


@pytest.fixture
def run(capsys):
    def run(*options):
        with pytest.raises(SystemExit) as ended:
            main(["install-plan", *options])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--apply", "--undo"), "do not go together"),
        (("--yes",), "--yes belongs to"),
        (("--apply", "--format", "sh"), "only prints"),
        (("--undo", "--format", "markdown"), "only prints"),
        (("--apply", "--from", "-"), "nobody can be asked"),
        (("--apply", "--yes", "--gpu", "HD 4600", "--os", "ubuntu-20.04"), "for ubuntu-20.04"),
    ],
)
def test_what_cannot_be_carried_out_here_is_a_usage_error(run, options, says):
    status, _, err = run(*options)
    assert status == 2
    assert says in err


def as_nobody(*options, home, **environment):
    """Return what clprobe says to a user without root."""
    python = everyones_python()
    if python is None:
        pytest.skip("needs root, and a Python with clprobe that any user may run")
    return subprocess.run(
        [*AS_NOBODY, python, "-m", "clprobe", "install-plan", *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd="/",
        env={**os.environ, "HOME": str(home), **environment},
    )


@pytest.fixture
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    let_everybody_in(folder)
    return folder


def test_without_root_the_exact_command_is_said_and_nothing_is_changed(home):
    done = as_nobody("--apply", "--backend", "pocl", "--json", home=home)
    assert done.returncode == 3, done.stderr
    report = json.loads(done.stdout)
    assert report["outcome"] == "needs-root"
    assert report["command"][0] == "sudo"
    assert report["command"][-5:] == ["install-plan", "--backend", "pocl", "--json", "--apply"]
    assert not list(home.iterdir())


def test_the_command_for_sudo_is_printed_as_one_line_to_copy(home):
    done = as_nobody("--apply", "--gpu", "HD 4600", "--backend", "pocl", home=home)
    assert done.returncode == 3, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if " sudo " in line]
    words = shlex.split(line)
    assert words[:2] == ["Fix", "sudo"]
    assert words[words.index("install-plan") :] == [
        *("install-plan", "--gpu", "HD 4600", "--backend", "pocl", "--apply"),
    ]


def test_undo_with_nothing_done_is_status_0(home):
    done = as_nobody("--undo", "--yes", "--json", home=home, XDG_STATE_HOME=str(home / "state"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "nothing-to-undo"
    assert not list(home.iterdir())


HOSTILE = "x'; touch /tmp/clprobe-was-here; \"\n$(touch /tmp/clprobe-was-here)\x1b]0;`id`\\"


@pytest.mark.root
def test_a_hostile_snapshot_has_nothing_executed_and_nothing_steered(copy, tmp_path):
    file = tmp_path / "host.json"
    facts = {
        "gpus": [
            {"pci_id": "8086:5916", "name": HOSTILE, "kernel_driver": HOSTILE},
            {"pci_id": HOSTILE, "name": HOSTILE},
        ],
        "user": {"uid": 1000, "name": HOSTILE, "groups": [{"name": HOSTILE}]},
        "system": {
            "distribution": {"id": "debian", "version": "12", "name": HOSTILE},
            "linux": {"release": HOSTILE},
        },
        "packages": [{"name": HOSTILE, "version": HOSTILE}],
    }
    file.write_text(json.dumps(facts))
    done = copy.attempt(
        f"clprobe install-plan --apply --yes --from {file} --backend pocl --json\n"
        "status=$?; test ! -e /tmp/clprobe-was-here || exit 9; exit $status\n"
    )
    assert done.returncode == 2
    assert "plan-for-another-host" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.root
@pytest.mark.parametrize("value", ["no-such-account", "x; touch /tmp/was-here", "-rf"])
def test_a_sudo_user_that_is_no_account_is_refused(copy, value):
    done = copy.attempt(
        f"SUDO_USER={shlex.quote(value)} clprobe install-plan --apply --yes --json\n"
    )
    assert done.returncode == 3
    assert json.loads(done.stdout)["problem"]["reference"] == "no-such-account"
