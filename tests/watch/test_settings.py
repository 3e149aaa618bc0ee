# SPDX-License-Identifier: MIT
"""What a program's files, variables and words tell, and what its drivers need."""

import os
from functools import partial
from pathlib import Path

import pytest

from clprobe.knowledge.tables import Tables
from clprobe.model.program import LoadedLibrary, Program
from clprobe.watch.absent_paths import absent_paths
from clprobe.watch.driver_needs import absent_parts, closed_caches, closed_files, hidden_commands
from clprobe.watch.features import wanted_features
from clprobe.watch.links import links_in
from clprobe.watch.loaded import loader_of
from clprobe.watch.places import placed
from clprobe.watch.settings import off_settings, read_earlier
from clprobe.watch.told import closed_folders

TABLES = Tables.load()
POCL = Program(
    name="clpeak",
    uid=os.geteuid() + 1,
    groups=(),
    libraries=(LoadedLibrary(path="/usr/lib/libpocl.so.2.10.0", role="opencl-driver"),),
)


def off(program: str, *argv: str, home: Path, printed: str = "") -> list[str]:
    """Return the settings of a program that switch something off."""
    found = off_settings(
        TABLES.program(program), argv, {"HOME": str(home)}, printed=printed, folder=str(home)
    )
    return [one.setting for one in found]


