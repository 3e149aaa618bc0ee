# SPDX-License-Identifier: MIT
"""What a snapshot shows to be there is said, and not done again; what it lacks is not missing."""

import json
from typing import Any

import pytest

from clprobe.cli.main import main

DEBIAN_12 = {"distribution": {"id": "debian", "version": "12"}, "cpu": {"architecture": "x86_64"}}
POCL = ("pocl-opencl-icd", "3.1-3+deb12u1")
LOADER = ("ocl-icd-libopencl1", "2.3.1-1")
NEO = ("intel-opencl-icd", "22.43.24595.41-1")
ALICE = {
    "uid": 1000,
    "groups": [{"gid": 1000, "name": "alice"}],
    "database_groups": [{"gid": 1000, "name": "alice"}, {"gid": 104, "name": "render"}],
}


@pytest.fixture
def shown(capsys, tmp_path):
    def shown(*options, packages=(), excerpts=(), pci_id="8086:5916", **more):
        snapshot: dict[str, Any] = {
            "system": DEBIAN_12,
            "gpus": [{"pci_id": pci_id}] if pci_id else [],
            "packages": [
                {"name": name, "version": version, "manager": "dpkg", "state": "installed"}
                for name, version in packages
            ],
            "excerpts": list(excerpts),
            **more,
        }
        file = tmp_path / "host.json"
        file.write_text(json.dumps(snapshot))
        with pytest.raises(SystemExit):
            main(["install-plan", "--from", str(file), *options])
        return capsys.readouterr().out

    return shown


def route_of(out, backend, how="package"):
    routes = json.loads(out)["routes"]
    return next(r for r in routes if (r["backend"], r["how"]) == (backend, how))


def test_what_is_there_is_said_and_not_installed_again(shown):
    out = shown("--backend", "pocl", packages=(POCL, LOADER), pci_id=None)
    assert "→ You already have PoCL 3.1 (apt). Nothing to install." in out
    assert "apt install" not in out
    assert "Check  clprobe info" in out


def test_each_route_says_how_much_of_it_is_there(shown):
    out = shown("--json", packages=(POCL, LOADER))
    pocl, neo = route_of(out, "pocl"), route_of(out, "compute-runtime")
    assert (pocl["installed"], neo["installed"]) == ("installed", "new")
    assert pocl["components"][0]["installed_version"] == POCL[1]
    assert [step["done"] for step in pocl["steps"]] == [True, True, False]
    # Nobody looks into environments that a route has yet to make.
    assert route_of(out, "pocl", "conda")["installed"] == "unknown"
    words = " ".join(shown(packages=(POCL, LOADER)).split())
    assert "Also installed: pocl (apt) 3.1." in words
    assert "1. pocl (apt) (CPU, supported, installed)" in shown(
        "--want", "cpu", "--format", "markdown", packages=(POCL, LOADER)
    )


def test_an_excerpt_of_the_packages_does_not_say_what_is_missing(shown):
    out = shown("--json", packages=(POCL,), excerpts=("packages",))
    assert route_of(out, "compute-runtime")["installed"] == "unknown"
    assert route_of(out, "pocl")["installed"] == "installed"


@pytest.mark.parametrize("version", ["21.1-1", "no version"])
def test_an_older_version_is_not_the_one_of_the_route(shown, version):
    out = shown("--json", packages=((NEO[0], version), LOADER))
    component = route_of(out, "compute-runtime")["components"][0]
    assert (component["installed"], component["installed_version"]) == (False, None)


def test_a_group_that_the_user_has_is_not_joined_again(shown):
    session = {"groups": ALICE["database_groups"]}
    out = shown("--backend", "compute-runtime", packages=(NEO, LOADER), user={**ALICE, **session})
    assert "usermod" not in out
    assert "Log out" not in out
    # Somebody who was put into it during the session has to log in anew.
    out = shown("--backend", "compute-runtime", packages=(NEO, LOADER), user=ALICE)
    assert 'usermod -aG render "$USER"' in out
    assert "→ You already have Intel Graphics Compute Runtime (NEO) 22.43.24595.41 (apt)." in out
    assert "Log out and in again" in out
    assert "apt install" not in out


def test_with_v_a_done_step_is_marked(shown):
    out = shown("--backend", "pocl", "-v", packages=(POCL, LOADER))
    assert "Install pocl-opencl-icd (done)" in out


def test_a_repository_that_is_there_is_not_added_again(capsys, tmp_path):
    host = {
        "system": {"distribution": {"id": "ubuntu", "version": "24.04"}},
        "gpus": [{"pci_id": "8086:e20b"}],
        "package_sources": ["ppa:kobuk-team/intel-graphics"],
    }
    file = tmp_path / "host.json"
    file.write_text(json.dumps(host))
    for sources, adds in ((host["package_sources"], False), ([], True)):
        file.write_text(json.dumps({**host, "package_sources": sources}))
        with pytest.raises(SystemExit):
            main(["install-plan", "--from", str(file), "--backend", "compute-runtime"])
        out = capsys.readouterr().out
        assert ("curl" in out, "sources.list.d" in out) == (adds, adds)
        assert "sudo apt install" in out
