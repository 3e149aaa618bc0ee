# SPDX-License-Identifier: MIT
"""Loaders and drivers of other interfaces are found as their loaders find them; none is loaded."""

import json
import shutil
from pathlib import Path

import pytest

from clprobe.model.interfaces import InterfaceFile
from clprobe.model.unknown import Unknown
from clprobe.probe.interfaces import probe_interfaces
from clprobe.probe.libraries import Libraries
from clprobe.probe.live_host import LiveHost

LIBC = "libc.so.6"


def found(**environment: str) -> tuple[InterfaceFile, ...]:
    host = LiveHost({"HOME": "/nonexistent", **environment})
    return probe_interfaces(host, Libraries(host))


def manifest(folder: Path, library: str, name: str = "intel_icd.x86_64.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps({"ICD": {"library_path": library, "api_version": "1.4"}}), "utf-8")
    return path


def the_one(path: Path, files: tuple[InterfaceFile, ...]) -> InterfaceFile:
    (one,) = (file for file in files if file.path == str(path))
    return one


def test_a_manifest_in_a_data_folder_is_found_with_its_library(tmp_path: Path) -> None:
    path = manifest(tmp_path / "vulkan" / "icd.d", LIBC)
    one = the_one(path, found(XDG_DATA_DIRS=str(tmp_path)))

    assert (one.interface, one.role, one.fits, one.left_out_by) == ("vulkan", "driver", True, None)
    assert str(one.library).endswith(LIBC)


@pytest.mark.parametrize("variable", ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"])
def test_a_variable_leaves_all_other_manifests_out(variable: str, tmp_path: Path) -> None:
    usual = manifest(tmp_path / "vulkan" / "icd.d", LIBC)
    chosen = manifest(tmp_path / "own", LIBC, "mine.json")
    files = found(XDG_DATA_DIRS=str(tmp_path), **{variable: str(chosen)})

    assert the_one(chosen, files).left_out_by is None
    assert the_one(usual, files).left_out_by == variable


def test_a_manifest_beside_the_usual_ones_leaves_none_out(tmp_path: Path) -> None:
    usual = manifest(tmp_path / "vulkan" / "icd.d", LIBC)
    more = manifest(tmp_path / "more", LIBC, "more.json")
    files = found(XDG_DATA_DIRS=str(tmp_path), VK_ADD_DRIVER_FILES=str(tmp_path / "more"))

    assert the_one(usual, files).left_out_by is None
    assert the_one(more, files).left_out_by is None


def test_a_library_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = manifest(tmp_path / "vulkan" / "icd.d", "libvulkan_nowhere.so")

    assert the_one(path, found(XDG_DATA_DIRS=str(tmp_path))).library is None


def test_a_path_is_meant_from_the_manifest_on(tmp_path: Path) -> None:
    path = manifest(tmp_path / "vulkan" / "icd.d", "./libvulkan_here.so")
    (path.parent / "libvulkan_here.so").write_bytes(b"")
    one = the_one(path, found(XDG_DATA_DIRS=str(tmp_path)))

    assert one.library == f"{path.parent}/./libvulkan_here.so"
    assert one.fits is False


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"ICD": 1}', '{"ICD": {"library_path": 3}}', "[" * 5000]
)
def test_a_file_that_is_no_manifest_is_not_known(text: str, tmp_path: Path) -> None:
    path = manifest(tmp_path / "vulkan" / "icd.d", LIBC)
    path.write_text(text, "utf-8")

    assert isinstance(the_one(path, found(XDG_DATA_DIRS=str(tmp_path))).library, Unknown)


def test_a_va_driver_is_found_and_another_left_out_by_name(tmp_path: Path) -> None:
    host = LiveHost({})
    libc = Libraries(host).find(LIBC)
    assert libc is not None
    for name in ("iHD", "i965"):
        shutil.copyfile(libc, tmp_path / f"{name}_drv_video.so")
    files = found(LIBVA_DRIVERS_PATH=str(tmp_path), LIBVA_DRIVER_NAME="i965")

    assert the_one(tmp_path / "i965_drv_video.so", files).left_out_by is None
    assert the_one(tmp_path / "i965_drv_video.so", files).fits is True
    assert the_one(tmp_path / "iHD_drv_video.so", files).left_out_by == "LIBVA_DRIVER_NAME"


def test_what_is_opened_by_name_is_found_as_the_linker_finds_it(tmp_path: Path) -> None:
    libc = Libraries(LiveHost({})).find(LIBC)
    assert libc is not None
    shutil.copyfile(libc, tmp_path / "libze_loader.so.1")
    files = found(LD_LIBRARY_PATH=str(tmp_path))
    one = the_one(tmp_path / "libze_loader.so.1", files)

    assert (one.interface, one.role, one.fits) == ("level-zero", "loader", True)
