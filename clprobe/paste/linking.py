# SPDX-License-Identifier: MIT
"""Reads what libraries need and lack: ldd, ldd -r, readelf -d, and the linker's own messages."""

import re
from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Icd, Library, Loader, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.listings import is_driver
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("linking")
_LINES = Forms("said_lines")
_TAG = re.compile("Name/Value")


def read_ldd(paste: Paste) -> Iterator[Reading]:
    """Give what `ldd` found and did not find for the file that its command or heading names."""
    subject = ""
    for index, line in paste.free():
        command = paste.contexts[index].command
        named = _FORMS.object.match(line)
        if named is not None and ".so" in line:
            subject = named["path"]
            yield Reading(lines=(index,), facts=Snapshot())
            continue
        found = _FORMS.needed.match(line) if "=>" in line or "(0x" in line else None
        if found is None:
            if line == "statically linked" and command.startswith("ldd"):
                yield Reading(lines=(index,), facts=Snapshot())
            continue
        asked = _FORMS.asked.search(command)
        of = asked["file"] if asked else subject
        yield Reading(lines=(index,), facts=_needed(of, found["name"], found["path"]))


def _needed(of: str, name: str, path: str | None) -> Snapshot:
    missing = path == "not found"
    if name.startswith("libOpenCL.so"):
        viewer = of.strip("$()`").split("/")[-1] or "application"
        loaders = (Loader(path=path),) if path and not missing else NOT_STATED
        view = View(viewer=viewer, loader=None if missing else path or NOT_STATED)
        return Snapshot(views=(view,), loaders=loaders)
    if not missing:
        return Snapshot()
    facts = Snapshot(libraries={name: None})
    if is_driver(of):
        return _of_driver(
            of, Library(path=of if "/" in of else NOT_STATED, missing_dependencies=(name,)), facts
        )
    if "libOpenCL.so" in of:
        loader = Loader(path=of, missing_dependencies=(name,))
        return Snapshot(libraries={name: None}, loaders=(loader,))
    return facts


def _of_driver(
    of: str, library: Library, facts: Snapshot, answer: Answer | None = None
) -> Snapshot:
    icd = Icd(
        path=of, library_name=of.rpartition("/")[2], library=library, answer=answer or Answer()
    )
    return Snapshot(libraries=facts.libraries, icds=(icd,), messages=facts.messages)


def read_version_tags(paste: Paste) -> Iterator[Reading]:
    """Pass over the lists of versions of symbols; what they tell is said in statements."""
    for index, line in paste.free():
        if "_" in line[:12] and _LINES.version_tag.match(line):
            yield Reading(lines=(index,), facts=Snapshot())


def forms_of_linker() -> tuple[re.Pattern[str], ...]:
    """Return forms of which one is found in each line that the linker or readelf printed."""
    return (
        *(_FORMS.version, _FORMS.undefined, _FORMS.shared, _FORMS.elf_class, _FORMS.readelf),
        _TAG,
    )


def said_by_linker(line: str, _: Context) -> Snapshot | None:
    """Return the dynamic linker's complaint: a library, symbol or version that is not there."""
    version = _FORMS.version.search(line) if "required by" in line else None
    if version is not None:
        return _failed(version["by"], line)
    undefined = _FORMS.undefined.search(line) if "undefined symbol" in line else None
    if undefined is not None:
        before = line.partition(": undefined symbol")[0]
        return _failed(undefined["by"] or before.rpartition(" ")[2], line)
    shared = _FORMS.shared.search(line) if "shared object" in line else None
    if shared is not None:
        return _not_opened(shared, line)
    wrong = _FORMS.elf_class.search(line) if "ELF class" in line else None
    if wrong is not None and is_driver(wrong["path"]):
        library = Library(path=wrong["path"], elf_class=int(wrong["kind"][-2:]))
        return _of_driver(wrong["path"], library, Snapshot(messages=(line,)))
    if (entry := _FORMS.readelf.match(line)) is None:
        return Snapshot() if line.split() == ["Tag", "Type", "Name/Value"] else None
    is_path = entry["tag"] in ("RPATH", "RUNPATH")
    return Snapshot(messages=(f"{entry['tag']} {entry['value']}",) if is_path else NOT_STATED)


def _failed(by: str, line: str) -> Snapshot:
    """Return that a driver does not load, if it is one of which the line complains."""
    said = Snapshot(messages=(line,))
    by = by.rstrip(":,")
    if not is_driver(by):
        return said
    answer = Answer(stage="load", outcome="error", message=line)
    return _of_driver(by, Library(path=by if "/" in by else NOT_STATED), said, answer)


def _not_opened(found: re.Match[str], line: str) -> Snapshot:
    name, by = found["name"], found["by"] or ""
    said = (line,)
    is_own_attempt = by == name  # a program says of a library that it opens without an .icd file
    if name.startswith("libOpenCL.so"):
        # "ImportError: libOpenCL.so.1: …" is Python's word for it, and no program.
        is_program = not is_own_attempt and not by.endswith(("Error", "Exception"))
        viewer = by.rpartition("/")[2] if is_program else ""
        return Snapshot(messages=said, views=(View(viewer=viewer or "application", loader=None),))
    if "Permission" in found["why"]:
        return Snapshot(messages=said)
    if is_own_attempt:
        return Snapshot(messages=said, libraries={name: None})
    if is_driver(name):
        return Snapshot(
            messages=said, icds=(Icd(path=name, library_name=name, library=Library(path=None)),)
        )
    if is_driver(by):
        library = Library(path=by if "/" in by else NOT_STATED, missing_dependencies=(name,))
        return _of_driver(by, library, Snapshot(messages=said, libraries={name: None}))
    return Snapshot(messages=said, libraries={name: None})
