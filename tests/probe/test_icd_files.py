# SPDX-License-Identifier: MIT
"""`.icd` files and libraries are checked as files, and what is broken is never loaded."""

import os
import shutil
from pathlib import Path

import pytest
from asking import Build, ask, device_names, icd_named, register
from faults import compile_driver

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.opencl import Icd
from clprobe.model.unknown import Unknown


def _asked(vendors: Path, path: Path) -> Icd:
    snapshot = ask(vendors, timeout_s=2.0)
    assert len(device_names(icd_named(snapshot, vendors / "pocl.icd").answer)) == 1
    return icd_named(snapshot, path)


def _ended(icd: Icd) -> tuple[object, object]:
    return icd.answer.stage, icd.answer.outcome


def test_a_missing_library(vendors: Path) -> None:
    icd = _asked(vendors, register(vendors, "/nonexistent/libigdrcl.so"))
    assert _ended(icd) == ("library", "error")
    assert icd.library.path is None
    assert icd.library_name == "/nonexistent/libigdrcl.so"


def test_a_bare_name_that_no_folder_has(vendors: Path) -> None:
    icd = _asked(vendors, register(vendors, "libnot_anywhere.so.1"))
    assert (_ended(icd), icd.library.path) == (("library", "error"), None)


def test_an_empty_file(vendors: Path) -> None:
    icd = _asked(vendors, register(vendors, b""))
    assert (_ended(icd), icd.library_name, icd.text) == (("icd-file", "error"), None, "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"{}\r\n", "{}\r"),
        (b"\xef\xbb\xbf{}\n", "\ufeff{}"),
        (b"{} \n", "{} "),
        (b"# my driver\n{}\n", "# my driver"),
    ],
    ids=["crlf", "byte order mark", "trailing space", "comment"],
)
def test_a_first_line_is_taken_as_it_is(
    text: bytes, name: str, build: Build, vendors: Path
) -> None:
    library = str(build("healthy"))
    icd = _asked(vendors, register(vendors, text.replace(b"{}", library.encode())))
    assert icd.library_name == name.replace("{}", library)
    assert _ended(icd) == ("library", "error")


def test_no_final_newline_is_no_fault(build: Build, vendors: Path) -> None:
    icd = _asked(vendors, register(vendors, str(build("healthy")).encode()))
    assert _ended(icd) == ("queries", "ok")


def test_a_line_longer_than_any_path(vendors: Path) -> None:
    icd = _asked(vendors, register(vendors, "x" * 9000))
    assert _ended(icd) == ("icd-file", "error")
    assert isinstance(icd.text, str)
    assert len(icd.text) == 4096


_SHADOW = "root:$6$salt$hash:19000:0:99999:7:::"


