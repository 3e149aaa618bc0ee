# SPDX-License-Identifier: MIT
"""What a rule's typed actions become on a host: the command, its undo, or words without facts."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.diagnosis.remedies import remedies_of
from clprobe.facts.derive import derive
from clprobe.facts.paths import Scope
from clprobe.model.action import SeePlan
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Remedy
from clprobe.ruleset.load import load_rule

KNOWLEDGE = Knowledge.load()
UBUNTU = {"system": {"distribution": {"id": "ubuntu", "version": "24.04", "like": ["debian"]}}}
RULE = {
    "id": "a-problem",
    "title": "It is broken",
    "severity": "error",
    "link": "hardware",
    "when": {"said": {"contains": "broken"}},
    "because": "It is.",
    "sources": [{"url": "https://example.org", "checked": "2026-01-01"}],
    "since": "0.1.0",
}


@pytest.fixture
def remedies(tmp_path: Path) -> Any:
    def made(snapshot: dict[str, Any], *written: dict[str, Any]) -> tuple[Remedy, ...]:
        path = tmp_path / "topic" / "a-problem.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**RULE, "remedy": written}))
        facts = derive(snapshot_from_text(json.dumps(snapshot), name="test"), KNOWLEDGE.tables)
        return remedies_of(load_rule(path), Scope(facts, {}), KNOWLEDGE.tables)

    return made


def test_a_package_that_compiles_nothing_for_the_processor_is_not_to_be_installed(remedies) -> None:
    jammy = {"id": "ubuntu", "version": "22.04"}
    install = {"install": "pocl"}

    def on(**cpu: Any) -> Remedy:
        (made,) = remedies({"system": {"distribution": jammy, "cpu": cpu}}, install)
        return made

    assert on(model="AMD Ryzen 7 3700X").argv == ("apt", "install", "pocl-opencl-icd")
    assert on().argv == ("apt", "install", "pocl-opencl-icd")
    assert isinstance(on(model="AMD Ryzen 7 5800X").action, SeePlan)


def one_of(snapshot: dict[str, Any], linux: str) -> dict[str, Any]:
    system = {**snapshot["system"], "linux": {"release": linux}}
    return {**snapshot, "system": system}


def test_packages_that_no_table_has_come_from_the_manager_of_the_distribution(remedies) -> None:
    written = {"install_packages": {"text": "Take it", "packages": {
        "ubuntu": ["linux-headers-{system.linux.release}"], "fedora": ["kernel-devel"],
        "opensuse": ["kernel-devel"]}}}  # fmt: skip
    (here,) = remedies(one_of(UBUNTU, "6.8.0-51-generic"), written)
    assert here.argv == ("apt", "install", "linux-headers-6.8.0-51-generic")
    assert (here.undo, here.needs_root) == (
        ("apt", "remove", "linux-headers-6.8.0-51-generic"), True,
    )  # fmt: skip
    arch = {"system": {"distribution": {"id": "arch"}, "linux": {"release": "6.12"}}}
    (elsewhere,) = remedies(arch, written)
    assert elsewhere.argv is None
    assert "kernel-devel (Fedora, openSUSE)" in elsewhere.title
    (unknown,) = remedies(UBUNTU, written)
    assert (unknown.argv, unknown.title) == (None, "Take it")


def test_packages_are_repaired_by_the_manager_that_keeps_their_list(remedies) -> None:
    written = {"repair_packages": "Let it finish"}
    package = {"name": "x", "version": "1", "manager": "pacman", "architecture": "x86_64"}
    (by_list,) = remedies({"packages": [package]}, written)
    assert (by_list.argv, by_list.needs_root) == (("pacman", "-Syu"), True)
    (by_name,) = remedies(UBUNTU, written)
    assert by_name.argv is not None
    assert "apt --fix-broken install" in by_name.argv[2]
    assert remedies({}, written)[0].argv is None


def test_the_owner_of_a_file_is_asked_of_the_manager(remedies) -> None:
    (made,) = remedies(UBUNTU, {"find_owner": "/usr/lib/libOpenCL.so.1"})
    assert made.argv == ("dpkg", "-S", "/usr/lib/libOpenCL.so.1")
    assert not made.needs_root


@pytest.mark.parametrize(
    ("container", "line"),
    [
        ("podman", "podman run --device /dev/dri …"),
        ("docker", "docker run --device /dev/dri …"),
        (None, "docker run --device /dev/dri …"),
    ],
)
def test_options_are_told_for_the_engine_of_the_container(remedies, container, line) -> None:
    snapshot = {"system": {"virtualization": {"container": container}}}
    written = {"start_container_with": {"text": "Hand it in", "options": ["--device", "/dev/dri"]}}
    (made,) = remedies(snapshot, written)
    assert (made.title, made.argv) == (f"Hand it in: {line}", None)


def test_a_command_to_complete_says_what_its_holes_stand_for(remedies) -> None:
    written = {"complete": {"text": "Connect it", "argv": ["snap", "connect", "NAME:opengl"],
                            "holes": {"NAME": "the snap"}, "root": True}}  # fmt: skip
    (made,) = remedies({}, written)
    assert made.argv is None
    assert made.title == "Connect it: sudo snap connect NAME:opengl (NAME: the snap)"


def test_a_service_is_configured_by_its_name_or_in_words(remedies) -> None:
    written = {"configure_service": {"unit": "{system.virtualization.service}",
                                     "settings": ["PrivateDevices=no"]}}  # fmt: skip
    snapshot = {"system": {"virtualization": {"service": "jellyfin.service"}}}
    (made,) = remedies(snapshot, written)
    assert made.argv is not None
    assert made.argv[-3:] == (
        "jellyfin.service",
        "/etc/systemd/system/jellyfin.service.d/opencl-PrivateDevices.conf",
        "PrivateDevices=no",
    )
    (in_words,) = remedies({}, written)
    assert in_words.argv is None
    assert in_words.title.startswith("Write PrivateDevices=no below [Service]")
    snapshot["system"]["virtualization"]["service"] = "../../x y"
    (refused,) = remedies(snapshot, written)
    assert (refused.argv, "by hand" in refused.title) == (None, True)


def test_a_fact_is_no_option_of_a_shown_command(remedies) -> None:
    written = {"show": {"text": "Look", "argv": ["uname", "{system.linux.release}"]}}
    (made,) = remedies({"system": {"linux": {"release": "6.8"}}}, written)
    assert made.argv == ("uname", "6.8")
    (refused,) = remedies({"system": {"linux": {"release": "-o"}}}, written)
    assert refused.argv is None
    assert refused.title.startswith("Look, by hand")


def test_what_comes_after_another_says_so_unless_it_is_the_first(remedies) -> None:
    first = {"manual": "Do it.", "if": {"system.linux.release": {"is": "6.8"}}}
    second = {"manual": "Look.", "then": True}
    snapshot = {"system": {"linux": {"release": "6.8"}}}
    assert [one.then for one in remedies(snapshot, first, second)] == [False, True]
    snapshot["system"]["linux"]["release"] = "6.9"
    assert [one.then for one in remedies(snapshot, first, second)] == [False]


def test_variables_that_work_together_are_set_and_unset_together(remedies) -> None:
    written = {"set_variables": {"text": "Try", "variables": {"A": "1", "B": "x y"}}}
    (made,) = remedies({}, written)
    assert (made.title, made.undo) == ("Try: export A=1 B='x y'", "unset A B")
    assert msgspec.to_builtins(made.action)["variables"] == (("A", "1"), ("B", "x y"))


def test_a_driver_is_hidden_with_the_lines_of_clprobe_env(remedies) -> None:
    written = {"hide_drivers": {"text": "Hide it", "without": "{system.linux.release}"}}
    (made,) = remedies({"system": {"linux": {"release": "/etc/x y.icd"}}}, written)
    assert made.title == "Hide it: eval \"$(clprobe env --without '/etc/x y.icd')\""
    assert made.undo == 'eval "$(clprobe env --undo)"'
    assert remedies({}, written)[0].title == "Hide it"
