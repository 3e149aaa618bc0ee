# SPDX-License-Identifier: MIT
"""Whose driver a program died in: its library stands in the backtrace, or people name it."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec.structs import replace

from clprobe.facts.closure.closed import Closed
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.opencl import Answer, Icd, Library, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, listed

_FORMS = Forms("closure")

FOLDER = "/etc/OpenCL/vendors"


def with_crashed_driver(closed: Closed, tables: Tables) -> Closed:
    """Return it with the ICD that a program crashed in, unless that ICD's own answer is known."""
    culprit = next(_culprits(closed.snapshot, tables), None)
    if culprit is None:
        return closed
    view, icd = culprit
    why = f"the backtrace of {view.viewer} ends in {icd.library.path}"
    known = listed(closed.snapshot.icds)
    same = [one for one in known if _is_same(one, icd, tables)]
    if not same:
        return closed.with_list("icds", (*known, icd), why)
    if same[0].answer.outcome != NOT_STATED:
        return closed
    answer = replace(same[0].answer, outcome="crash", message=icd.answer.message)
    icds = tuple(replace(one, answer=answer) if one is same[0] else one for one in known)
    return closed.with_change(replace(closed.snapshot, icds=icds), f"icds[{same[0].path}]", why)


def likely_file(entry: Implementation) -> str:
    """Return the .icd file that packages of the implementation register."""
    names = (*entry.recognise.files, f"{entry.implementation}.icd")
    return f"{FOLDER}/{names[0].replace('*', '')}"


def _culprits(snapshot: Snapshot, tables: Tables) -> Iterator[tuple[View, Icd]]:
    for view in listed(snapshot.views):
        if view.answer.outcome != "crash":
            continue
        said = "\n".join(_texts(view, snapshot))
        for library, entry in _named_in(said, tables):
            answer = Answer(outcome="crash", message=f"{view.viewer} died in {library}")
            yield (
                view,
                Icd(path=likely_file(entry), library=Library(path=library), answer=answer),
            )


def _texts(view: View, snapshot: Snapshot) -> Iterator[str]:
    told: tuple[Fact[str | None], ...] = (
        view.answer.printed, view.answer.message, *listed(snapshot.messages),
        snapshot.system.linux.log,
    )  # fmt: skip
    return (text for text in told if isinstance(text, str))


def _named_in(said: str, tables: Tables) -> Iterator[tuple[str, Implementation]]:
    """Yield the drivers of the frames, the innermost first, then those that people name."""
    for frame in _FORMS.frame.finditer(said):
        entry = tables.implementation(tables.recognise(frame["library"]))
        if entry is not None:
            yield frame["library"], entry
    project = tables.implementation(_FORMS.meaning("projects", said))
    if project is not None:
        yield project.recognise.libraries[0].rstrip("*"), project


def _is_same(one: Icd, other: Icd, tables: Tables) -> bool:
    if PurePosixPath(one.path).name == PurePosixPath(other.path).name:
        return True
    path = one.library.path if isinstance(one.library.path, str) else one.library_name
    return isinstance(path, str) and tables.recognise(path) == tables.recognise(
        str(other.library.path)
    )