@pytest.mark.parametrize("text", [_SHADOW, "-----BEGIN KEY-----", "token hunter2"])
def test_what_only_the_owner_may_read_stays_out_unless_it_names_a_library(
    text: str, vendors: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(f"{text}\nmore of it\n")
    secret.chmod(0o600)
    (vendors / "broken.icd").symlink_to(secret)
    snapshot = ask(vendors)
    icd = icd_named(snapshot, vendors / "broken.icd")
    assert (_ended(icd), icd.library_name) == (("icd-file", "error"), None)
    diagnosis = diagnose(snapshot, Knowledge.load())
    said = repr(snapshot) + repr(diagnosis)
    assert not any(part in said for part in (text, "more of it"))
    against = [one.title for one in diagnosis.findings if one.id == "icd-file-malformed"]
    assert against == [f"{icd.path} is not written the way loaders read it (no-library-name)"]


@pytest.mark.parametrize("after", ["", "\r\n", "\nsecret\n"])
def test_a_library_is_named_by_a_file_that_only_its_owner_may_read(
    after: str, build: Build, vendors: Path
) -> None:
    icd_file = register(vendors, f"{build('healthy')}{after}".encode())
    icd_file.chmod(0o600)
    icd = _asked(vendors, icd_file)
    assert str(icd.library_name).rstrip("\r") == str(build("healthy"))
    assert "secret" not in str(icd.text)


def test_a_text_that_everybody_may_read_is_shown(vendors: Path) -> None:
    icd = _asked(vendors, register(vendors, _SHADOW))
    assert (icd.text, icd.library_name) == (f"{_SHADOW}\n", _SHADOW)


def test_a_fifo_is_not_waited_for(vendors: Path) -> None:
    path = vendors / "broken.icd"
    os.mkfifo(path)
    icd = _asked(vendors, path)
    assert (icd.file_type, _ended(icd)) == ("fifo", ("icd-file", "error"))


def test_a_dangling_link(vendors: Path) -> None:
    path = vendors / "broken.icd"
    path.symlink_to("/nonexistent/x.icd")
    icd = _asked(vendors, path)
    assert (icd.file_type, icd.open_error, _ended(icd)) == (
        "dangling-link",
        "ENOENT",
        ("icd-file", "error"),
    )


def test_a_folder_as_icd_file(vendors: Path) -> None:
    path = vendors / "broken.icd"
    path.mkdir()
    icd = _asked(vendors, path)
    assert (icd.file_type, _ended(icd)) == ("directory", ("icd-file", "error"))


def test_a_truncated_library_is_not_loaded(build: Build, vendors: Path, tmp_path: Path) -> None:
    whole = build("healthy").read_bytes()
    cut = tmp_path / "libcut.so"
    cut.write_bytes(whole[: len(whole) // 2])
    icd = _asked(vendors, register(vendors, cut))
    assert _ended(icd) == ("library", "error")
    assert isinstance(icd.library.required_bytes, int)
    assert len(whole) // 2 < icd.library.required_bytes <= len(whole)
    assert icd.library.size_bytes == len(whole) // 2


def test_a_library_of_which_only_the_header_is_left(
    build: Build, vendors: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "libcut.so"
    cut.write_bytes(build("healthy").read_bytes()[:30])
    assert _ended(_asked(vendors, register(vendors, cut))) == ("library", "error")


@pytest.mark.parametrize(
    ("place", "value", "field", "fact"),
    [(4, 1, "elf_class", 32), (18, 183, "machine", "aarch64")],
    ids=["32-bit", "another processor"],
)
def test_a_library_for_something_else(  # noqa: PLR0917 - fixtures and cases
    place: int,
    value: int,
    field: str,
    fact: object,
    build: Build,
    vendors: Path,
    tmp_path: Path,
) -> None:
    changed = bytearray(build("healthy").read_bytes())
    changed[place] = value
    library = tmp_path / "libother.so"
    library.write_bytes(changed)
    icd = _asked(vendors, register(vendors, library))
    assert _ended(icd) == ("library", "error")
    assert getattr(icd.library, field) == fact


@pytest.mark.parametrize(("content", "form"), [(b"", "empty"), (b"not a library\n", "not-elf")])
def test_a_library_that_is_none(content: bytes, form: str, vendors: Path, tmp_path: Path) -> None:
    library = tmp_path / "libtext.so"
    library.write_bytes(content)
    icd = _asked(vendors, register(vendors, library))
    assert (_ended(icd), icd.library.format) == (("library", "error"), form)


def test_a_folder_as_library(vendors: Path, tmp_path: Path) -> None:
    icd = _asked(vendors, register(vendors, tmp_path))
    assert (_ended(icd), icd.library.format) == (("library", "error"), "directory")


def test_a_missing_dependency_is_named(build: Build, vendors: Path) -> None:
    gone = build("gone", "-Wl,-soname,libgone.so.1")
    library = build("missing_dependency", "-Wl,--no-as-needed", str(gone))
    icd = _asked(vendors, register(vendors, library))
    assert icd.library.missing_dependencies == ("libgone.so.1",)
    assert _ended(icd) == ("load", "error")
    assert "libgone.so.1" in str(icd.answer.message)


def test_a_dependency_beside_the_library_is_found(build: Build, vendors: Path) -> None:
    beside = build("beside", "-Wl,-soname,libbeside.so")
    library = build("with_origin", "-Wl,--no-as-needed", str(beside), "-Wl,-rpath,$ORIGIN")
    icd = _asked(vendors, register(vendors, library))
    assert icd.library.missing_dependencies == ()
    assert _ended(icd) == ("queries", "ok")


@pytest.mark.parametrize("token", ["$LIB", "${LIB}", "$PLATFORM"])
def test_a_library_that_the_linker_spells_is_found(
    token: str, vendors: Path, tmp_path: Path
) -> None:
    driver = compile_driver(tmp_path, "healthy")
    for name in ("lib", "lib64", "lib/x86_64-linux-gnu", "x86_64", "haswell"):
        (tmp_path / "drivers" / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(driver, tmp_path / "drivers" / name / "libdriver.so")
    icd = _asked(vendors, register(vendors, Path(f"{tmp_path}/drivers/{token}/libdriver.so")))
    assert _ended(icd) == ("queries", "ok")


@pytest.mark.parametrize("folder", ["$ORIGIN/../$LIB", "${ORIGIN}/../${LIB}", "$ORIGIN/$PLATFORM"])
def test_a_dependency_in_a_folder_that_the_linker_spells_is_found(
    folder: str, build: Build, vendors: Path, tmp_path: Path
) -> None:
    beside = build("beside", "-Wl,-soname,libbeside.so")
    driver = tmp_path / "drivers/libdriver.so"
    # The linker of each distribution fills in its own words; every one of them is served here.
    for name in ("../lib", "../lib64", "../lib/x86_64-linux-gnu", "x86_64", "haswell"):
        (driver.parent / name).mkdir(parents=True)
        shutil.copy(beside, driver.parent / name / "libbeside.so")
    options = ("-Wl,--no-as-needed", str(beside), f"-Wl,-rpath,{folder}")
    shutil.copy(compile_driver(tmp_path, "healthy", *options), driver)
    icd = _asked(vendors, register(vendors, driver))
    assert icd.library.missing_dependencies == ()
    assert _ended(icd) == ("queries", "ok")


def test_a_dependency_that_is_named_by_its_place_beside_the_library_is_found(
    build: Build, vendors: Path, tmp_path: Path
) -> None:
    beside = build("placed", "-Wl,-soname,$ORIGIN/libplaced.so")
    shutil.copy(beside, tmp_path)
    library = compile_driver(tmp_path, "healthy", "-Wl,--no-as-needed", str(beside))
    icd = _asked(vendors, register(vendors, library))
    assert icd.library.missing_dependencies == ()
    assert _ended(icd) == ("queries", "ok")


def test_an_undefined_symbol(build: Build, vendors: Path) -> None:
    icd = _asked(vendors, register(vendors, build("undefined_symbol", "-DUNDEFINED")))
    assert _ended(icd) == ("load", "error")
    assert "symbol_that_no_library_has" in str(icd.answer.message)


def test_a_library_that_is_no_icd(vendors: Path) -> None:
    icd = _asked(vendors, register(vendors, "libm.so.6"))
    assert _ended(icd) == ("entry-point", "error")


def test_a_package_is_named_for_files_of_the_distribution(vendors: Path) -> None:
    snapshot = ask(vendors)
    icd = icd_named(snapshot, vendors / "pocl.icd")
    assert icd.package is None
    assert isinstance(icd.library.package, str | Unknown)
