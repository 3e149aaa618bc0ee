# SPDX-License-Identifier: MIT
"""Every registered ICD: its `.icd` file and its library, and what drivers open while they run.

All is checked before anything is loaded.
"""

import errno
import re
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.model.opencl import Answer, Icd, Stage
from clprobe.model.unknown import Unknown, listed
from clprobe.probe.facts import ask, ask_names, ask_unless_absent, unknown_part
from clprobe.probe.host import ElfFile, FileStatus, Host
from clprobe.probe.libraries import Libraries
from clprobe.probe.opencl.loaders import SYSTEM_FOLDER, FoundLoader

_SUFFIX = ".icd"
# PATH_MAX of Linux; a first line that fills it names no file.
_LONGEST_TEXT = 4096
_DEEPEST = 8
_READ_BY_ALL, _ENTERED_BY_ALL = 0o004, 0o001
# As Latin-1, byte order mark, carriage return and quotation marks included: what people get wrong.
_LIBRARY_NAME = re.compile(r"(?:\xef\xbb\xbf)?[\"']?[^:\x00-\x1f\x7f]+\.so[.\w-]*[\"']?[ \t\r]*")
_LINKS = {
    "dangling-link": "a link to something that is not there",
    "looping-link": "a link that leads to itself",
}


class FoundIcd(NamedTuple):
    """An ICD before it is asked; `library` is the path to load, None if nothing can be loaded."""

    facts: Icd
    library: str | None


def probe_icds(
    host: Host, libraries: Libraries, loaders: tuple[FoundLoader, ...]
) -> tuple[FoundIcd, ...]:
    """Return every ICD that a loader reads, then those that lie where no loader looks."""
    readers: dict[str, list[str]] = {}
    beside: dict[str, str] = {}
    for facts, search in loaders:
        paths = [*_registered(host, search.folders, recursive=search.recursive), *search.entries]
        for path in paths:
            readers.setdefault(path, []).append(facts.path)
            if search.beside and path.startswith(f"{search.beside}/"):
                beside[path] = search.beside
    for path in _registered(host, _usual_folders(host), recursive=False):
        readers.setdefault(path, [])
    found = []
    for path, by in readers.items():
        searched_by = tuple(dict.fromkeys(by))
        icd = ask(_icd, host, libraries, path, searched_by, beside.get(path))
        if isinstance(icd, Unknown):
            icd = FoundIcd(unknown_part(Icd, icd, path=path, searched_by=searched_by), None)
        found.append(icd)
    return tuple(found)


def _usual_folders(host: Host) -> tuple[str, ...]:
    python = ask(host.python)
    prefixes = [] if isinstance(python, Unknown) else [python.prefix]
    if conda := host.environment().get("CONDA_PREFIX"):
        prefixes.append(conda)
    inside = [f"{prefix}/etc/OpenCL/vendors" for prefix in prefixes if prefix not in ("/", "/usr")]
    return (SYSTEM_FOLDER, "/run/opengl-driver/etc/OpenCL/vendors", *dict.fromkeys(inside))


def _registered(host: Host, folders: tuple[str, ...], *, recursive: bool) -> list[str]:
    depth = _DEEPEST if recursive else 0
    return [path for folder in folders for path in _listed(host, folder, depth)]


def _listed(host: Host, folder: str, depth: int) -> list[str]:
    found = []
    for name in ask_names(host.list_folder, folder):
        path = f"{folder}/{name}"
        if name.endswith(_SUFFIX):
            found.append(path)
        elif depth:
            status = ask(host.status, path)
            if not isinstance(status, Unknown) and status.kind == "directory":
                found += _listed(host, path, depth - 1)
    return found


def _icd(
    host: Host, libraries: Libraries, path: str, searched_by: tuple[str, ...], beside: str | None
) -> FoundIcd:
    if not path.endswith(_SUFFIX):
        itself = Unknown(f"{path} is the library itself")
        facts = Icd(
            path=path, searched_by=searched_by, file_type="library", file_mode=itself,
            open_error=None, text=itself, library_name=path,
        )  # fmt: skip
        return _with_library(libraries, facts, path, beside)
    status = ask(host.status, path)
    facts = Icd(
        path=path,
        searched_by=searched_by,
        file_type=_file_type(host, path, status),
        file_mode=status if isinstance(status, Unknown) else f"{status.mode:04o}",
        open_error=ask(host.open_error, path, "read"),
    )
    text = _text(host, path, facts)
    name = _library_name(text) if isinstance(text, str) else text
    if isinstance(text, str) and not _is_public(host, path, status):
        text = _without_secrets(text)
        # Loaders take that line for a name all the same, and find no such library.
        name = None if isinstance(text, Unknown) else name
    facts = replace(facts, text=text, library_name=name)
    if isinstance(name, str):
        return _with_library(libraries, facts, name, beside)
    reason = text if isinstance(name, str | None) else name
    why = reason.unknown if isinstance(reason, Unknown) else f"{path} names no library"
    return FoundIcd(replace(facts, answer=_ended("icd-file", why)), None)


def _with_library(libraries: Libraries, facts: Icd, name: str, beside: str | None) -> FoundIcd:
    path = libraries.find(name, beside=(beside,) if beside else ())
    facts = replace(facts, library=libraries.describe(path))
    if path is None:
        lost = _ended("library", f"{name}: the dynamic linker finds no such file")
        return FoundIcd(replace(facts, answer=lost), None)
    why = libraries.why_not_loadable(path)
    if isinstance(why, Unknown):
        return FoundIcd(replace(facts, answer=unknown_part(Answer, why)), None)
    if why is not None:
        return FoundIcd(replace(facts, answer=_ended("library", why)), None)
    return FoundIcd(facts, path)


