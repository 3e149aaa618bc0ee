# SPDX-License-Identifier: MIT
"""From a pasted text to one snapshot: who saw what, where and when, and what nobody understood."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.line_words import LineWords
from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Loader, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.statement import Statement
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste import (
    crashes,
    embedded,
    errors,
    files,
    gpu_tools,
    inventories,
    inxi,
    linking,
    logs,
    lspci,
    nodes,
    package_trouble,
    packages,
    programs,
    stated,
    systems,
    traces,
    uevent,
    users,
    variables,
)
from clprobe.paste.answers.bare_names import read_bare_names
from clprobe.paste.answers.device_pairs import read_device_pairs
from clprobe.paste.answers.python_platforms import read_python_platforms
from clprobe.paste.answers.stat_format import read_stat_formats
from clprobe.paste.blocks import contexts_of
from clprobe.paste.clinfo.reader import clinfo_runs
from clprobe.paste.commands import command_line
from clprobe.paste.containers import signs as containers
from clprobe.paste.containers.options import read_container_options
from clprobe.paste.places import Evidence, snapshot_of
from clprobe.paste.prose.alike import Alike
from clprobe.paste.prose.clauses import clauses_of
from clprobe.paste.prose.reader import is_small_talk, prose_lines, prose_reader, talks
from clprobe.paste.prose.remedied import ended_complaints, in_the_past
from clprobe.paste.prose.wordings import is_binary, is_report, nothing_understood
from clprobe.paste.reading import Paste, Reader, Reading, by_line
from clprobe.paste.restated import reader as restated
from clprobe.paste.spoken.reader import read_programs
from clprobe.paste.statements.extent import left_untold, lines_of_sentences
from clprobe.paste.statements.headings import without_wishes
from clprobe.paste.statements.lines import telling, with_lines
from clprobe.paste.statements.reader import statements_of
from clprobe.paste.text import FENCE, numbered_lines

_LONGEST_UNREAD = 300
_MOST_UNREAD = 5000
_MOST_TOLD = 1000
_LONGEST_MESSAGE = 500
_FEW_WORDS = 3
_QUOTES = "`*> \"'\u201c\u201d\u201e"
_FORMS = Forms("messages")


def read_paste(text: str, *, name: str) -> Snapshot:
    """Return the facts of a pasted text; `name` is its file, for messages.

    Raises: ClprobeError if nothing in it was understood, and it does not speak of GPUs or of
    trouble with OpenCL either.
    """
    lines, numbers = numbered_lines(text)
    if is_binary(text):
        raise nothing_understood(name, len(lines), is_text=False)
    snapshots = list(embedded.embedded_in(lines))
    # Nobody says what stands in there: as prose it would count a second time, and differently.
    for index in (index for one in snapshots for index in one.lines):
        lines[index] = ""
    contexts, told = contexts_of(lines)
    words = LineWords(lines)
    ended = ended_complaints(lines, words)
    paste = Paste(lines, in_the_past(contexts, ended), set(), words)
    evidence = Evidence()
    unread: list[int] = []
    for reader in (lambda _: iter(snapshots), *_FIRST):
        _gather(reader, paste, evidence, unread)
    is_restated = any(line.startswith("# stated:") for line in lines)
    if is_restated:
        # Facts that somebody restated follow no program's layout, though lines may look alike.
        for reader in (restated.read_restated, stated.read_stated):
            _gather(reader, paste, evidence, unread)
    paste.take(frozenset(told))
    spoken = {*told}
    for reader in _READERS:
        free = set(paste.left()) if reader in _OF_SENTENCES_TOO else set()
        _gather(reader, paste, evidence, unread)
        if free:
            spoken |= free.difference(paste.left())
    # A sentence that tells a fact may quote a complaint as well: both are read.
    complaints = list(_complaints(paste))
    spoken |= {index for one in complaints for index in one.lines}
    written = list(prose_lines(paste, frozenset(spoken)))
    clauses = list(clauses_of(written))
    untold = spoken.union(paste.left())
    facts_in = [one for one in clauses if untold.issuperset(one.lines) or talks(one.sentence)]
    facts_in = list(without_wishes(facts_in, written))
    unsaid = set(paste.left())
    for reader in (lambda _: iter(complaints), *_WEAK, prose_reader(facts_in)):
        _gather(reader, paste, evidence, unread, is_weak=True)
    said = statements_of(written, clauses)
    of_sentences = lines_of_sentences(telling(said), clauses, written)
    paste.take(of_sentences)
    said = with_lines(paste, said, sorted({*unread, *paste.left()}))
    paste.take([one.line - 1 for one in said])
    of_messages = {index for one in complaints for index in one.lines}
    left = sorted({*unread, *paste.left()} - paste.idle)
    of_people = [one for one in clauses if one.lines[0] not in of_messages]
    silent = [
        one
        for one in left_untold(said, of_people, written)
        if one[0] in unsaid and one[0] not in left
    ]
    if not evidence.tells() and not is_report(lines, says_something=bool(said)):
        raise nothing_understood(name, sum(bool(line.strip()) for line in lines))
    snapshot = snapshot_of(evidence)
    heard, alike = Alike(lines), Alike(lines)
    return msgspec.structs.replace(
        snapshot,
        source="pasted text",
        statements=_as_numbered(said, numbers),
        told=tuple(
            " ".join(line.split())[:_LONGEST_UNREAD]
            for index, line in enumerate(lines)
            if line.strip() and index not in ended and heard.tells_more(line)
        )[:_MOST_TOLD],
        unread=tuple(
            " ".join(text.split())[:_LONGEST_UNREAD]
            for at, text in sorted([*((index, lines[index]) for index in left), *silent])
            if alike.tells_more(text)
            and ((_is_telling_title(at, text) and not is_restated) or not _is_noise(text))
        )[:_MOST_UNREAD],
    )


def _as_numbered(said: tuple[Statement, ...], numbers: list[int]) -> tuple[Statement, ...]:
    """Return the statements in order, with the numbers that their lines have in the paste."""
    ordered = sorted(said, key=lambda one: one.line)
    return tuple(msgspec.structs.replace(one, line=numbers[one.line - 1]) for one in ordered)


def _gather(
    reader: Reader, paste: Paste, evidence: Evidence, unread: list[int], *, is_weak: bool = False
) -> None:
    for reading in list(reader(paste)):
        first = reading.lines[0] if reading.lines else 0
        context = reading.context or paste.contexts[first]
        has_room = evidence.add(reading, context, is_weak=is_weak)
        paste.take(reading.lines)
        paste.idle.update(reading.idle)
        unread += reading.unread if has_room else reading.lines


def _clinfo(paste: Paste) -> Iterator[Reading]:
    """Give each run of clinfo as a view; the loader that it names may lie anywhere."""
    shown = [line if paste.is_free(index) else "" for index, line in enumerate(paste.whole_lines)]
    for run in clinfo_runs(shown):
        loader = (
            run.loader_version
            if isinstance(run.loader_version, Unknown)
            else str(run.loader_version)
        )
        is_known = not isinstance(run.kind, Unknown) or not isinstance(loader, Unknown)
        loaders = (
            (Loader(path=NAMELESS, kind=run.kind, version=loader),) if is_known else NOT_STATED
        )
        view = View(viewer="clinfo", answer=run.answer)
        lines = tuple(sorted(run.lines))
        yield Reading(
            lines=lines,
            facts=Snapshot(views=(view,), loaders=loaders),
            unread=run.unread,
            private=True,
        )


def _silent_clinfo(paste: Paste) -> Iterator[Reading]:
    """Give each clinfo that printed nothing, as `clinfo -l` does where there is no platform."""
    lines = paste.whole_lines
    for index, line in enumerate(lines[:-1]):
        if "clinfo" not in line or (asked := command_line(line)) is None or not asked.prompted:
            continue
        listing = re.fullmatch(r"(?:\S*/)?clinfo( -l| --list)?", asked.command)
        if listing is None:
            continue
        after = next((one.strip() for one in lines[index + 1 : index + 4] if one.strip()), "")
        following = command_line(after)
        # Of a whole clinfo the output may have been left out, unless the next prompt stands there.
        is_bare = re.fullmatch(r"[\w@:~/.-]{0,60}[$#\u276f]", after) is not None
        is_over = after == FENCE or (following is not None and following.prompted)
        if is_bare or (listing[1] and is_over):
            view = View(viewer="clinfo", answer=Answer(platforms=()))
            context = paste.contexts[index]
            yield Reading(lines=(), facts=Snapshot(views=(view,)), private=True, context=context)


NAMELESS = "libOpenCL.so.1"
"""Stands for a loader of which a report does not tell the file."""


def _complaints(paste: Paste) -> Iterator[Reading]:
    """Give each line that looks like a complaint of a program, a driver or Linux."""
    for index, line in paste.free_with(_FORMS.complains):
        if _is_message(line, is_printed=index in paste.fenced and command_line(line) is None):
            facts = Snapshot(messages=(line[:_LONGEST_UNREAD],))
            yield Reading(lines=(index,), facts=facts)


def _is_message(line: str, *, is_printed: bool) -> bool:
    """Tell whether a line complains, and a program rather than a person wrote it.

    `is_printed`: it stands among output, so that nobody but a program did.
    """
    text = line[:_LONGEST_MESSAGE].strip(_QUOTES)
    if not _FORMS.complains.search(text) or _FORMS.of_source.match(text):
        return False
    if is_printed:
        return True
    if _FORMS.prose.search(text) and not text.startswith(("[", "E: ", "W: ", "ERROR", "error:")):
        return False
    words = text.split()
    is_short = len(words) <= 12 and not text.endswith("?")
    begins = is_short and _FORMS.begins.match(text)
    return bool(begins or _FORMS.machine_made.search(text))


def _is_noise(line: str) -> bool:
    """Tell whether a line says nothing: rules, frames, links, pictures, greetings, thanks."""
    return _FORMS.noise.fullmatch(line.strip()) is not None or is_small_talk(line)


def _is_telling_title(index: int, line: str) -> bool:
    """Tell whether a line is the title, and has more words than the title of a form.

    A heading below the first level is a form's.
    """
    is_long = len(line.split()) > _FEW_WORDS and not line.endswith(":")
    is_heading = index == 0 and not line.startswith("##")
    return is_heading and is_long and not is_small_talk(line)


_of_opencl = by_line(errors.of_opencl, private=True, with_any=errors.forms_of_opencl)
_linker_cache = by_line(files.in_linker_cache)
_fetched = by_line(inventories.fetched)
_FIRST: tuple[Reader, ...] = (_clinfo, _silent_clinfo)
_READERS: tuple[Reader, ...] = (
    traces.read_traces,
    traces.read_linker_debug,
    errors.read_tracebacks,
    read_device_pairs,
    read_programs,
    logs.read_log,
    lspci.read_lspci,
    uevent.read_uevents,
    inventories.read_lshw,
    inxi.read_inxi,
    by_line(inventories.of_lsgpu),
    nodes.read_node_listings,
    read_stat_formats,
    nodes.read_access_lists,
    files.read_icd_listings,
    files.read_icd_texts,
    _linker_cache,
    linking.read_ldd,
    linking.read_version_tags,
    users.read_ids,
    users.read_group_entries,
    read_bare_names,
    packages.read_packages,
    package_trouble.read_policies,
    by_line(package_trouble.package_source, with_any=package_trouble.forms_of_source),
    package_trouble.read_package_trouble,
    by_line(systems.uname),
    systems.read_os_release,
    systems.read_lsb_release,
    systems.read_boot_and_cpu,
    by_line(systems.detected),
    logs.read_lsmod,
    by_line(logs.module_version),
    gpu_tools.read_nvidia_smi,
    gpu_tools.read_rocm,
    gpu_tools.read_graphics,
    read_python_platforms,
    programs.read_torch,
    crashes.read_crashes,
    by_line(linking.said_by_linker, with_any=linking.forms_of_linker),
    files.read_icd_errors,
    nodes.read_node_errors,
    _of_opencl,
    read_container_options,
    containers.read_engines,
    containers.read_compose,
    containers.read_services,
    by_line(containers.wsl, with_any=containers.forms_of_wsl),
    variables.read_variables,
    variables.read_inline_variables,
    _fetched,
    users.read_groups,
    restated.read_restated,
)
_WEAK: tuple[Reader, ...] = (gpu_tools.read_ids_in_names, systems.read_compilers)
"""Readers of what lies in lines of other programs, told weaker than what those are about."""
# What they read may be a sentence that tells more: a title, "OS: Ubuntu 22.04 in VirtualBox".
_OF_SENTENCES_TOO: tuple[Reader, ...] = (
    _of_opencl,
    crashes.read_crashes,
    files.read_icd_errors,
    nodes.read_node_errors,
    _linker_cache,
    _fetched,
    restated.read_restated,
)
