# SPDX-License-Identifier: MIT
"""What lines say beside the facts for which other readers took them: versions, owners, pairs."""

from collections.abc import Callable, Iterator
from itertools import islice

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.reading import Paste
from clprobe.paste.statements.consoles import device_names_in
from clprobe.paste.statements.page import labelled, placed
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.things import things_in

_PRINTED = Forms("said_lines")
_MOST = 300
_MOST_LINES = 3000
_MOST_OF_A_KIND = 20
_LONGEST = 220
_LONGEST_PARAGRAPH = 20
_MOST_OF_HARDWARE = 400
"""Lines in which hardware is looked for: what prints it does so early."""
_FILES = (".deb", ".rpm", ".pkg.", ".fc", ".el", "::")
_KINDS_OF_FILES = ("deb", "rpm", "arch", "conda")


def read_again(paste: Paste) -> Iterator[Statement]:
    """Yield what the lines say, taken or not; a few of each kind, for a log has thousands."""
    given: set[tuple[str, str, str]] = set()
    counts: dict[str, int] = {}
    for index, text in islice(enumerate(paste.lines), _MOST_LINES):
        for tell in _TELLERS:
            for one in tell(paste, index, text):
                key = (one.what, one.subject, one.says or one.version)
                counts[one.what] = counts.get(one.what, 0) + (key not in given)
                if key not in given and counts[one.what] <= _MOST_OF_A_KIND:
                    yield one
                given.add(key)


