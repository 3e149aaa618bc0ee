# SPDX-License-Identifier: MIT
"""Programs that gain rights as they start, and what wrappers hand to them."""

import os
import shutil
from pathlib import Path

import pytest

from clprobe.watch.actor import privileged_behind
from clprobe.watch.links import links_in
from clprobe.watch.privileged import (
    gains_rights,
    given_variables,
    holds_loaders_name,
    privileged_file,
    privileged_in_script,
)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return a copy of a program."""
    path = shutil.which("true")
    assert path is not None
    return Path(shutil.copy(path, tmp_path / "true"))


def test_an_ordinary_file_gains_nothing(program: Path) -> None:
    assert not gains_rights(str(program))
    assert privileged_file(str(program)) is None
    assert privileged_file("no-such-command") is None


def test_its_own_user_gains_nothing(program: Path) -> None:
    program.chmod(0o4755)
    assert not gains_rights(str(program))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file away")
def test_another_users_file_and_a_wrapper_before_it(program: Path) -> None:
    os.chown(program, 1, 1)
    program.chmod(0o4755)
    assert gains_rights(str(program))
    told = "P/usr/bin/env\0\0007\0Aenv\0\0007\0AX=1\0\0007\0A" + f"{program}\0\0007\0"
    (trace,) = links_in(told.encode())
    assert privileged_behind(trace) == str(program)
    program.chmod(0o2755)
    os.chown(program, 0, 1)
    program.chmod(0o2755)
    assert gains_rights(str(program))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file away")
def test_a_script_that_names_one(program: Path, tmp_path: Path) -> None:
    os.chown(program, 1, 1)
    program.chmod(0o4755)
    script = tmp_path / "start.sh"
    script.write_text(f"#!/bin/sh\nX=1 '{program}' --all\n")
    assert list(privileged_in_script([str(script)])) == [str(program)]
    assert not holds_loaders_name(str(program))
    (trace,) = links_in(f"P/bin/sh\0\0007\0Ash\0\0007\0A{script}\0\0007\0".encode())
    assert privileged_behind(trace) is None  # it has nothing to do with OpenCL
    with program.open("ab") as file:
        file.write(b"libOpenCL.so.1")
    program.chmod(0o4755)
    assert privileged_behind(trace) == str(program)


def test_variables_that_env_is_to_set() -> None:
    words = ["env", "-i", "LD_LIBRARY_PATH=/opt/lib", "A=b=c", "program", "NOT=one"]
    assert dict(given_variables(words)) == {"LD_LIBRARY_PATH": "/opt/lib", "A": "b=c"}
