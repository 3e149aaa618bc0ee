# SPDX-License-Identifier: MIT
"""Nets that everybody knows, small, train as in torch on each OpenCL implementation that is there.

Each runs in a child process, for its ICD is found through the environment, and may crash. At their
own size tests/benchmarks/whole_nets.py trains them.
"""

import json
from pathlib import Path

import pytest
from agreement import Yardstick, as_bench_does
from implementations import INTEL_CPU, ONLY_RUSTICL, POCL, RUSTICL
from known_nets import SMALL
from on_implementation import only_or_skip, run_there

from clprobe.aten import graph as graphs
from clprobe.aten.table.elementwise import applied
from clprobe.tensor import Device

PROGRAM = Path(__file__).with_name("every_net.py")
TIME_LIMIT_S = 900
WITH_OWN_KERNELS = ("gcn", "pointnet", "vae")


def check(platform: str, environment: dict[str, str], *options: str) -> None:
    result = run_there(
        PROGRAM, platform, environment, "--unoptimized", *options, limit_s=TIME_LIMIT_S
    )
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert [row for row in rows if not row["agrees"]] == []
    assert result.returncode == 0, result.stderr[-2000:]


def test_every_net_trains_as_in_torch_on_debians_pocl(tmp_path: Path) -> None:
    """As bench trains them: torch.compile brings no other kernels."""
    check("Portable Computing Language", only_or_skip(POCL, tmp_path), "--ways", "bench")


def test_a_net_trains_through_torch_compile_on_debians_pocl(tmp_path: Path) -> None:
    """One; the others do so on the PoCL of pyopencl's wheel."""
    check("Portable Computing Language", only_or_skip(POCL, tmp_path), "--nets", "gpt")


def test_every_net_trains_as_in_torch_on_intels_cpu_runtime(tmp_path: Path) -> None:
    """As bench trains them: torch.compile brings no other kernels."""
    check("Intel", only_or_skip(INTEL_CPU, tmp_path), "--ways", "bench")


def test_further_nets_train_as_in_torch_on_debians_pocl(tmp_path: Path) -> None:
    """Those with kernels of their own; the others are trained by hand, by every_net.py."""
    some = only_or_skip(POCL, tmp_path)
    check("Portable Computing Language", some, "--ways", "bench", "--nets", *WITH_OWN_KERNELS)


def test_nets_over_words_train_as_in_torch_on_rusticl() -> None:
    """Two, for llvmpipe takes its time."""
    if not RUSTICL.exists():
        pytest.skip(f"needs mesa-opencl-icd, which brings {RUSTICL}")
    check("rusticl", ONLY_RUSTICL, "--nets", "gpt", "lstm")


def test_a_gradient_that_is_a_thousandth_off_disagrees(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = graphs.TABLE["tanh_backward.default"]
    monkeypatch.setitem(
        graphs.TABLE,
        "tanh_backward.default",
        lambda run, dy, y: applied(run, "multiply", right(run, dy, y), 1.001),
    )
    yardstick = Yardstick(SMALL["lstm"])

    _, run = as_bench_does(yardstick, device)

    assert yardstick.agreement(run).share > 1