def _in_paths(_: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the version of what a folder of a build is of."""
    if "/" in text and ("-" in text or "_" in text):
        for found in islice(_PRINTED.version_in_path.finditer(text), 1):
            yield _version(index, found["name"], found["version"])


def _of_files(_: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the version of what a file of a package is of."""
    if any(one in text for one in _FILES):
        for found in _PRINTED.package_file.finditer(text):
            name, version = next(
                (found[kind], found[f"{kind}version"]) for kind in _KINDS_OF_FILES if found[kind]
            )
            yield _version(index, name, version)


def _pinned(_: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield packages of Python that are named with their versions."""
    if "==" in text:
        for found in islice(_PRINTED.pinned.finditer(text), _MOST_OF_A_KIND):
            yield _version(index, found["name"], found["version"])


def _in_paragraphs(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the version in a package manager's paragraph, as `dpkg -s` prints them."""
    found = _PRINTED.paragraph_version.match(text)
    name = _paragraph_of(paste, index) if found is not None else ""
    if found is not None and name:
        yield _version(index, name, found["version"])


def _paragraph_of(paste: Paste, index: int) -> str:
    """Return the package of whose paragraph a line is; "" if of none."""
    for text in reversed(paste.lines[max(0, index - _LONGEST_PARAGRAPH) : index]):
        if (named := _PRINTED.paragraph_name.match(text)) is not None:
            return named["name"]
        if not _PRINTED.paragraph_line.match(text):
            return ""
    return ""


def _version(index: int, name: str, version: str) -> Statement:
    return Statement(line=index + 1, what="version", subject=name, version=version)


def _of_traces(_: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield what the linker's and Python's traces say of files."""
    needed = _PRINTED.needed_by.search(text) if "needed by" in text else None
    if needed is not None:
        says = f"{needed['file']} needed by {needed['by']}"
        yield Statement(line=index + 1, what="uses", subject=needed["by"], says=says)
    built = _PRINTED.build_number.match(text) if "build" in text[:40] else None
    if built is not None:
        yield _version(index, "build", built["build"])
    versioned = _PRINTED.labelled_version.match(text) if "ersion" in text[:60] else None
    if versioned is not None:
        yield _version(index, versioned["name"].lower(), versioned["version"])
    cuda = _PRINTED.smi_cuda.search(text) if "CUDA Version" in text else None
    if cuda is not None:
        yield _version(index, "cuda", cuda["version"])
    traced = _PRINTED.traced_file.match(text)
    if traced is not None:
        says = tidy(text)[:_LONGEST]
        yield Statement(line=index + 1, what="has", subject=traced["path"], says=says)


def _owners(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield mode and owner of a listed file."""
    listed = _PRINTED.listing.match(text)
    if listed is not None:
        says = f"{listed['mode']} {listed['owner']} {listed['group']} {listed['name']}"
        told = placed(index, paste.contexts[index], "is", says)
        yield msgspec.structs.replace(told, subject=listed["name"])


def _installed(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the packages that a command installs."""
    typed = _PRINTED.installs.search(text)
    for name in (typed["names"] or typed["portage"]).split() if typed is not None else ():
        told = placed(index, paste.contexts[index], "installed", tidy(text)[:_LONGEST])
        yield msgspec.structs.replace(told, subject=name)


def _pairs(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the fields of a compose file, and of several on a line, as inxi prints them."""
    if index not in paste.fenced:
        return
    entry = _PRINTED.compose_field.match(text)
    if entry is not None:
        told = placed(index, paste.contexts[index], "field", entry["value"][:_LONGEST])
        yield msgspec.structs.replace(told, subject=entry["key"])
    elif text.count(": ") > 1 and ":" in text[:24]:
        for found in _PRINTED.pairs.finditer(text):
            value = tidy(found["value"])
            if value:
                told = placed(index, paste.contexts[index], "field", value[:_LONGEST])
                yield msgspec.structs.replace(told, subject=found["key"])


def _hardware(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the processors and GPUs that a program's line names."""
    is_printed = index in paste.fenced or paste.contexts[index].command != ""
    if not is_printed or index > _MOST_OF_HARDWARE or not _PRINTED.maker.search(text):
        return
    if _PRINTED.no_hardware.search(text):
        return
    for one in things_in(text):
        if one.sort in ("gpu", "processor") and any(letter.isdigit() for letter in one.name):
            told = placed(index, paste.contexts[index], "has", one.name)
            yield msgspec.structs.replace(told, subject=one.name)


def _of_calls(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield which of clinfo's calls without a platform found nothing."""
    found = _PRINTED.call_row.match(text) if "(NULL, " in text else None
    if found is not None and _PRINTED.found_none.match(found["value"]):
        told = placed(index, paste.contexts[index], "field", found["value"].strip())
        yield msgspec.structs.replace(told, subject=found["call"])


def _defined(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield what the lines define on which a call of CMake goes on."""
    above = paste.lines[index - 1] if index else ""
    if not above.endswith("\\") or not _PRINTED.definitions.match(text):
        return
    for found in islice(_PRINTED.definition.finditer(text), _MOST_OF_A_KIND):
        says = f"{found['name']}={found['value']}"
        yield labelled(paste, index, "sets", found["name"], says)


_TELLERS: tuple[Callable[[Paste, int, str], Iterator[Statement]], ...] = (
    _in_paths,
    _of_files,
    _pinned,
    _in_paragraphs,
    _of_traces,
    _owners,
    _installed,
    _pairs,
    _hardware,
    device_names_in,
    _of_calls,
    _defined,
)


def entries_in(paste: Paste) -> Iterator[Statement]:
    """Yield the bare words of a bracketed list, as settings have them: each is one of the list."""
    title, given = "", 0
    for index, text in enumerate(paste.lines):
        is_set = index in paste.fenced or text[:2] == "  "
        inline = _PRINTED.list_inline.match(text) if is_set else None
        for name in inline["entries"].split() if inline is not None and given < _MOST else ():
            given += 1
            says = f"{inline['key']}: {name}" if inline is not None else name
            yield Statement(line=index + 1, what="has", subject=name, says=says)
        opens = _PRINTED.list_opens.match(text) if index in paste.fenced else None
        if opens is not None:
            title = opens["key"]
        elif title and (entry := _PRINTED.list_entry.match(text)) is not None and given < _MOST:
            given += 1
            says = f"{title}: {entry['name']}"
            yield Statement(line=index + 1, what="has", subject=entry["name"], says=says)
        else:
            title = ""
