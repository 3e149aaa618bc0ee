# SPDX-License-Identifier: MIT
"""Registers faulty drivers: one function per fault of an `.icd` file or of a library's file.

Every other fault is one of faulty.c's. `register_fault` writes `broken.icd` for either kind.
"""

import os
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

SOURCE = Path(__file__).with_name("faulty.c")
FORWARDER = Path(__file__).with_name("gpu_of_pocl.c")
POCL = Path("/etc/OpenCL/vendors/pocl.icd")
_MANY = 1000


def compile_driver(folder: Path, fault: str, *options: str, source: Path = SOURCE) -> Path:
    """Return the fixture driver with a fault, compiled unless the folder has it already."""
    library = folder / f"lib{fault}.so"
    if not library.exists():
        compiler = shutil.which("cc")
        assert compiler is not None
        command = [compiler, "-shared", "-fPIC", "-w", f'-DFAULT="{fault}"', "-o", str(library)]
        subprocess.run([*command, str(source), *options], check=True, timeout=60)
    return library


def register_fault(fault: str, vendors: Path, libraries: Path) -> Path:
    """Write the fault's `broken.icd` into `vendors`; its files go beside `libraries`."""
    icd = vendors / "broken.icd"
    special = _FILE_FAULTS.get(fault)
    if special is not None:
        special(icd, libraries)
    else:
        icd.write_text(f"{compile_driver(libraries, fault)}\n")
    return icd


def register_clash(vendors: Path, libraries: Path) -> tuple[Path, Path]:
    """Write two `.icd` files of drivers that work alone and end a process that loads both."""
    shared = libraries / "libregistry.so"
    source = SOURCE.with_name("registry.c")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", shared], check=True, timeout=60)
    icds = vendors / "first.icd", vendors / "second.icd"
    for icd in icds:
        options = ("-DREGISTERS", f'-DNAME="{icd.stem}"', str(shared))
        _names(icd, compile_driver(libraries, f"healthy_{icd.stem}", *options))
    return icds


def _healthy(libraries: Path) -> Path:
    return compile_driver(libraries, "healthy")


def _names(icd: Path, library: Path | str) -> None:
    icd.write_text(f"{library}\n")


def _text(before: str = "", after: str = "\n") -> Callable[[Path, Path], None]:
    def write(icd: Path, libraries: Path) -> None:
        icd.write_bytes(f"{before}{_healthy(libraries)}{after}".encode())

    return write


def _library_of(name: str, make: Callable[[bytes], bytes]) -> Callable[[Path, Path], None]:
    def write(icd: Path, libraries: Path) -> None:
        library = libraries / name
        library.write_bytes(make(_healthy(libraries).read_bytes()))
        _names(icd, library)

    return write


def _for_machine(raw: bytes, number: int) -> bytes:
    return raw[:18] + struct.pack("<H", number) + raw[20:]


def _missing_dependency(icd: Path, libraries: Path) -> None:
    gone = libraries / "libgone.so.1"
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", gone], check=True, timeout=60)
    _names(icd, compile_driver(libraries, "missing_dep", "-Wl,--no-as-needed", str(gone)))
    gone.unlink()


def _many_dependencies(icd: Path, libraries: Path) -> None:
    folder = libraries / "many"
    folder.mkdir()
    first = folder / "d0.so"
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", first], check=True, timeout=60)
    for number in range(1, _MANY):
        shutil.copy(first, folder / f"d{number}.so")
    options = [f"-L{folder}", f"-Wl,--no-as-needed,-rpath,{folder}"]
    options += [f"-l:d{number}.so" for number in range(_MANY)]
    _names(icd, compile_driver(libraries, "many_deps", *options))


def _evil_needed(icd: Path, libraries: Path) -> None:
    evil = libraries / "libevil.so"
    name = "-Wl,-soname,lib\x1b[31mgone$(x).so"
    command = ["cc", "-shared", "-x", "c", "/dev/null", "-o", evil, name]
    subprocess.run(command, check=True, timeout=60)
    _names(icd, compile_driver(libraries, "evil_needed", "-Wl,--no-as-needed", str(evil)))


def _unreadable_library(icd: Path, libraries: Path) -> None:
    library = libraries / "libunreadable.so"
    shutil.copy(_healthy(libraries), library)
    library.chmod(0o600)
    _names(icd, library)


def _unreadable_icd(icd: Path, libraries: Path) -> None:
    _names(icd, _healthy(libraries))
    icd.chmod(0o600)


def _no_entry(icd: Path, libraries: Path) -> None:
    library = libraries / "libno_entry.so"
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", library], check=True, timeout=60)
    _names(icd, library)


def _undefined_symbol(icd: Path, libraries: Path) -> None:
    _names(icd, compile_driver(libraries, "undefined_symbol", "-DUNDEFINED"))


def _directory_library(icd: Path, libraries: Path) -> None:
    (libraries / "folder.so").mkdir()
    _names(icd, libraries / "folder.so")


def _directory_icd(icd: Path, libraries: Path) -> None:
    del libraries
    icd.mkdir()


def _twice(icd: Path, libraries: Path) -> None:
    _names(icd, _healthy(libraries))
    _names(icd.with_name("again.icd"), _healthy(libraries))


def _looping_link(icd: Path, libraries: Path) -> None:
    del libraries
    icd.symlink_to(icd)


def _hard_link(icd: Path, libraries: Path) -> None:
    other = libraries / "libother.so"
    os.link(_healthy(libraries), other)
    _names(icd, _healthy(libraries))
    _names(icd.with_name("again.icd"), other)


