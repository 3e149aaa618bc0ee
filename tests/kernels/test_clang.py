# SPDX-License-Identifier: MIT
"""Every kernel file, in every build that is asked for, is OpenCL C 1.2 without a warning."""

import shutil
import subprocess

import pytest
from asked_for import Build

from clprobe.resources import kernels_path

TEXTS = {
    str(path.relative_to(kernels_path())): path.read_text() for path in kernels_path().rglob("*.cl")
}
INCLUDED = {file for file in TEXTS if any(f'#include "{file}"' in text for text in TEXTS.values())}
FILES = sorted(set(TEXTS) - INCLUDED)
WARNINGS = (
    "-Weverything",
    # Kernels are not written in C90, and no header declares what they define.
    *("-Wno-declaration-after-statement", "-Wno-missing-prototypes"),
    "-Wno-missing-variable-declarations",
    # Alternatives share a signature, and a toolbox of macros; defines make conditions constant.
    *("-Wno-unused-parameter", "-Wno-unused-macros", "-Wno-constant-logical-operand"),
    # A maximum equals one of its operands; WHOLE says that rows start where vectors may.
    *("-Wno-float-equal", "-Wno-cast-align"),
    "-Wno-comma",  # a loop may step two things
    # The layout of a struct that never leaves registers is nobody's business.
    "-Wno-padded",
)
# Beignet and other devices of 32 bits have a smaller size_t. What fits their memory fits into it.
TARGETS = {"spir64": (), "spir": ("-Wno-shorten-64-to-32",)}


def clang_says(source: str, options: tuple[str, ...]) -> str:
    """Return the warnings and errors on devices of 64 and of 32 bits."""
    if shutil.which("clang") is None:
        pytest.skip("needs clang")
    language = ["-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header"]
    if "cl_intel_" in source:
        # clang's quick table of built-in functions has none of Intel's; its slow header has.
        language.append("-cl-no-stdinc")
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
    asked = {build for of_device in builds.values() for build in of_device if build.file == file}

    # Without defines, too: a file makes sense alone.
    assert complaints({*asked, Build(file, ())}) == []


def test_generated_kernels_build_without_warnings(builds: dict[str, set[Build]]) -> None:
    generated = {build for asked in builds.values() for build in asked if build.generated}

    assert generated
    assert complaints(generated) == []


def complaints(wanted: set[Build]) -> list[str]:
    """Return what clang says of these builds."""
    found = ((build, clang_says(build.source, build.options)) for build in sorted(wanted))
    return [f"{build}\n{said}" for build, said in found if said]


def test_every_kernel_file_is_asked_for(builds: dict[str, set[Build]]) -> None:
    """A file that no operation asks for is either dead or missing from the work in asked_for.py."""
    asked = {build.file for of_device in builds.values() for build in of_device}

    generated = {build.generated for of_device in builds.values() for build in of_device}
    for file in FILES:
        if any(f'#include "{file}"' in source for source in generated):
            asked.add(file)

    assert sorted(set(FILES) - asked) == []


def test_a_warning_is_seen() -> None:
    kernel = "kernel void f(global float *x, uint n) {{ x[n] = {}; }}\n"

    assert clang_says(kernel.format("0.5f"), ()) == ""
    assert "implicit conversion" in clang_says(kernel.format("(n > 1L) + n"), ())
    assert clang_says(kernel.format("x[0] * 0.1"), ()) != ""
