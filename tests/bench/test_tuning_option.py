# SPDX-License-Identifier: MIT
"""`--tune`: the child measures configurations first, keeps them, and says what it found."""

import shutil
from pathlib import Path

import pytest
from asked import messages_of

from clprobe.bench.protocol import Outcome, Target, Tuned
from clprobe.model.measurement import (
    BenchReport,
    RejectedConfiguration,
    TunedProduct,
    Tuning,
)
from clprobe.report.bench.conditions import notes
from clprobe.report.bench.html import bench_html
from clprobe.report.bench.markdown import bench_markdown
from clprobe.resources import kernels_path

# Two configurations for a CPU.
_SPACE = """\
spaces:
  - file: matmul/packed.cl
    is_cpu: true
    values: {ROWS: [4, 6], VECTORS: [1], TILE_DEPTH: [256], tiles_per_compute_unit: [8]}
products:
  - [64, 64, 64]
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return kernels with little to tune, for a user with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "kernels"
    shutil.copytree(kernels_path(), folder)
    (folder / "matmul" / "space.yaml").write_text(_SPACE)
    return folder


def test_the_device_is_tuned_first_and_measured_then(
    pocl: Target, kernels: Path, tmp_path: Path
) -> None:
    messages = messages_of(pocl, "launch", kernels=str(kernels), tune=True)

    kinds = [type(one) for one in messages]
    assert kinds.index(Tuned) < kinds.index(Outcome)
    tuning = next(one for one in messages if isinstance(one, Tuned)).tuning
    assert (tuning.device, tuning.problem) == (pocl.label, "")
    products = [f"{kind} 64x64x64" for kind in _KINDS]
    assert [one.product for one in tuning.found[:3]] == products
    assert {one.product.partition(" ")[0] for one in tuning.found[3:]} == set(_DIRECTIONS)
    assert all(one.gflops >= one.gflops_before > 0 for one in tuning.found[:3])
    assert all(one.gflops > 0 < one.gflops_before for one in tuning.found)
    kept = sorted(one.name for one in (tmp_path / "cache" / "clprobe" / "tuned").iterdir())
    assert kept == sorted([kept[-1], f"conv-{kept[-1]}"])


def test_wrong_kernels_are_listed_and_nothing_is_kept_of_them(pocl: Target, kernels: Path) -> None:
    epilogue = kernels / "common" / "epilogue.cl"
    epilogue.write_text(epilogue.read_text().replace(": sum", ": 2.0f * sum"))

    messages = messages_of(pocl, "launch", kernels=str(kernels), tune=True)

    tuning = next(one for one in messages if isinstance(one, Tuned)).tuning
    # Convolutions without bias or activation do not pass there.
    assert [one for one in tuning.found if not one.product.startswith("conv")] == []
    assert any("values are wrong" in one.reason for one in tuning.rejected)


def test_a_cache_that_cannot_be_written_is_said_and_the_rest_goes_on(
    pocl: Target, kernels: Path, tmp_path: Path
) -> None:
    # Not the whole cache folder, in which PoCL keeps its own files.
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "clprobe").write_text("in the way")

    messages = messages_of(pocl, "launch", kernels=str(kernels), tune=True)

    tuning = next(one for one in messages if isinstance(one, Tuned)).tuning
    assert "cache" in tuning.problem
    assert any(isinstance(one, Outcome) for one in messages)


_KINDS = ("NN", "NT", "TN")
_DIRECTIONS = ("conv-forward", "conv-input-grad", "conv-weight-grad")
_TUNING = Tuning(
    device="PoCL",
    seconds=71.6,
    found=(
        TunedProduct(product="NN 1x2x3", configuration="a", gflops=30.0, gflops_before=20.0),
        TunedProduct(product="NT 1x2x3", configuration="b", gflops=20.0, gflops_before=20.0),
    ),
    rejected=(
        RejectedConfiguration(product="NN 1x2x3", configuration="c", reason="it is <wrong>."),
        RejectedConfiguration(product="NT 1x2x3", configuration="c", reason="it is <wrong>."),
    ),
)


def report_with(tuning: Tuning) -> BenchReport:
    return BenchReport(
        host={}, baseline="numpy", results=(), training=(), verdicts=(), tuning=(tuning,)
    )


def test_the_reports_say_what_was_gained_and_what_was_refused() -> None:
    report = report_with(_TUNING)

    assert notes(report) == [
        "Tuning PoCL took 72 s: for 1 of 2 products of matrices and convolutions a faster kernel "
        "was found, at most 1.50 times as fast (NN 1x2x3: 30 GFLOP/s).",
        "Not used on PoCL, 2 kernels: it is <wrong>.",
    ]
    assert "1.50 times as fast" in bench_markdown(report)
    assert "it is &lt;wrong&gt;" in bench_html(report)


def test_a_tuning_that_failed_says_why() -> None:
    assert notes(report_with(Tuning(device="PoCL", seconds=1.0, problem="no room"))) == [
        "Tuning PoCL failed: no room"
    ]