def _device_icd(icd: Path, libraries: Path) -> None:
    del libraries
    icd.symlink_to("/dev/zero")


def _forwarder(icd: Path, libraries: Path) -> None:
    _names(icd, compile_driver(libraries, "gpu_of_pocl", source=FORWARDER))


def _secret(icd: Path, libraries: Path) -> None:
    secret = libraries / "secret"
    secret.write_text("root:$6$salt$hash:19000:0:99999:7:::\n")
    secret.chmod(0o600)
    icd.symlink_to(secret)


def _dependency_by_token(icd: Path, libraries: Path) -> None:
    beside = libraries / "libbeside.so"
    name = "-Wl,-soname,${ORIGIN}/libbeside.so"
    command = ["cc", "-shared", "-x", "c", "/dev/null", "-o", beside, name]
    subprocess.run(command, check=True, timeout=60)
    _names(icd, compile_driver(libraries, "dep_token", "-Wl,--no-as-needed", str(beside)))


def _no_extension_function(icd: Path, libraries: Path) -> None:
    _names(icd, compile_driver(libraries, "no_ext_fn", "-DNO_EXTENSION_FUNCTION"))


def _fifo_library(icd: Path, libraries: Path) -> None:
    os.mkfifo(libraries / "libfifo.so")
    _names(icd, libraries / "libfifo.so")


_FILE_FAULTS: dict[str, Callable[[Path, Path], None]] = {
    "missing_lib": lambda icd, _: _names(icd, "/nonexistent/libigdrcl.so"),
    "relative_lib": lambda icd, _: _names(icd, "libnot_on_any_path.so.1"),
    "relative_path_lib": lambda icd, _: _names(icd, "sub/folder/libdriver.so"),
    "text_file": _library_of("libtext.so", lambda _: b"this is no library\n" * 10),
    "html_file": _library_of("libhtml.so", lambda _: b"<!DOCTYPE html><html>404</html>"),
    "linker_script": _library_of("libscript.so", lambda _: b"INPUT ( libpocl.so.2 )\n"),
    "empty_lib": _library_of("libempty.so", lambda _: b""),
    "truncated": _library_of("libtruncated.so", lambda raw: raw[: len(raw) * 3 // 8]),
    "zeroed_lib": _library_of("libzeroed.so", lambda raw: raw[:64] + bytes(len(raw) - 64)),
    "magic_only": _library_of("libmagic.so", lambda raw: raw[:4]),
    "x32": _library_of("libx32.so", lambda raw: raw[:4] + b"\1" + raw[5:]),
    "lost_sections": _library_of("libstrip.so", lambda r: r[:40] + b"\xff\xff\xff\0" + r[44:]),
    "dep_token": _dependency_by_token,
    "no_ext_fn": _no_extension_function,
    "secret_icd": _secret,
    "elf32": _library_of("libelf32.so", lambda raw: raw[:4] + b"\1" + _for_machine(raw, 3)[5:]),
    "aarch64": _library_of("libaarch64.so", lambda raw: _for_machine(raw, 183)),
    "big_endian": _library_of("libbig.so", lambda raw: raw[:5] + b"\2" + raw[6:]),
    "executable": _library_of("libprogram.so", lambda _: Path("/bin/true").read_bytes()),
    "directory_lib": _directory_library,
    "missing_dep": _missing_dependency,
    "evil_needed": _evil_needed,
    "damaged_headers": _library_of("libheaders.so", lambda r: r[:32] + b"\xff" * 8 + r[40:]),
    "phentsize": _library_of("libphentsize.so", lambda r: r[:54] + b"\0\0" + r[56:]),
    "many_deps": _many_dependencies,
    "undefined_symbol": _undefined_symbol,
    "no_entry": _no_entry,
    "unreadable_lib": _unreadable_library,
    "unreadable_icd": _unreadable_icd,
    "empty_icd": lambda icd, _: icd.write_bytes(b"") and None,
    "blank_icd": lambda icd, _: icd.write_bytes(b"  \n\n") and None,
    "crlf_icd": _text(after="\r\n"),
    "trailing_space": _text(after="  \n"),
    "leading_line": _text(before="\n"),
    "comment_icd": _text(before="# my driver\n"),
    "utf16_icd": lambda icd, lib: icd.write_bytes(f"{_healthy(lib)}\n".encode("utf-16")) and None,
    "bom_icd": _text(before="\ufeff"),
    "quoted_icd": _text(before='"', after='"\n'),
    "two_lines": _text(after="\n/nonexistent/libsecond.so\n"),
    "no_newline": _text(after=""),
    "long_line": lambda icd, _: _names(icd, "/" + "x" * 9000),
    "binary_icd": lambda icd, _: icd.write_bytes(bytes(range(256)) * 20) and None,
    "names_loader": lambda icd, _: _names(icd, "libOpenCL.so.1"),
    "null_in_icd": _text(after="\0\n"),
    "dangling_link": lambda icd, _: icd.symlink_to("/nonexistent/x.icd"),
    "looping_link": _looping_link,
    "icd_is_dir": _directory_icd,
    "icd_is_zero": _device_icd,
    "fifo_icd": lambda icd, _: os.mkfifo(icd),
    "fifo_lib": _fifo_library,
    "same_lib_twice": _twice,
    "hard_link": _hard_link,
    "gpu_of_pocl": _forwarder,
}  # fmt: skip
