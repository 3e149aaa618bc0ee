# SPDX-License-Identifier: MIT
"""Whose Python's packages count for a program that is watched: its own, never clprobe's."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from clprobe.cli.watched_facts import prefix_of
from clprobe.model.program import Program
from clprobe.model.unknown import Unknown
from clprobe.probe.live_host import package_folders, python_of
from clprobe.watch.observe import Watched

NOT_SEEN = Unknown("it was not looked at")


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """Return an environment with a folder for packages."""
    (tmp_path / "venv/lib/python3.11/site-packages/pyopencl/.libs").mkdir(parents=True)
    return tmp_path / "venv"


def watched(
    loader: str | None = None, files: Sequence[str] = (), argv: Sequence[str] = ()
) -> Watched:
    """Return a program of which only these are known."""
    program = Program(name="x", loader=NOT_SEEN if loader is None else loader)
    return Watched(program, {}, tuple(argv), files=tuple(files))


def test_a_loader_from_a_wheel_tells_the_environment(venv: Path) -> None:
    loader = f"{venv}/lib/python3.11/site-packages/pyopencl/.libs/libOpenCL.so.1"
    assert prefix_of(watched(loader)) == str(venv)


def test_a_library_of_a_module_tells_it_where_the_loader_is_the_systems(venv: Path) -> None:
    module = f"{venv}/lib/python3.11/site-packages/pyopencl/_cl.abi3.so"
    assert prefix_of(watched("/usr/lib/libOpenCL.so.1", ["/usr/lib/libc.so.6", module])) == str(
        venv
    )


def test_the_interpreter_of_an_environment_tells_it(venv: Path) -> None:
    assert prefix_of(watched(argv=[f"{venv}/bin/python", "net.py"])) == str(venv)


def test_pips_packages_of_the_systems_python_are_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = tmp_path / "local"
    folder = local / "lib/python3.11/dist-packages"
    folder.mkdir(parents=True)
    (local / "lib/python3/dist-packages").mkdir(parents=True)
    assert package_folders(str(local)) == (str(folder),)
    monkeypatch.setattr("clprobe.cli.watched_facts.LOCAL", str(local))
    loader = f"{folder}/pyopencl/.libs/libOpenCL-5519dec5.so.1.0.0"
    assert prefix_of(watched(loader)) == str(local)
    assert prefix_of(watched("/usr/lib/libOpenCL.so.1", ["/usr/bin/python3.11"])) == str(local)
    assert prefix_of(watched("/usr/lib/libOpenCL.so.1", ["/usr/bin/hashcat"])) == "/usr"
    monkeypatch.setattr("clprobe.probe.live_host.LOCAL", str(local))
    assert python_of(str(local)) in {"/usr/bin/python", "/usr/bin/python3", f"{local}/bin/python"}
    (local / "bin").mkdir()
    (local / "bin/python3").touch()
    assert python_of(str(local)) == f"{local}/bin/python3"
    assert prefix_of(watched(None, ["/usr/local/lib/libx.so"], ["/usr/local/bin/x"])) == "/usr"


@pytest.mark.parametrize("argv", [(), ("hashcat", "-I"), ("/usr/bin/hashcat",), ("./a.out",)])
def test_packages_beside_clprobe_are_nobody_elses(argv: tuple[str, ...]) -> None:
    assert prefix_of(watched("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1", argv=argv)) == "/usr"
