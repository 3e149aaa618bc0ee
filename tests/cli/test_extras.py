# SPDX-License-Identifier: MIT
"""The command that adds an extra fits how clprobe is installed; no index need have clprobe."""

import json
import shlex
import sys
from importlib.metadata import PathDistribution

import pytest

from clprobe.cli.extras import command_for, how_to_install

METADATA = """\
Metadata-Version: 2.4
Name: clprobe
Version: 0.1.0
Requires-Dist: click>=8.1
Provides-Extra: bench
Requires-Dist: numpy>=1.26; extra == 'bench'
Requires-Dist: pocl-binary-distribution>=3.0; (sys_platform == 'linux') and extra == 'bench'
Requires-Dist: pywin32; (sys_platform == 'win32') and extra == 'bench'
Provides-Extra: site
Requires-Dist: jinja2>=3.1; extra == 'site'
"""
PIP = (sys.executable, "-m", "pip", "install")


@pytest.fixture
def installed(tmp_path):
    def make(origin=None):
        folder = tmp_path / "clprobe-0.1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(METADATA)
        if origin is not None:
            (folder / "direct_url.json").write_text(json.dumps(origin))
        return PathDistribution(folder)

    return make


def test_from_a_wheel_the_requirements_themselves_are_named(installed, tmp_path):
    wheel = installed({"url": f"file://{tmp_path}/clprobe-0.1.0-py3-none-any.whl"})
    wanted = (*PIP, "numpy>=1.26", "pocl-binary-distribution>=3.0")
    assert command_for("bench", wheel, tmp_path) == wanted
    assert command_for("site", wheel, tmp_path) == (*PIP, "jinja2>=3.1")


def test_what_dpkg_installed_names_a_package(installed, tmp_path, monkeypatch):
    monkeypatch.setattr("clprobe.cli.extras._OF_DEBIAN", tmp_path)
    of_debian = installed()
    assert command_for("bench", of_debian, tmp_path) == ("sudo", "apt", "install", "clprobe-bench")
    assert command_for("site", of_debian, tmp_path) == ("sudo", "apt", "install", "python3-jinja2")


def test_a_checkout_is_named_by_its_path_whatever_that_holds(installed, tmp_path):
    folder = tmp_path / "a clone; x"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    url = folder.as_uri()
    editable = installed({"url": url, "dir_info": {"editable": True}})
    assert command_for("bench", editable, tmp_path) == (*PIP, "--editable", f"{folder}[bench]")


def test_a_folder_installed_plainly_is_installed_plainly_again(installed, tmp_path):
    (tmp_path / "pyproject.toml").touch()
    plain = installed({"url": tmp_path.as_uri(), "dir_info": {}})
    assert command_for("bench", plain, tmp_path) == (*PIP, f"{tmp_path}[bench]")


def test_pipx_injects_into_its_environment(installed, tmp_path):
    prefix = tmp_path / "venvs" / "clprobe"
    prefix.mkdir(parents=True)
    (prefix / "pipx_metadata.json").write_text("{}")
    assert command_for("site", installed(), prefix) == ("pipx", "inject", "clprobe", "jinja2>=3.1")


def test_this_installation_is_told_a_command_of_one_line():
    words = shlex.split(how_to_install("bench"))
    assert "clprobe[bench]" not in words
    assert words[0] in (sys.executable, "pipx")
