# SPDX-License-Identifier: MIT
"""Tuning measures on the device, rejects what is not right, and is believed only while it holds."""

import os
import resource
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from clprobe.private_files import private_folder, read
from clprobe.resources import kernels_path
from clprobe.tensor import Device
from clprobe.tensor.ops.matmul import in_order_of_preference
from clprobe.tensor.ops.variants import Product, Variant, load_variants, read_variant, write_variant
from clprobe.tensor.tuning.space import estimate, exceeds, load_space, packed, tiled
from clprobe.tensor.tuning.table import (
    Tables,
    Tuned,
    default_folder,
    load_tables,
    path_of,
    save,
    source_digest,
)
from clprobe.tensor.tuning.tune import Trial, tune

SMALL = Product(rows=40, columns=48, depth=32, transposed="NT")
LADDER = load_variants(kernels_path() / "matmul" / "variants.yaml")
PACKED = packed(
    "matmul/packed.cl", {"ROWS": 4, "VECTORS": 2, "TILE_DEPTH": 64, "tiles_per_compute_unit": 4}
)
FITTING = replace(PACKED, is_cpu=None)

# As far as a table is concerned.
NO_DEVICE: Any = SimpleNamespace(
    cl_device=SimpleNamespace(
        platform=SimpleNamespace(name="none"), name="a device", driver_version="1"
    )
)

TILED = {
    "TILE_ROWS": [16],
    "TILE_COLUMNS": [16],
    "TILE_DEPTH": [16],
    "ITEM_ROWS": [4],
    "ITEM_COLUMNS": [4],
    "LANES_DOWN": [1],
    "LANES_ACROSS": [4],
    "BUFFERS": [1, 8192],
    "UNROLL": [4],
    "most_splits": [1],
}
# Two configurations for either kind of device, the second too large for any.
SPACE = [
    {
        "file": "matmul/packed.cl",
        "is_cpu": True,
        "values": {
            "ROWS": [4],
            "VECTORS": [1],
            "TILE_DEPTH": [32, 1 << 22],
            "tiles_per_compute_unit": [1],
        },
    },
    {"file": "matmul/tiled.cl", "is_cpu": False, "values": TILED},
]


@pytest.fixture
def spoilt(device: Device, tmp_path: Path) -> Device:
    """Return a device with kernels and a space of its own, which a test may change."""
    kernels = tmp_path / "kernels"
    shutil.copytree(kernels_path(), kernels)
    (kernels / "matmul" / "space.yaml").write_text(
        yaml.safe_dump({"spaces": SPACE, "products": [[8, 8, 8]]})
    )
    return Device.open(device.cl_device, limits=device.limits, kernels=kernels)


def saved(device: Device, folder: Path, variant: Variant = FITTING) -> Path:
    return save(device.cl_device, kernels_path(), [Tuned(SMALL, variant, 10.0)], folder)


def loaded(device: Device, folder: Path) -> Tables:
    """Return this machine's part of the tables."""
    tables = load_tables(device.cl_device, kernels_path(), folder)
    tables.entries = [tuned for tuned in tables.entries if tuned.product == SMALL]
    return tables


def test_what_tuning_found_is_used_at_once_and_later(device: Device, tmp_path: Path) -> None:
    with Device.open(device.cl_device, limits=device.limits) as opened:
        report = tune(opened, products=[SMALL], candidates=2, folder=tmp_path)
        used = in_order_of_preference(opened, SMALL)[0]

    (winner,) = report.winners
    assert winner.measured == 2
    assert winner.tuned.gflops >= winner.previous_gflops > 0
    assert used == winner.tuned.variant
    assert loaded(device, tmp_path).entries[0].variant == used
    assert report.path == path_of(device.cl_device, tmp_path)


def test_a_wrong_kernel_never_wins_and_is_listed(spoilt: Device, tmp_path: Path) -> None:
    path = spoilt.programs.folder / "common" / "epilogue.cl"
    text = path.read_text()
    assert text.count(": sum") == 2
    path.write_text(text.replace(": sum", ": 2.0f * sum"))

    report = tune(spoilt, products=[SMALL], candidates=1, folder=tmp_path)

    assert report.winners == ()
    assert report.rejected
    assert any("values are wrong" in each.reason for each in report.rejected)


