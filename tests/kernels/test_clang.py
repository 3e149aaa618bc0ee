# SPDX-License-Identifier: MIT
"""Every kernel file, in every build that is asked for, is OpenCL C 1.2 without a warning."""

import shutil
import subprocess

import pytest
from asked_for import Build

from clprobe.resources import kernels_path
from clprobe.tensor.program import read_with_includes

TEXTS = {
    str(path.relative_to(kernels_path())): path.read_text() for path in kernels_path().rglob("*.cl")
}
INCLUDED = {file for file in TEXTS if any(f'#include "{file}"' in text for text in TEXTS.values())}
FILES = sorted(set(TEXTS) - INCLUDED)
# Kernels are not written in C90, and no header declares their functions.
WARNINGS = ("-Weverything", "-Wno-declaration-after-statement", "-Wno-missing-prototypes")
# Beignet and other devices of 32 bits have a smaller size_t. What fits their memory fits into it.
TARGETS = {"spir64": (), "spir": ("-Wno-shorten-64-to-32",)}


def clang_says(source: str, options: tuple[str, ...]) -> str:
    """Return the warnings and errors on devices of 64 and of 32 bits."""
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    language = ("-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header")
    return "".join(
        subprocess.run(
            [
                "clang",
                "-fsyntax-only",
                "-target",
                target,
                *language,
                *WARNINGS,
                *less,
                *options,
                "-",
            ],
            input=source,
            capture_output=True,
            text=True,
            check=False,
        ).stderr
        for target, less in TARGETS.items()
    )


@pytest.mark.parametrize("file", FILES)
def test_a_kernel_builds_without_warnings(builds: dict[str, set[Build]], file: str) -> None:
    source = read_with_includes(kernels_path(), file)
    wanted = sorted({build for asked in builds.values() for build in asked if build.file == file})

    complaints = [
        f"{build}\n{said}"
        # Without defines, too: a file makes sense alone.
        for build in (*wanted, Build(file, ()))
        if (said := clang_says(source, build.options))
    ]

    assert complaints == []


def test_every_kernel_file_is_asked_for(builds: dict[str, set[Build]]) -> None:
    """A file that no operation asks for is either dead or missing from the work in asked_for.py."""
    asked = {build.file for of_device in builds.values() for build in of_device}

    assert sorted(set(FILES) - asked) == []


def test_a_warning_is_seen() -> None:
    kernel = "kernel void f(global float *x, uint n) {{ x[n] = {}; }}\n"

    assert clang_says(kernel.format("0.5f"), ()) == ""
    assert "implicit conversion" in clang_says(kernel.format("(n > 1L) + n"), ())
    assert clang_says(kernel.format("x[0] * 0.1"), ()) != ""
