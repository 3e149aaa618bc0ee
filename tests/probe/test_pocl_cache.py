# SPDX-License-Identifier: MIT
"""Asking PoCL what there is leaves nothing at home; a cache that fails still fails."""

from pathlib import Path

import pytest
from asking import device_names, environment, icd_named

from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost
from clprobe.probe.opencl.driver_caches import with_own_cache


@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
def test_asking_leaves_nothing_at_home(
    variable: str, kernels: bool, vendors: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    surroundings = environment(OCL_ICD_VENDORS=str(vendors))
    surroundings.pop("XDG_CACHE_HOME", None)

    host = LiveHost({**surroundings, variable: str(home)})
    snapshot = collect(host, timeout_s=30, run_kernels=kernels)

    assert list(home.iterdir()) == []
    assert device_names(icd_named(snapshot, vendors / "pocl.icd").answer)


def test_a_folder_that_the_user_named_is_kept() -> None:
    named = {"POCL_CACHE_DIR": "/somewhere", "HOME": "/"}

    assert with_own_cache(named, Path("/own"))["POCL_CACHE_DIR"] == "/somewhere"


@pytest.mark.parametrize("home", ["/dev/null", "/proc/self/fd/no/home"])
def test_a_cache_that_cannot_be_written_stays_the_one_that_pocl_meets(home: str) -> None:
    failing = {"HOME": home}

    found = with_own_cache(failing, Path("/own"))

    assert "POCL_CACHE_DIR" not in found


def test_a_home_that_is_yet_to_be_made_is_not_made(tmp_path: Path) -> None:
    found = with_own_cache({"HOME": str(tmp_path / "none")}, Path("/own"))

    assert found["POCL_CACHE_DIR"] == "/own/pocl_cache_dir"


def test_nvidias_cache_is_left_in_use_where_there_is_one(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert "CUDA_CACHE_PATH" in with_own_cache(home, Path("/own"))

    (tmp_path / ".nv/ComputeCache").mkdir(parents=True)

    assert "CUDA_CACHE_PATH" not in with_own_cache(home, Path("/own"))
    assert "CUDA_CACHE_PATH" in with_own_cache(home, Path("/own"), anew=True)
