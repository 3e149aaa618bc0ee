# SPDX-License-Identifier: MIT
"""Reads what there is of OpenCL on disk: the folder of .icd files, their texts, ldconfig."""

import re
from collections.abc import Iterator
from itertools import chain

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Icd, Library, Loader
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.commands import command_line
from clprobe.paste.listings import errno_of, is_driver, listed, path_in_error
from clprobe.paste.reading import Context, Paste, Reading

_VENDORS = "/etc/OpenCL/vendors"
_FORMS = Forms("icd_files")
_COUNT = re.compile(r"\d+ libs found in cache")


def read_icd_listings(paste: Paste) -> Iterator[Reading]:
    """Give the .icd files of `ls`, short or long; the whole folder where nothing was filtered."""
    for lines, listed_icds in paste.runs(_from_listing, most_gap=3):
        icds = {icd.path: icd for icd in chain.from_iterable(listed_icds)}
        yield _listing(lines, icds, paste)
    yield from _empty_listings(paste)


def _listing(lines: list[int], icds: dict[str, Icd], paste: Paste) -> Reading:
    command = paste.contexts[lines[0]].command
    asked = re.match(r"(?:ls|ll|dir|tree)\b", command) and _FORMS.folder.search(command)
    is_whole = (
        bool(asked) and "grep" not in command and f"{_VENDORS}" in command and ".icd" not in command
    )
    facts = Snapshot(icds=tuple(icds.values())) if icds or is_whole else Snapshot()
    return Reading(lines=tuple(lines), facts=facts, whole=("icds",) if is_whole else ())


def _folder_of(command: str) -> str:
    found = _FORMS.folder.search(command)
    return found["folder"] if found else ""


def _from_listing(line: str, command: str) -> list[Icd] | None:
    folder = _folder_of(command)
    is_listing = bool(folder) and re.match(r"(?:ls|ll|dir|tree|find)\b", command) is not None
    entry = listed(line)
    if entry is not None:
        name = entry.name.rpartition("/")[2]
        if not name.endswith(".icd"):
            return [] if is_listing else None
        path = entry.name if entry.name.startswith("/") else f"{folder or _VENDORS}/{name}"
        kind = {"-": "file", "d": "directory", "p": "fifo"}.get(entry.kind, NOT_STATED)
        # A link always shows rwxrwxrwx, which says nothing about the file behind it.
        mode = entry.mode if entry.kind != "l" else NOT_STATED
        return [Icd(path=path, file_type=kind, file_mode=mode)]
    if _FORMS.icd_names.match(line) and (
        is_listing or _FORMS.icd_path.match(line) or not line.startswith("/")
    ):
        names = line.split()
        is_plain = all(re.fullmatch(r"[\w.+/@~-]+\.icd", name) for name in names)
        if not is_plain or (
            len(names) > 1 and not is_listing and "/" not in line and len(names) > 8
        ):
            return None
        return [Icd(path=name if "/" in name else f"{folder or _VENDORS}/{name}") for name in names]
    if is_listing and re.fullmatch(r"total \d+|\S+/vendors/?:|insgesamt \d+", line):
        return []
    return None


def _empty_listings(paste: Paste) -> Iterator[Reading]:
    """Give `ls /etc/OpenCL/vendors` that printed nothing: the next prompt follows at once."""
    lines = paste.lines
    for index, line in enumerate(lines[:-1]):
        if _VENDORS not in line or ".icd" in line or "grep" in line:
            continue
        asked = command_line(line)
        if asked is None or not asked.prompted or not re.match(r"ls\b", asked.command):
            continue
        following = command_line(lines[index + 1])
        if following is not None and following.prompted:
            yield Reading(lines=(), facts=Snapshot(icds=()), whole=("icds",))
        elif _FORMS.counts_lines.search(asked.command) and lines[index + 1].strip() == "0":
            yield Reading(lines=(index + 1,), facts=Snapshot(icds=()), whole=("icds",))


def read_icd_texts(paste: Paste) -> Iterator[Reading]:
    """Give the library that each .icd file names: from cat, head, tail and grep."""
    path = ""
    nameless = 0
    for index, line in paste.free_with(_FORMS.text_of, _FORMS.head, _FORMS.library):
        told, head = _FORMS.text_of.match(line), _FORMS.head.match(line)
        if told is not None:
            yield _text(index, told["path"], told["library"])
            continue
        if head is not None:
            path = head["path"]
            yield Reading(lines=(index,), facts=Snapshot(icds=(Icd(path=path),)))
            continue
        command = paste.contexts[index].command
        # An .icd file may lack its last newline, and then cat runs two of them together.
        names = re.sub(r"(\.so(?:\.\d+)*)(?=lib|/)", r"\1 ", line).split()
        if not names or len(names) > 30 or not all(map(_FORMS.library.match, names)):
            continue
        if path:
            yield _text(index, path, names[0])
            path = ""
        elif re.match(r"(?:cat|head|tail|more|less)\b", command):
            asked, folder = _FORMS.icd_path.search(command), _folder_of(command)
            for name in names if asked or folder else ():
                nameless += asked is None
                file = asked["path"] if asked else f"{folder}/*.icd ({nameless})"
                yield _text(index, file, name)


def _text(index: int, path: str, library: str) -> Reading:
    icd = Icd(path=path, text=library, library_name=library, open_error=None)
    return Reading(lines=(index,), facts=Snapshot(icds=(icd,)))


def in_linker_cache(line: str, context: Context) -> Snapshot | None:
    """Return the library on a line of `ldconfig -p`, or a place of it that find or ls showed."""
    cached = _FORMS.ldconfig.match(line)
    if cached is not None:
        return _cached(cached)
    entry = listed(line)
    if entry is not None and entry.name.startswith("/") and is_driver(entry.name):
        return Snapshot(icds=(Icd(path=entry.name, library=Library(path=entry.name)),))
    found = _FORMS.opencl.match(line.rsplit("=> ", maxsplit=1)[-1])
    if found is not None and _FORMS.shows_files.match(context.command):
        return Snapshot(loaders=(Loader(path=found["path"]),))
    return Snapshot() if _COUNT.match(line) else None


def _cached(found: re.Match[str]) -> Snapshot:
    name, path = found["name"], found["path"]
    libraries = {name: path} if _FORMS.matters.match(name) else {}
    if name != "libOpenCL.so.1" or "x86-64" not in found["kind"] + "x86-64" * (
        "AArch64" in found["kind"]
    ):
        return Snapshot(libraries=libraries)
    loader = Loader(path=path, found_by=("ldconfig",))
    return Snapshot(libraries=libraries, loaders=(loader,))


def read_icd_errors(paste: Paste) -> Iterator[Reading]:
    """Give what messages tell about .icd files and their folder."""
    for index, line in paste.free():
        error = errno_of(line) if "OpenCL/vendors" in line or ".icd" in line else None
        if error is None or "(" in line[:12]:
            continue
        path = path_in_error(line) or ""
        if error == "ENOENT" and path == _VENDORS:
            facts = Snapshot(icds=(), messages=(line,))
            yield Reading(lines=(index,), facts=facts, whole=("icds",))
        elif error == "ENOENT" and re.search(r"vendors/?\*", line):
            yield Reading(lines=(index,), facts=Snapshot(icds=()), whole=("icds",))
        elif path.endswith(".icd") and error in ("EACCES", "EPERM"):
            icd = Icd(path=path, open_error=error)
            yield Reading(lines=(index,), facts=Snapshot(icds=(icd,)), private=True)
