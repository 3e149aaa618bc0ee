# SPDX-License-Identifier: MIT
"""The machine that this project began with: a ThinkPad T540p with HD 4600 and Ubuntu 24.04."""

import json

import pytest

from clprobe.cli.main import main

T540P = ("--gpu", "8086:0416", "--os", "ubuntu-24.04", "--goal", "pytorch")


@pytest.fixture
def shown(capsys):
    def shown(*options):
        with pytest.raises(SystemExit) as ended:
            main(["install-plan", *T540P, *options])
        assert ended.value.code == 0
        return capsys.readouterr().out

    return shown


@pytest.fixture
def plan(shown):
    return json.loads(shown("--json"))


def rejected(plan, backend, stack=None):
    return next(r for r in plan["rejected"] if (r["backend"], r["stack"]) == (backend, stack))


def urls(entry):
    return " ".join(source["url"] for source in entry["sources"])


def words(text):
    return " ".join(text.split())


def test_it_says_that_neo_needs_gen8(plan):
    entry = rejected(plan, "compute-runtime")
    assert "starts at Gen8" in entry["because"]
    assert "intel/compute-runtime" in urls(entry)


def test_it_says_which_releases_had_beignet_last(plan):
    entry = rejected(plan, "beignet")
    assert entry["because"].startswith("Ubuntu 24.04 does not package beignet")
    assert "the last releases that do are Debian 11 and Ubuntu 20.04" in entry["because"]
    assert "guides that name Ubuntu 22.04 are wrong" in entry["because"]
    assert "launchpad.net/ubuntu/focal" in urls(entry)
    assert "launchpad.net/ubuntu/noble" in urls(entry)


def test_it_says_why_pytorch_dlprim_does_not_run_on_beignet(plan):
    entry = rejected(plan, "beignet", "pytorch_dlprim")
    assert "its stock build does not run on beignet" in entry["because"].lower()
    assert "OpenCL C 2.0" in entry["because"]
    assert "OpenCL C 1.2" in entry["because"]
    assert "artyom-beilis/dlprimitives" in urls(entry)


def test_it_recommends_pytorch_on_the_cpu_with_exact_versions(plan):
    best = plan["routes"][0]
    assert (best["stack"], best["backend"], best["uses_gpu"]) == ("pytorch-cpu", "cpu", False)
    assert best["status"] == "supported"
    versions = {c["name"]: c["version"] for c in best["components"]}
    assert versions == {"torch": "2.15.0", "python": "3.12"}
    assert any("torch==2.15.0" in step["argv"] for step in best["steps"])
    assert best["steps"][0]["argv"] == ["apt-get", "update"]  # before the first package of apt
    assert best["sources"]


def plain_opencl(plan):
    return {
        route["how"]: route
        for route in plan["routes"]
        if route["backend"] == "beignet" and route["stack"] is None
    }


def test_it_offers_the_package_of_debian_11_for_plain_opencl(plan):
    route = plain_opencl(plan)["file"]
    components = [(c["name"], c["version"], c["origin"]) for c in route["components"]]
    assert ("beignet-opencl-icd", "1.3.2-8", "debian-11") in components
    assert "tracker.debian.org/pkg/beignet" in urls(route)
    assert any("untested" in caveat for caveat in route["caveats"])


def test_it_offers_a_container_of_debian_11_for_plain_opencl(plan):
    route = plain_opencl(plan)["container"]
    commands = [step["argv"] for step in route["steps"]]
    run = next(argv for argv in commands if argv[:2] == ["podman", "run"])
    assert "debian:11" in run
    assert run[run.index("--device") + 1] == "/dev/dri"
    inside = ["podman", "exec", "clprobe-beignet"]
    install = next(argv for argv in commands if argv[:3] == inside and "install" in argv)
    assert "beignet-opencl-icd" in install
    assert all(
        step["undo"] and step["verify"] for step in route["steps"] if "install" in step["argv"]
    )
    assert "compute-runtime/issues/366" in urls(route)


def test_every_route_says_why_it_stands_there_and_where_that_is_known_from(plan):
    for route in plan["routes"]:
        assert route["ranking"].endswith(".")
        assert route["sources"]
    assert "The route before it" in plan["routes"][1]["ranking"]


def test_the_text_says_all_of_it(shown, monkeypatch):
    monkeypatch.setenv("COLUMNS", "600")  # so that no sentence is broken into lines of a cell
    text = words(shown("-v"))
    for said in (
        "starts at Gen8",
        "does not package beignet",
        "Debian 11 and Ubuntu 20.04",
        "guides that name Ubuntu 22.04 are wrong",
        "Its stock build does not run on Beignet",
        "A container of Debian 11 holds beignet 1.3.2",
        "torch==2.15.0",
        "Steps of route 1, pytorch-cpu",
    ):
        assert said in text
