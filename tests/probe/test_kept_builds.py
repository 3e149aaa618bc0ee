# SPDX-License-Identifier: MIT
"""A build of the known-answer kernel is believed only while nothing about the driver changed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from asking import environment, icd_named

from clprobe.private_files import cache_folder
from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost
from clprobe.probe.opencl.kept_builds import KeptBuilds
from clprobe.probe.opencl.kept_files import FOLDER
from clprobe.probe.opencl.questions import identity
from clprobe.probe.opencl.reports import Report

_NAME = identity("GPU", "1.0")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    folder = tmp_path / "lib"
    folder.mkdir()
    library = folder / "libdriver.so"
    library.write_text("machine code")
    return library


def _told(library: Path) -> list[Report]:
    facts = {"name": "GPU", "driver_version": "1.0", "kernel_result": "right",
             "kernel_files": f"{library}\n", "kernel_build": b"built".hex()}  # fmt: skip
    return [Report(at=[0, 0], fact=name, value=value) for name, value in facts.items()]


def _kept(library: Path, folder: Path, **variables: str) -> dict[str, bytes]:
    KeptBuilds(str(library), {"PATH": "/usr/bin", **variables}).give(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _keep(library: Path, **variables: str) -> None:
    KeptBuilds(str(library), {"PATH": "/usr/bin", **variables}).take([_told(library)])


def _replaced(library: Path) -> None:
    library.with_name("new").write_text("other code!!")
    library.with_name("new").rename(library)


def _joined(library: Path) -> None:
    library.with_name("libcompiler.so").write_text("a library that may be loaded when it builds")


def _left(library: Path) -> None:
    library.unlink()


def _spoilt(_: Path) -> None:
    (kept,) = cache_folder(FOLDER).iterdir()
    kept.write_bytes(kept.read_bytes()[:-1] + b"?")


def test_a_build_is_there_until_something_changes(driver: Path, tmp_path: Path) -> None:
    _keep(driver)
    assert _kept(driver, tmp_path / "given") == {_NAME: b"right\nbuilt"}


@pytest.mark.parametrize("change", [_replaced, _joined, _left, _spoilt])
def test_it_is_not_believed_after_a_change(
    change: Callable[[Path], None], driver: Path, tmp_path: Path
) -> None:
    _keep(driver)
    change(driver)
    assert _kept(driver, tmp_path / "given") == {}


def test_it_is_one_for_the_same_variables(driver: Path, tmp_path: Path) -> None:
    _keep(driver)
    assert _kept(driver, tmp_path / "given", IGC_ShaderDumpEnable="1") == {}


def test_what_was_installed_meanwhile_is_not_kept(driver: Path, tmp_path: Path) -> None:
    builds = KeptBuilds(str(driver), {"PATH": "/usr/bin"})
    _replaced(driver)
    builds.take([_told(driver)])
    assert _kept(driver, tmp_path / "given") == {}


def test_it_can_be_switched_off(driver: Path, tmp_path: Path) -> None:
    _keep(driver, CLPROBE_KERNEL_CACHE="0")
    assert _kept(driver, tmp_path / "given", CLPROBE_KERNEL_CACHE="0") == {}
    assert not cache_folder(FOLDER).exists()


@pytest.mark.parametrize("content", [b"wrong\n", b"right\nno program"])
def test_a_build_that_fails_is_made_anew(
    content: bytes, vendors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver refuses it, or it does not compute what it did."""
    assert _result(vendors) == "right"
    assert cache_folder(FOLDER).is_dir()
    real, spoilt = KeptBuilds.give, list[Path]()

    def spoiling(builds: KeptBuilds, folder: Path) -> None:
        real(builds, folder)
        for given in folder.iterdir():
            spoilt.append(given)
            build = given.read_bytes().removeprefix(b"right\n")
            given.write_bytes(content if content.endswith(b"program") else content + build)

    monkeypatch.setattr(KeptBuilds, "give", spoiling)
    assert _result(vendors) == "right"
    assert spoilt


def _result(vendors: Path) -> object:
    host = LiveHost(environment(OCL_ICD_VENDORS=str(vendors)))
    answer = icd_named(collect(host, timeout_s=30, run_kernels=True), vendors / "pocl.icd").answer
    ((_, device),) = answer.shown()
    return device.kernel_result