def test_a_kernel_that_does_not_build_never_wins_and_is_listed(
    spoilt: Device, tmp_path: Path
) -> None:
    for name in ("packed.cl", "tiled.cl"):
        path = spoilt.programs.folder / "matmul" / name
        path.write_text("this is no kernel\n" + path.read_text())

    report = tune(spoilt, products=[SMALL], candidates=1, folder=tmp_path)

    reasons = [each.reason for each in report.rejected]
    assert report.winners == ()
    assert any("does not build" in reason for reason in reasons)
    assert any("local memory, more than there are" in reason for reason in reasons)


def test_a_result_that_lies_in_memory_from_before_does_not_pass(spoilt: Device) -> None:
    trial = Trial(spoilt, SMALL)
    right = in_order_of_preference(spoilt, SMALL)[0]
    assert trial.error(right) == ""
    path = spoilt.programs.folder / "matmul" / "naive.cl"
    stored = "WRITE(RESULT_HALF, result, c, index);"
    text = path.read_text()
    assert stored in text
    path.write_text(text.replace(stored, f"if (m == 0) {stored}"))

    idle = Variant(file="matmul/naive.cl", defines={}, tile=(1, 1))

    assert "values are wrong" in trial.error(idle)


def test_a_table_serves_products_up_to_twice_the_size(device: Device, tmp_path: Path) -> None:
    saved(device, tmp_path)
    tables = loaded(device, tmp_path)

    assert tables.nearest(SMALL) == [FITTING]
    assert tables.nearest(replace(SMALL, rows=80, depth=16)) == [FITTING]
    assert tables.nearest(replace(SMALL, rows=81)) == []
    assert tables.nearest(replace(SMALL, transposed="NN")) == []


