# SPDX-License-Identifier: MIT
"""Every kernel that an HD Graphics 4600 would ask for, built by its own compiler, Beignet's.

In a child process: an unsupported type, were it one literal without its f, ends the process.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from asked_for import Build
from beignet_package import UnavailableError, compiler, kept_in
from proofs import proof

HD_4600 = "0412"
CHILD = Path(__file__).with_name("beignet_child.py")
Compile = Callable[[str, tuple[str, ...]], "subprocess.CompletedProcess[str]"]

pytestmark = pytest.mark.reality


@pytest.fixture(scope="session")
def compile_source(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Return what compiles a source with options, in a child process."""
    try:
        library, environment = compiler(kept_in(tmp_path_factory.mktemp("beignet")))
    except UnavailableError as error:
        pytest.skip(f"Debian 11's Beignet is out of reach: {error}")

    def run(source: str, options: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, str(CHILD), str(library), HD_4600, " ".join(options)],
            input=source,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def test_the_baseline_path_builds_for_an_hd_4600(
    builds: dict[str, set[Build]], compile_source: Compile
) -> None:
    # Which of Debian 11's packages it is from stands in beignet_package.py.
    test = "test_beignet.py::test_the_baseline_path_builds_for_an_hd_4600"
    with proof(test, "Debian 11's Beignet"):
        wanted = sorted(builds["gen7.5"])

        results = {build: compile_source(build.source, build.options) for build in wanted}

        broken = {build: said(result) for build, result in results.items() if result.returncode}
        assert wanted
        assert broken == {}
        # Scratch memory, where spilled registers go, is reported: it is slow, not wrong.
        assert all(result.stdout.split()[1] in {"8", "16"} for result in results.values())


def test_a_double_literal_ends_the_compiler(compile_source: Compile) -> None:
    result = compile_source("kernel void f(global float *x) { x[0] *= 0.1; }\n", ())

    assert result.returncode < 0
    assert "Double precision not supported" in result.stderr


def test_what_does_not_build_says_why(compile_source: Compile) -> None:
    result = compile_source("kernel void f(global float *x) { x[0] = nonsense; }\n", ())

    assert result.returncode == 1
    assert "nonsense" in said(result)


def said(result: "subprocess.CompletedProcess[str]") -> str:
    lines = (result.stdout + result.stderr).splitlines()
    errors = [line for line in lines if "error" in line.lower()]
    return "\n".join(errors[:5] or lines[-5:])
