# SPDX-License-Identifier: MIT
"""Every kernel that an Intel GPU would ask for, built by Intel's own compiler: nothing spills."""

import shutil
import subprocess
from pathlib import Path

import pytest
from intel_compiler import COMPILER, ICD, PRODUCTS, compile_for, fma_share, named_registers
from proofs import packages, proof

# Xe-HPC, for data centres, is in the table only: there, all but matmul/subgroup.cl becomes SIMD32.
SPILLING = {"Xe-HPC"}


@pytest.mark.slow
@pytest.mark.parametrize("generation", [name for name in PRODUCTS if name not in SPILLING])
def test_no_kernel_spills_registers(generation: str, tmp_path: Path) -> None:
    if not ICD.exists():
        pytest.skip(f"needs intel-opencl-icd, which brings {ICD}")

    test = f"test_intel_compiler.py::test_no_kernel_spills_registers[{generation}]"
    with proof(test, packages(*COMPILER)):
        compiled = compile_for(PRODUCTS[generation], tmp_path, disassembled=False)

        # Without matrix products in sub-groups, another device would have asked the ladder.
        assert any(kernel.build.startswith("matmul/subgroup.cl") for kernel in compiled)
        assert [kernel for kernel in compiled if kernel.spilled_bytes] == []
        # Gen8 has no multiply-add of halves: kernels/half/policy.yaml.
        in_half = [kernel for kernel in compiled if "subgroup_half" in kernel.build]
        assert {kernel.simd_width for kernel in in_half} == (
            {16} if generation != "Gen8" else set()
        )


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_ocloc_compiles_for_the_product_too(product: str, tmp_path: Path) -> None:
    if shutil.which("ocloc") is None:
        pytest.skip("needs intel-ocloc, or intel-opencl-icd that brings it")
    (tmp_path / "double.cl").write_text("kernel void twice(global float *x) { x[0] *= 2.0f; }\n")

    result = subprocess.run(
        ["ocloc", "compile", "-file", "double.cl", "-device", product, "-output", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0, result.stdout


def test_the_densest_block_counts() -> None:
    text = """\
(W)     mov (8|M0)               r23.0<1>:ud   r0.0<1;1,0>:ud
L104:
        mad (8|M0)               r6.0<1>:f     r7.0<0;0>:f   r6.0<0;0>:f   r6.1<0>:f
(f1.1)  mad (16|M0)              r8.0<1>:f     r7.0<0;0>:f   r6.0<0;0>:f   r6.1<0>:f
        mad (8|M0)               r6.0<1>:d     r7.0<0;0>:d   r6.0<0;0>:d   r6.1<0>:d
(W&f0.0) jmpi                                 L104
L200:
        add (8|M0)               r6.0<1>:f     r7.0<1;1,0>:f   1.0:f
"""

    assert fma_share(text) == 2 / 4
    assert named_registers(text) == len({23, 0, 6, 7, 8})


def test_multiply_adds_of_halves_count_too() -> None:
    text = """\
L8:
        mad (16|M0)              r6.0<1>:hf    r7.0<2;1>:hf   r6.0<2;1>:hf   r6.1<0>:hf
        mov (16|M0)              r8.0<1>:f     r7.0<8;8,1>:hf
"""

    assert fma_share(text) == 1 / 2
