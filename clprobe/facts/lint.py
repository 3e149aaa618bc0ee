# SPDX-License-Identifier: MIT
"""Faults of .icd files and of the libraries that they name, seen without loading anything."""

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Icd, Library
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

LONGEST_PATH = 4095  # PATH_MAX less its terminator
_NO_FILES = ("directory", "fifo", "socket", "device", "character-device", "block-device", "other")
_UTF_16_MARKS = ("\xff\xfe", "\xfe\xff")
_BYTE_ORDER_MARK = "\xef\xbb\xbf"  # as Latin-1, which is how the snapshot keeps the bytes
_LOADED = ("platforms", "devices", "queries", "compile", "run")
_FORMS = Forms("said")
_OF_NEEDS = {
    "missing": "missing-dependency",
    **dict.fromkeys(("truncated", "not-elf", "damaged-headers"), "damaged-dependency"),
}
"""What the faults of a library that another one needs are to that one."""
_MACHINE_ALIASES = {"amd64": "x86_64", "arm64": "aarch64", "i686": "i386", "i586": "i386"}


def file_fault(icd: Icd) -> Fact[str | None]:
    """Return what is wrong with the text of the .icd file; None: nothing.

    Both loaders read a line as it stands: a carriage return or blank becomes part of the name.
    """
    if icd.file_type in _NO_FILES:
        return "not-a-file"
    if isinstance(icd.text, Unknown):
        return _fault_of_name(icd)
    text = icd.text
    first = text.split("\n", 1)[0].split("\0", 1)[0]
    lines = [line for line in text.split("\n") if line.strip()]
    faults = {
        "empty": not first.strip(),
        "utf-16": text.startswith(_UTF_16_MARKS) or text[1:2] == "\0" != text[:1],
        "byte-order-mark": text.startswith(_BYTE_ORDER_MARK),
        "too-long": len(first) > LONGEST_PATH,
        "carriage-return": "\r" in text,
        "comment": first.startswith("#"),
        "quotation-marks": first.startswith(('"', "'")),
        "blanks": first != first.strip(),
        "several-lines": len(lines) > 1,
    }
    return next((fault for fault, present in faults.items() if present), None)


def _fault_of_name(icd: Icd) -> Fact[str | None]:
    if isinstance(icd.library_name, Unknown):
        return icd.text if isinstance(icd.text, Unknown) else None
    if icd.library_name is not None:
        return None
    return "empty" if icd.text == NOT_STATED else "no-library-name"


def library_fault(icd: Icd, architecture: Fact[str]) -> Fact[str | None]:
    """Return why the library cannot be loaded; None: nothing stands in the way."""
    library = icd.library
    fault = _fault_of_file(library) or _fault_of_elf(library, architecture)
    if fault is not None:
        return fault
    if icd.answer.stage in _LOADED:
        return None
    if not isinstance(library.missing_dependencies, Unknown) and library.missing_dependencies:
        return "missing-dependency"
    if isinstance(icd.answer.message, str) and icd.answer.outcome == "error":
        return _fault_told_by_the_linker(icd.answer.message, icd.library_name)
    if isinstance(library.path, Unknown):
        return library.path
    return library.format if isinstance(library.format, Unknown) else None


def _fault_told_by_the_linker(message: str, name: Fact[str | None]) -> str | None:
    """Return what the dynamic linker's words mean; None: something that is no fault of the file."""
    fault = _FORMS.meaning("linker", message)
    own_name = name.rsplit("/", 1)[-1] if isinstance(name, str) else None
    subject = message.partition(":")[0].strip().rsplit("/", 1)[-1]
    is_of_another = own_name is not None and subject != own_name
    return _OF_NEEDS.get(fault, fault) if fault is not None and is_of_another else fault


def _fault_of_file(library: Library) -> str | None:
    if library.path is None or library.open_error == "ENOENT":
        return "missing"
    if library.open_error == "EACCES" or library.format == "unreadable":
        return "unreadable"
    return library.format if library.format in ("empty", "not-elf", "directory") else None


def _fault_of_elf(library: Library, architecture: Fact[str]) -> str | None:
    if _is_foreign(library, architecture):
        return "other-architecture"
    if library.format == "damaged":
        return "damaged-headers"
    size, required = library.size_bytes, library.required_bytes
    if isinstance(size, int) and isinstance(required, int) and size < required:
        return "truncated"
    return None


def _is_foreign(library: Library, architecture: Fact[str]) -> bool:
    if isinstance(architecture, Unknown):
        return False
    native = _MACHINE_ALIASES.get(architecture, architecture)
    if isinstance(library.machine, str):
        return _MACHINE_ALIASES.get(library.machine, library.machine) != native
    return library.elf_class == 32 and native in ("x86_64", "aarch64")
