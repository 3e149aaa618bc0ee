# SPDX-License-Identifier: MIT
"""What a plan adds to apt's sources, from a small archive on disk that apt itself reads."""

import os
import shutil
import subprocess

import pytest

from clprobe.commands.commands import commands_of, typed
from clprobe.model.action import AddSources

pytestmark = pytest.mark.skipif(shutil.which("apt-get") is None, reason="needs apt")


@pytest.fixture
def archive(tmp_path):
    """An archive with main alone, as apt has it; returns the environment that shows apt only it."""
    for suite in ("bookworm", "bookworm-updates"):
        packages = tmp_path / f"archive/dists/{suite}/main/binary-amd64"
        packages.mkdir(parents=True)
        (packages / "Packages").write_text("")
        release = f"Suite: {suite}\nCodename: {suite}\nComponents: main\nArchitectures: amd64\n"
        (tmp_path / f"archive/dists/{suite}/Release").write_text(release)
    (tmp_path / "parts").mkdir()
    (tmp_path / "lists/partial").mkdir(parents=True)
    (tmp_path / "parts/debian.sources").write_text(
        f"Types: deb\nURIs: file:{tmp_path}/archive\nSuites: bookworm bookworm-updates\n"
        "Components: main\nArchitectures: amd64\nTrusted: yes\n"
    )
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": f"{tmp_path}/parts",
        "Dir::State::lists": f"{tmp_path}/lists",
        "APT::Sandbox::User": "root",
    }
    config = tmp_path / "apt.conf"
    config.write_text("".join(f'{name} "{value}";\n' for name, value in settings.items()))
    environment = {**os.environ, "APT_CONFIG": str(config)}
    subprocess.run(["apt-get", "update"], env=environment, check=True, timeout=60)
    return environment


def added(archive, tmp_path, *components, suite=None):
    path = tmp_path / "added.sources"
    action = AddSources(path=str(path), codename="bookworm", components=components, suite=suite)
    subprocess.run(commands_of(action).argv, env=archive, check=True, timeout=60)
    return path.read_text(encoding="utf-8")


def test_a_component_comes_from_every_suite_of_the_release(archive, tmp_path):
    text = added(archive, tmp_path, "contrib", "non-free")
    assert text.count("Components: contrib non-free\n") == 2
    assert "Suites: bookworm\n" in text
    assert "Suites: bookworm-updates\n" in text
    assert text.count(f"URIs: file:{tmp_path}/archive/\n") == 2


def test_backports_come_from_the_archive_itself(archive, tmp_path):
    text = added(archive, tmp_path, "main", suite="bookworm-backports")
    assert text.count("Suites: ") == 1
    assert "Suites: bookworm-backports\nComponents: main\n" in text


def test_what_apt_has_already_is_not_added_twice(archive, tmp_path):
    assert added(archive, tmp_path, "main").startswith("# Everything was switched on")


def test_another_release_is_refused(archive, tmp_path):
    action = AddSources(path=str(tmp_path / "x"), codename="trixie", components=("non-free",))
    done = subprocess.run(
        commands_of(action).argv, env=archive, check=False, timeout=60, capture_output=True
    )
    assert done.returncode == 1
    assert b"no sources of trixie" in done.stderr


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Components: main\n", "Components: main non-free\n"),
        ("deb http://x bookworm main\n", "deb http://x bookworm main non-free\n"),
    ],
)
def test_what_people_type_edits_both_forms_of_sources(tmp_path, before, after):
    file = tmp_path / "debian.sources"
    file.write_text(before)
    action = AddSources(path="/x", codename="bookworm", components=("non-free",))
    argv = [str(tmp_path) if word == "/etc/apt" else word for word in typed(action).argv]
    subprocess.run(argv, check=True, timeout=60)
    assert file.read_text(encoding="utf-8") == after


def test_what_people_type_adds_a_suite_in_both_forms(tmp_path):
    file = tmp_path / "debian.sources"
    file.write_text("deb http://x bookworm main\nSuites: bookworm bookworm-updates\n")
    action = AddSources(
        path="/x", codename="bookworm", components=("main",), suite="bookworm-backports"
    )
    argv = [str(tmp_path) if word == "/etc/apt" else word for word in typed(action).argv]
    subprocess.run(argv, check=True, timeout=60)
    assert file.read_text(encoding="utf-8") == (
        "deb http://x bookworm main\ndeb http://x bookworm-backports main\n"
        "Suites: bookworm bookworm-updates bookworm-backports\n"
    )


def test_a_component_of_a_suite_is_added_to_what_was_switched_on_before(tmp_path):
    file = tmp_path / "debian.sources"
    file.write_text("Suites: bookworm bookworm-updates\nComponents: main\n")
    for component in ("main", "non-free-firmware"):
        action = AddSources(
            path="/x", codename="bookworm", components=(component,), suite="bookworm-backports"
        )
        argv = [str(tmp_path) if word == "/etc/apt" else word for word in typed(action).argv]
        subprocess.run(argv, check=True, timeout=60)
    assert file.read_text(encoding="utf-8") == (
        "Suites: bookworm bookworm-updates bookworm-backports\nComponents: main non-free-firmware\n"
    )