def _file_type(host: Host, path: str, status: FileStatus | Unknown) -> str | Unknown:
    if not isinstance(status, Unknown):
        return status.kind
    link = ask_unless_absent(host.link_status, path)
    if link is None or isinstance(link, Unknown):
        return link or "missing"
    if link.kind != "link":
        return status
    return "looping-link" if _leads_to_itself(host, path) else "dangling-link"


def _leads_to_itself(host: Host, path: str) -> bool:
    try:
        host.status(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _text(host: Host, path: str, facts: Icd) -> str | Unknown:
    """Return the content; only regular files are opened, a fifo would answer nothing or hang."""
    if facts.file_type != "file":
        kind = facts.file_type
        words = kind.unknown if isinstance(kind, Unknown) else f"{path} is {_words_of(kind)}"
        return Unknown(words)
    raw = ask(host.read, path, _LONGEST_TEXT)
    return raw if isinstance(raw, Unknown) else raw.decode("latin-1")


def _without_secrets(text: str) -> str | Unknown:
    """Return the first line of a file, if it can be a library's name.

    Whoever may write to the folder can link to any file, and what root is shown is passed on.
    """
    name = text.partition("\n")[0].partition("\0")[0]
    if name.strip() and not _LIBRARY_NAME.fullmatch(name):
        return Unknown("its first line is no library name, and not every user may read it")
    return name


def _is_public(host: Host, path: str, status: FileStatus | Unknown) -> bool:
    """Tell whether every user may read the file, where it is a link in the folder that it is in."""
    if isinstance(status, Unknown) or not status.mode & _READ_BY_ALL:
        return False
    real = ask(host.real_path, path)
    if isinstance(real, Unknown):
        return False
    if real == path:
        return True
    while real.count("/") > 1:
        real = real.rpartition("/")[0]
        folder = ask(host.status, real)
        if isinstance(folder, Unknown) or not folder.mode & _ENTERED_BY_ALL:
            return False
    return True


def _words_of(kind: str) -> str:
    return _LINKS.get(kind, "not there" if kind == "missing" else f"a {kind}")


def _library_name(text: str) -> str | Unknown | None:
    """Return the first line as it is, up to a NUL: loaders strip nothing but the line feed."""
    line = text.split("\n", 1)[0].split("\0", 1)[0]
    if len(line) >= _LONGEST_TEXT:
        return Unknown(f"the first line has {_LONGEST_TEXT} bytes or more, longer than any path")
    return line.encode("latin-1").decode("utf-8", "surrogateescape") if line.strip() else None


def _ended(stage: Stage, message: str) -> Answer:
    nothing = dict.fromkeys(("error_code", "signal", "exit_status", "printed"))
    return Answer(stage=stage, outcome="error", message=message, platforms=(), **nothing)


# No header lists these: a driver finds out that one is absent when a program builds its first
# kernel. libLLVM is not among them: every release has a name of its own, and no driver opens it so.
RUNTIME_LIBRARIES = (
    "libOpenCL.so",
    "libigc.so.1", "libigc.so.2", "libigdfcl.so.1", "libigdfcl.so.2", "libigdgmm.so.11",
    "libigdgmm.so.12", "libze_loader.so.1", "libze_intel_gpu.so.1",
    "libcuda.so.1", "libnvidia-opencl.so.1", "libnvidia-ptxjitcompiler.so.1",
    "libnvidia-nvvm.so.4", "libnvidia-ml.so.1",
    "libamd_comgr.so.2", "libamd_comgr.so.3", "libhsa-runtime64.so.1", "libamdocl64.so",
    "libdxcore.so",
)  # fmt: skip


def probe_runtime_libraries(
    host: Host, libraries: Libraries, icds: tuple[FoundIcd, ...]
) -> dict[str, str | Unknown | None]:
    """Return the file behind each name, links resolved; None if this process finds none.

    Folders that a driver brings as its own search path count last: conda's and Nix's need them.
    """
    beside = listed(ask(_own_folders, host, libraries, icds))
    return {name: ask(_found, host, libraries, name, beside) for name in RUNTIME_LIBRARIES}


def _found(
    host: Host, libraries: Libraries, name: str, beside: tuple[str, ...]
) -> str | Unknown | None:
    cached = ask(host.cached_libraries, name)
    if isinstance(cached, Unknown):
        return cached
    for folders in ((), beside):
        path = libraries.find(name, beside=folders)
        # The linker passes over a library for another processor.
        if path is not None and libraries.is_for_this_process(path):
            return host.real_path(path)
    return None


def _own_folders(host: Host, libraries: Libraries, icds: tuple[FoundIcd, ...]) -> tuple[str, ...]:
    """Return the run paths of all registered drivers."""
    folders: list[str] = []
    for path in dict.fromkeys(icd.library for icd in icds if icd.library is not None):
        elf = libraries.headers(path)
        if isinstance(elf, ElfFile) and elf.run_path:
            origin = host.real_path(path).rpartition("/")[0]
            folders += libraries.run_path(elf, origin)
    return tuple(dict.fromkeys(folders))
