# SPDX-License-Identifier: MIT
"""A plan is carried out on the machine that it was made for, and proved where it installed."""

import json
import os
import sys
import venv

import msgspec
import pytest
from click.testing import CliRunner

from clprobe.apply import person as persons
from clprobe.apply.person import Person
from clprobe.cli.install_plan import command
from clprobe.install.same_host import check_same_host
from clprobe.install.steps import fetch_key
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_from_text
from clprobe.model.errors import ClprobeError
from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost
from clprobe.probe.system import probe_system

OURS = {
    "system": {"cpu": {"architecture": "x86_64"}, "linux": {"release": "6.1.0-25-amd64"}},
    "gpus": [{"pci_id": "8086:5916"}],
}


def snapshot(**changed):
    return snapshot_from_text(json.dumps({**OURS, **changed}), name="test")


def test_the_same_machine_may_be_changed():
    check_same_host(snapshot(), snapshot())


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"gpus": [{"pci_id": "8086:0416"}]}, "its GPUs are 8086:0416, here 8086:5916"),
        ({"gpus": []}, "its GPUs are none"),
        ({"gpus": {"unknown": "not stated"}}, "does not say which GPUs"),
        ({"system": {"cpu": {"architecture": "aarch64"}}}, "its architecture is aarch64, here"),
        ({"system": {"linux": {"release": "5.10.0"}}}, "it runs Linux 5.10.0, here"),
    ],
)
def test_a_plan_for_another_machine_is_refused_with_what_differs(changed, says):
    with pytest.raises(ClprobeError, match=says):
        check_same_host(snapshot(**changed), snapshot())


def test_apply_from_a_snapshot_of_another_machine_runs_nothing(tmp_path):
    system = probe_system(LiveHost()).distribution
    file = tmp_path / "other.json"
    other = {
        "system": {"distribution": msgspec.to_builtins(system)},
        "gpus": [{"pci_id": "8086:0416"}],
    }
    file.write_text(json.dumps(other))
    result = CliRunner().invoke(
        command, ["--from", str(file), "--apply", "--yes"], obj={"color": "never"},
        standalone_mode=False,
    )  # fmt: skip
    assert isinstance(result.exception, ClprobeError), result.output
    assert result.exception.reference in ("plan-for-another-host", "route-without-commands")


def test_the_look_afterwards_goes_into_the_environment_that_was_made(tmp_path):
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    (packages / "pyopencl").mkdir(parents=True)
    (packages / "pyopencl" / "__init__.py").touch()
    python = LiveHost(prefix=str(tmp_path)).python()
    assert python.prefix == str(tmp_path)
    assert python.package_folders == (str(packages),)
    assert python.pyopencl_folder == str(packages / "pyopencl")
    assert LiveHost().python().prefix == sys.prefix


def test_the_pyopencl_of_that_environment_is_asked_by_its_own_python(tmp_path):
    """Ours may have none, and its absence here says nothing about the environment."""
    venv.EnvBuilder(symlinks=True).create(tmp_path)
    (packages,) = tmp_path.glob("lib/python3*/site-packages")
    (packages / "pyopencl.py").write_text(
        "VERSION_TEXT = 'of the environment'\nError = OSError\nget_platforms = list\n"
    )
    environment = {**os.environ, "OCL_ICD_VENDORS": f"{tmp_path}/"}
    views = collect(LiveHost(environment, prefix=str(tmp_path)), timeout_s=20.0).views
    (view,) = (one for one in views if one.viewer == "pyopencl")
    assert view.answer.outcome == "no-devices", view.answer
    assert view.version == "of the environment"


def test_root_takes_no_settings_of_pip_and_curl_from_the_person_behind_sudo(monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "https://example.org/simple")
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setenv("TMPDIR", "/home/somebody/tmp")
    monkeypatch.setattr(persons.os, "geteuid", lambda: 0)
    monkeypatch.setattr(persons.os, "getgrouplist", lambda *_: [1000])
    somebody = Person("somebody", 1000, 1000, "/home/somebody")
    roots = somebody.options(as_root=True)["env"]
    assert not roots.keys() & {"PIP_INDEX_URL", "TMPDIR"}
    assert roots["HOME"] != "/home/somebody"
    assert roots["PIP_NO_INPUT"] == "1"
    own = somebody.options(as_root=False)["env"]
    assert own["TMPDIR"] == "/home/somebody/tmp"
    assert own["PIP_INDEX_URL"] == "https://example.org/simple"


def test_root_uses_the_proxies_and_certificates_of_variables(monkeypatch):
    named = {"https_proxy": "http://proxy.example:3128", "SSL_CERT_FILE": "/home/somebody/ca.pem"}
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(persons.os, "geteuid", lambda: 0)
    somebody = Person("somebody", 1000, 1000, "/home/somebody")
    assert named.items() <= somebody.options(as_root=True)["env"].items()


def test_curl_reads_no_file_of_settings():
    origin = next(one for one in Tables.load().origins().values() if one.key_url)
    assert fetch_key(origin, "/x").argv[:2] == ("curl", "--disable")