def test_a_switch_in_its_file_is_found(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "darktable" / "darktablerc"
    file.parent.mkdir(parents=True)
    file.write_text("ui=1\nopencl=FALSE\nopencl_library=/no/libOpenCL.so.1\n", encoding="utf-8")
    found = ["opencl=FALSE", "opencl_library=/no/libOpenCL.so.1"]
    assert off("darktable", "darktable", home=tmp_path) == found
    file.write_text(f"opencl=TRUE\nopencl_library={file}\n", encoding="utf-8")
    assert off("darktable", "darktable", home=tmp_path) == []


def test_what_a_program_writes_while_it_runs_is_no_cause(tmp_path: Path) -> None:
    written = '<prop oor:name="UseOpenCL"><value>false</value></prop>'
    row = TABLES.program("libreoffice")
    for words in (["soffice", f"-env:UserInstallation=file://{tmp_path}/lo"], ["sh", "start.sh"]):
        file = tmp_path / "lo/user/registrymodifications.xcu"
        file.unlink(missing_ok=True)
        own = ["soffice.bin", f"-env:UserInstallation=file://{tmp_path}/lo"]
        earlier = read_earlier(TABLES.programs(), words, {}, folder="/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(written, encoding="utf-8")
        os.utime(file, (earlier.at_s + 1,) * 2)
        off = partial(off_settings, row, own, {}, printed="", folder="/")
        assert off(earlier=earlier) == ()
        assert len(off()) == 1
        # What stood there before counts, also where the program wrote something else meanwhile.
        os.utime(file, (earlier.at_s - 60,) * 2)
        earlier = read_earlier(TABLES.programs(), words, {}, folder="/")
        assert len(off(earlier=earlier)) == 1


def test_a_device_counts_as_off_where_the_program_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    line = "cldevice_v4_gpu=0 250 0 16 16 128 0 1 0.000000 0.000\n"
    (folder / "darktablerc").write_text(line, encoding="utf-8")
    words = ("darktable", "--configdir", str(folder))
    assert off("darktable", *words, home=tmp_path) == []
    said = "*** marked as disabled ***"
    assert off("darktable", *words, home=tmp_path, printed=said) == ["cldevice_v4_gpu"]


def test_files_are_found_by_options_and_addresses(tmp_path: Path) -> None:
    (tmp_path / "cc_config.xml").write_text("<no_gpus>1</no_gpus>", encoding="utf-8")
    assert off("boinc", "boinc", home=tmp_path) == ["<no_gpus>1</no_gpus>"]
    assert off("boinc", "boinc", "--dir", "/nowhere", home=tmp_path / "no") == []
    words = ["soffice", "-env:UserInstallation=file:///home/u/profile"]
    there = placed("{-env:UserInstallation}/user", words, {}, "/")
    assert there == Path("/home/u/profile/user")
    assert placed("{$OWN_FOLDER}/file", words, {}, "/") is None


def stale(printed: str = "", files: tuple[str, ...] = (), **environment: str) -> list[str]:
    """Return the variables that name nothing."""
    found = absent_paths(None, environment, files=files, printed=printed, tables=TABLES)
    return [one.variable for one in found]


def test_variables_count_for_what_is_loaded_or_spoken_of(tmp_path: Path) -> None:
    library = ("/opt/venv/lib/python3.11/site-packages/openmm/lib/libOpenMM.so.8.1",)
    gone = str(tmp_path / "gone")
    assert stale(OPENMM_PLUGIN_DIR=gone) == []
    assert stale(files=library, OPENMM_PLUGIN_DIR=gone) == ["OPENMM_PLUGIN_DIR"]
    assert stale(printed=f"cannot open {gone}/x", OPENMM_PLUGIN_DIR=gone) == ["OPENMM_PLUGIN_DIR"]
    assert stale(files=library, OPENMM_PLUGIN_DIR=str(tmp_path)) == []


def test_of_several_folders_one_will_do(tmp_path: Path) -> None:
    library = ("/usr/lib/x86_64-linux-gnu/libufo.so.1",)
    assert stale(files=library, UFO_KERNEL_PATH=f"/gone:{tmp_path}") == []
    assert stale(files=library, UFO_KERNEL_PATH="/gone:/no") == ["UFO_KERNEL_PATH"]


def test_a_cache_of_somebody_else_is_named(tmp_path: Path) -> None:
    folder = tmp_path / ".cache" / "pocl"
    folder.mkdir(parents=True, mode=0o755)
    tmp_path.chmod(0o777)
    home = {"HOME": str(tmp_path)}
    assert [one.folder for one in closed_caches(POCL, home, TABLES)] == [str(folder)]
    assert closed_caches(POCL, {**home, "POCL_CACHE_DIR": str(tmp_path)}, TABLES) == ()
    folder.chmod(0o777)
    assert closed_caches(POCL, home, TABLES) == ()
    # A folder that lets nobody in, or a file in its place, hides what lies below.
    folder.rmdir()
    folder.touch(mode=0o644)
    assert [one.folder for one in closed_caches(POCL, home, TABLES)] == [str(folder)]
    folder.unlink()
    folder.mkdir()
    # That the home folder itself is closed is told of HOME.
    folder.chmod(0o755)
    tmp_path.chmod(0o755)
    assert closed_caches(POCL, home, TABLES) == ()


def test_home_does_not_count_where_another_folder_is_for_caches(tmp_path: Path) -> None:
    folder = tmp_path / "caches" / "pocl"
    folder.mkdir(parents=True, mode=0o755)
    folder.parent.chmod(0o777)
    environment = {"HOME": "/nonexistent", "XDG_CACHE_HOME": str(folder.parent)}
    assert [one.folder for one in closed_caches(POCL, environment, TABLES)] == [str(folder)]
    records = ["P/usr/bin/clpeak", *(f"V{name}={text}" for name, text in environment.items())]
    closed = (("FHOME", "ENOENT"), ("FTMPDIR", "EROFS"))
    told = "".join(f"{one}\0{two}\x0042\0" for one, two in (*((r, "") for r in records), *closed))
    [trace] = links_in(told.encode())
    assert closed_folders(trace, "") == ("TMPDIR EROFS",)
    trace.environment.pop("XDG_CACHE_HOME")
    assert closed_folders(trace, "") == ("HOME ENOENT", "TMPDIR EROFS")


def test_files_that_it_cannot_write_count_where_that_is_so(tmp_path: Path) -> None:
    folder = tmp_path / ".cache"
    folder.mkdir(mode=0o755)
    file, model = folder / "hashcat/kernels/shared.kernel", tmp_path / "model.bin"
    said = f"Please be patient...{file}: No such file or directory\n{model}: Permission denied"
    assert closed_files(POCL, {}, said) == (str(file),)
    assert closed_files(POCL, {"XDG_DATA_HOME": str(tmp_path)}, said) == (str(file), str(model))
    denied = f"PermissionError: [Errno 13] Permission denied: '{file}'"
    assert closed_files(POCL, {}, denied) == (str(file),)
    folder.chmod(0o777)
    assert closed_files(POCL, {}, said) == ()


def test_commands_that_path_hides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ld = tmp_path / "ld"
    ld.touch(mode=0o755)
    monkeypatch.setattr("clprobe.watch.driver_needs._USUAL", str(tmp_path))
    assert hidden_commands(POCL, {"PATH": "/opt/none"}, TABLES) == (str(ld),)
    assert hidden_commands(POCL, {"PATH": str(tmp_path)}, TABLES) == ()


@pytest.mark.parametrize(
    ("words", "printed", "expected"),
    [
        (["Precision=double"], "", ("cl_khr_fp64",)),
        (["--double-click", "doubles.txt"], "", ()),
        ([], "error: use of type 'double' requires cl_khr_fp64 support", ("cl_khr_fp64",)),
        ([], "this kernel needs cl_khr_int64_base_atomics", ("cl_khr_int64_base_atomics",)),
        ([], "No half precision support! Skipped", ()),
        ([], "Double precision: 12.5 GFLOPS", ()),
        ([], "the device does not support images", ("images",)),
    ],
)
def test_features_that_are_asked_for(
    words: list[str], printed: str, expected: tuple[str, ...]
) -> None:
    assert wanted_features(["program", *words], printed, ()) == expected


def test_a_loader_within_another_library_is_found(tmp_path: Path) -> None:
    library = tmp_path / "lib_lightgbm.so"
    library.write_bytes(b"\x7fELF\0clGetPlatformIDs\0OCL_ICD_VENDORS\0")
    other = tmp_path / "program"
    other.write_bytes(b"\x7fELF\0clGetPlatformIDs\0libOpenCL.so.1\0")
    paths = (str(other), str(library), str(tmp_path / "gone.so"))
    assert loader_of(paths, None) == str(library)
    assert loader_of((str(other),), None) is None
    assert loader_of(("/usr/lib/libOpenCL.so.1", *paths), None) == "/usr/lib/libOpenCL.so.1"


def test_parts_of_a_driver_that_are_gone(tmp_path: Path) -> None:
    driver, part = f"{tmp_path}/libpocl.so.2", f"{tmp_path}/pocl/libpocl-devices-basic.so"
    records = (("P/usr/bin/clpeak", ""), (f"S{part}", driver), ("T/dev/dri/renderD128", ""))
    [told] = links_in("".join(f"{one}\0{two}\x0042\0" for one, two in records).encode())
    assert absent_parts(told) == (part,)
    assert told.nodev == ("/dev/dri/renderD128",)
    Path(part).parent.mkdir()
    Path(part).touch()
    assert absent_parts(told) == ()