def test_the_most_similar_product_decides() -> None:
    other = replace(FITTING, aimed_tiles_per_compute_unit=1)
    near, far = replace(SMALL, rows=50), replace(SMALL, rows=80)
    tables = Tables([Tuned(far, other, 1.0), Tuned(near, FITTING, 1.0)])

    assert tables.nearest(SMALL) == [FITTING, other]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("format: 1", "format: 2", "format 2"),
        ("matmul:", "matmul: [", "ParserError"),
        ("format: 1", "", "KeyError"),
        ("file: matmul/packed.cl", "file: /tmp/x.cl", "no kernel of clprobe's"),
        ("file: matmul/packed.cl", "file: ../kernels/matmul/packed.cl", "no kernel of clprobe's"),
        ("ROWS: 4", "ROWS -I/tmp: 4", "not all names"),
        ("ROWS: 4", "ROWS: [4]", "TypeError"),
        ("defines:", "other: 1\n    defines: 4\n    x:", "AttributeError"),
    ],
)
def test_a_table_that_says_what_it_may_not_is_named_and_ignored(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    path = saved(NO_DEVICE, tmp_path)
    text = (read(path) or b"").decode()
    assert old in text
    with private_folder(path.parent) as folder:
        folder.write(path.name, text.replace(old, new).encode())

    tables = loaded(NO_DEVICE, tmp_path)

    assert tables.entries == []
    (complaint,) = tables.ignored
    assert complaint.startswith(f"{path}: ")
    assert reason in complaint


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give files away")
@pytest.mark.parametrize("what", ["table", "folder", "folder above"])
def test_a_whole_table_of_somebody_else_is_not_believed(tmp_path: Path, what: str) -> None:
    path = saved(NO_DEVICE, tmp_path / "tuned")
    assert loaded(NO_DEVICE, tmp_path / "tuned").entries
    given = {"table": path, "folder": path.parent, "folder above": tmp_path}[what]
    os.chown(given, 65534, 65534)

    tables = loaded(NO_DEVICE, tmp_path / "tuned")

    assert tables.entries == []
    assert tables.ignored == [f"{path}: damaged, or others can write it; clprobe bench --tune"]


def test_a_table_cut_by_a_full_disk_is_not_left(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))  # ends a write as a full disk
    try:
        with pytest.raises(OSError, match="File too large"):
            saved(NO_DEVICE, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert list(tmp_path.iterdir()) == []


def test_a_table_of_another_version_of_a_kernel_is_named_and_ignored(
    spoilt: Device, tmp_path: Path
) -> None:
    saved(spoilt, tmp_path)
    path = spoilt.programs.folder / "matmul" / "packed.cl"
    path.write_text(path.read_text() + "// another version\n")

    tables = load_tables(spoilt.cl_device, spoilt.programs.folder, tmp_path)

    assert [tuned for tuned in tables.entries if tuned.product == SMALL] == []
    assert any("another kernel" in complaint for complaint in tables.ignored)


def test_another_driver_has_another_table(device: Device, tmp_path: Path) -> None:
    class Updated:
        platform = device.cl_device.platform
        name = device.cl_device.name
        driver_version = device.cl_device.driver_version + ".1"

    saved(device, tmp_path)

    assert loaded(device, tmp_path).entries
    assert path_of(Updated(), tmp_path) != path_of(device.cl_device, tmp_path)
    assert load_tables(Updated(), kernels_path(), tmp_path).ignored == []


def test_tables_lie_where_the_user_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "clprobe" / "tuned"

    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert default_folder() == Path("/home/somebody/.cache/clprobe/tuned")


@pytest.mark.parametrize("variant", LADDER, ids=lambda v: v.name)
def test_a_variant_reads_as_it_was_written(variant: Variant) -> None:
    assert read_variant(yaml.safe_load(yaml.safe_dump(write_variant(variant)))) == variant


@pytest.mark.parametrize("path", sorted((kernels_path() / "tuned").glob("*.yaml")), ids=str)
def test_shipped_tables_hold_what_the_space_can_make(path: Path) -> None:
    spaces, _ = load_space(kernels_path() / "matmul" / "space.yaml")
    possible = [variant for space in spaces for variant in space.variants()]

    for entry in yaml.safe_load(path.read_text())["matmul"]:
        variant = read_variant(entry["variant"])
        made = replace(variant, min_vector_width=0)
        assert made in possible or variant in LADDER
        # Whoever changes a kernel measures anew.
        assert entry["source"] == source_digest(kernels_path(), variant.file)


def test_a_shipped_table_serves_its_platform_alone(device: Device) -> None:
    class IntelCpu:
        platform = SimpleNamespace(name="Intel(R) OpenCL")
        name = "a CPU"
        driver_version = "any"

    layer = Product(rows=128, columns=512, depth=512)

    found = load_tables(IntelCpu(), kernels_path(), Path("/nonexistent"))

    assert found.ignored == []
    assert [variant.defines["ROWS"] for variant in found.nearest(layer)] == [14, 14]
    if "Intel" not in device.cl_device.platform.name:
        others = load_tables(device.cl_device, kernels_path(), Path("/nonexistent"))
        assert others.nearest(layer) == []


def test_the_space_has_no_tile_that_its_work_items_cannot_load() -> None:
    values = {name: allowed[0] for name, allowed in TILED.items()}

    assert tiled("matmul/tiled.cl", values) is not None
    # 64 vectors of four of the first operand for 128 work-items.
    assert tiled("matmul/tiled.cl", {**values, "TILE_COLUMNS": 128}) is None


def test_the_model_prefers_tiles_that_fill_registers_and_waste_nothing(device: Device) -> None:
    limits = replace(device.limits, is_cpu=True, compute_units=2, native_vector_width=16)
    spaces, _ = load_space(kernels_path() / "matmul" / "space.yaml")
    variants = spaces[0].variants()

    def best(rows: int, columns: int) -> dict[str, int]:
        product = Product(rows=rows, columns=columns, depth=512)
        return dict(min(variants, key=lambda each: estimate(each, limits, product)).defines)

    assert best(512, 512)["ROWS"] * best(512, 512)["VECTORS"] == 24
    assert best(128, 10)["VECTORS"] == 1


def test_limits_are_named(device: Device) -> None:
    limits = replace(device.limits, local_memory_bytes=1024, max_work_group_size=8)

    assert "8192 bytes of local memory" in exceeds(PACKED, limits)
    assert "16 work-items" in exceeds(replace(PACKED, work_group_size=16), limits)
    assert exceeds(PACKED, device.limits) == ""
